// Breadth-first search, level by level, over a graph in CSR form.
// Naive: all nodes are looked at in each level, a flag goes to the host and
// back for each, many threads write the same words, the row's end is re-read.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              cudaGetErrorString(err));                                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define DEGREE 6

// Threads that find the same neighbour write the same level: atomics keep it
// in order.
__global__ void bfsLevel(int *offsets, int *targets, int *levels, int *changed,
                         int level, int nodes) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes)
    return;
  if (levels[node] != level)
    return;
  for (int e = offsets[node]; e < offsets[node + 1]; e++) {
    if (atomicCAS(&levels[targets[e]], -1, level + 1) == -1)
      atomicExch(changed, 1);
  }
}

// Small deterministic generator: the same numbers on every machine.
struct Lcg {
  unsigned state = 12345u;
  unsigned bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
};

static void parseArgs(int argc, char **argv, int maxSize, int *size,
                      bool *check) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--check") == 0) {
      *check = true;
      continue;
    }
    char *end = nullptr;
    long value = strtol(argv[i], &end, 10);
    if (end == argv[i] || *end != '\0' || value < 1 || value > maxSize) {
      fprintf(stderr, "usage: %s [SIZE, 1 to %d] [--check]\n", argv[0],
              maxSize);
      exit(2);
    }
    *size = (int)value;
  }
}

static void printResult(const char *name, const std::vector<int> &v) {
  double sum = 0, weighted = 0;
  int low = v[0], high = v[0];
  for (size_t i = 0; i < v.size(); i++) {
    sum += (double)v[i];
    weighted += (double)v[i] * (1 + i % 97);
    low = std::min(low, v[i]);
    high = std::max(high, v[i]);
  }
  printf("%s sum %.6e weighted %.6e min %.6e max %.6e\n", name, sum, weighted,
         (double)low, (double)high);
  printf("%s samples %.6e %.6e %.6e %.6e\n", name, (double)v[0],
         (double)v[v.size() / 3], (double)v[v.size() / 2],
         (double)v[v.size() - 1]);
}

static std::vector<int> referenceLevels(const std::vector<int> &offsets,
                                        const std::vector<int> &targets) {
  std::vector<int> levels(offsets.size() - 1, -1), queue(1, 0);
  levels[0] = 0;
  for (size_t head = 0; head < queue.size(); head++) {
    int node = queue[head];
    for (int e = offsets[node]; e < offsets[node + 1]; e++)
      if (levels[targets[e]] < 0) {
        levels[targets[e]] = levels[node] + 1;
        queue.push_back(targets[e]);
      }
  }
  return levels;
}

int main(int argc, char **argv) {
  int nodes = 1 << 20;
  bool check = false;
  parseArgs(argc, argv, 1 << 25, &nodes, &check);

  // Most edges lead nearby, so that there are many levels.
  std::vector<int> offsets(nodes + 1), targets;
  Lcg random;
  for (int node = 0; node < nodes; node++) {
    int degree = random.bits() % (DEGREE + 1);
    for (int e = 0; e < degree; e++) {
      long long reach = 1 + random.bits() % (1 + nodes / 32);
      targets.push_back((int)((node + reach) % nodes));
    }
    offsets[node + 1] = (int)targets.size();
  }
  if (targets.empty())
    targets.push_back(0);

  int *dOffsets, *dTargets, *dLevels, *dChanged;
  CUDA_CHECK(cudaMalloc(&dOffsets, offsets.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dTargets, targets.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dLevels, nodes * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dChanged, sizeof(int)));
  CUDA_CHECK(cudaMemcpy(dOffsets, offsets.data(), offsets.size() * sizeof(int),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dTargets, targets.data(), targets.size() * sizeof(int),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(dLevels, 0xff, nodes * sizeof(int)));
  CUDA_CHECK(cudaMemset(dLevels, 0, sizeof(int)));

  int changed = 1, level = 0;
  for (; changed; level++) {
    changed = 0;
    CUDA_CHECK(
        cudaMemcpy(dChanged, &changed, sizeof(int), cudaMemcpyHostToDevice));
    bfsLevel<<<(nodes + 255) / 256, 256>>>(dOffsets, dTargets, dLevels,
                                           dChanged, level, nodes);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(
        cudaMemcpy(&changed, dChanged, sizeof(int), cudaMemcpyDeviceToHost));
  }
  std::vector<int> levels(nodes);
  CUDA_CHECK(cudaMemcpy(levels.data(), dLevels, nodes * sizeof(int),
                        cudaMemcpyDeviceToHost));

  printf("deepest %d\n", level - 1);
  printResult("levels", levels);
  if (check) {
    double worst = levels == referenceLevels(offsets, targets) ? 0.0 : 1.0;
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dOffsets));
  CUDA_CHECK(cudaFree(dTargets));
  CUDA_CHECK(cudaFree(dLevels));
  CUDA_CHECK(cudaFree(dChanged));
  return 0;
}

// Cross-entropy loss of a batch and its gradient: a thread per row of logits,
// the mean by atomics.
// Naive: uncoalesced rows, expf twice for each element, double logarithm, the
// gradient written first and corrected afterwards, an atomic for each row.
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

#define CLASSES 200

__global__ void crossEntropy(float *logits, int *labels, float *losses,
                             float *gradient, double *total, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float top = logits[row * CLASSES];
    for (int c = 1; c < CLASSES; c++)
      if (logits[row * CLASSES + c] > top)
        top = logits[row * CLASSES + c];
    float sum = 0.0f;
    for (int c = 0; c < CLASSES; c++)
      sum += expf(logits[row * CLASSES + c] - top);
    losses[row] = log(sum) + top - logits[row * CLASSES + labels[row]];
    for (int c = 0; c < CLASSES; c++)
      gradient[row * CLASSES + c] =
          expf(logits[row * CLASSES + c] - top) / sum / rows;
    gradient[row * CLASSES + labels[row]] -= 1.0f / rows;
    atomicAdd(total, (double)losses[row] / rows);
  }
}

// Small deterministic generator: the same numbers on every machine.
struct Lcg {
  unsigned state = 12345u;
  unsigned bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  float uniform() { return bits() * (1.0f / 16777216.0f); } // [0, 1)
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

static void printResult(const char *name, const std::vector<float> &v) {
  double sum = 0, weighted = 0;
  float low = v[0], high = v[0];
  for (size_t i = 0; i < v.size(); i++) {
    sum += v[i];
    weighted += (double)v[i] * (1 + i % 97);
    low = std::min(low, v[i]);
    high = std::max(high, v[i]);
  }
  printf("%s sum %.6e weighted %.6e min %.6e max %.6e\n", name, sum, weighted,
         low, high);
  printf("%s samples %.6e %.6e %.6e %.6e\n", name, v[0], v[v.size() / 3],
         v[v.size() / 2], v[v.size() - 1]);
}

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

int main(int argc, char **argv) {
  int rows = 1 << 15;
  bool check = false;
  parseArgs(argc, argv, 1 << 20, &rows, &check);

  size_t count = (size_t)rows * CLASSES, bytes = count * sizeof(float);
  std::vector<float> logits(count), losses(rows), gradient(count);
  std::vector<int> labels(rows);
  Lcg random;
  for (float &v : logits)
    v = 8.0f * random.uniform() - 4.0f;
  for (int &label : labels)
    label = random.bits() % CLASSES;

  float *dLogits, *dLosses, *dGradient;
  int *dLabels;
  double *dTotal, total = 0;
  CUDA_CHECK(cudaMalloc(&dLogits, bytes));
  CUDA_CHECK(cudaMalloc(&dGradient, bytes));
  CUDA_CHECK(cudaMalloc(&dLosses, rows * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dLabels, rows * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dTotal, sizeof(double)));
  CUDA_CHECK(cudaMemcpy(dLogits, logits.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dLabels, labels.data(), rows * sizeof(int),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(dTotal, 0, sizeof(double)));

  crossEntropy<<<(rows + 127) / 128, 128>>>(dLogits, dLabels, dLosses,
                                            dGradient, dTotal, rows);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(losses.data(), dLosses, rows * sizeof(float),
                        cudaMemcpyDeviceToHost));
  CUDA_CHECK(
      cudaMemcpy(gradient.data(), dGradient, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(
      cudaMemcpy(&total, dTotal, sizeof(double), cudaMemcpyDeviceToHost));

  printf("mean loss %.6e\n", total);
  printResult("losses", losses);
  // The gradient's sum is zero but for rounding: its size says more.
  std::vector<float> size(gradient);
  for (float &g : size)
    g = fabsf(g) * rows;
  printResult("gradient", size);
  if (check) {
    double worst = 0, mean = 0;
    for (int r = 0; r < rows; r++) {
      double sum = 0;
      const float *row = &logits[(size_t)r * CLASSES];
      for (int c = 0; c < CLASSES; c++)
        sum += exp(row[c]);
      double loss = log(sum) - row[labels[r]];
      mean += loss / rows;
      worst = std::max(worst, relativeError(losses[r], loss));
      for (int c = r % 13; c < CLASSES; c += 13) {
        double want = exp(row[c]) / sum - (c == labels[r]);
        double got = (double)gradient[(size_t)r * CLASSES + c] * rows;
        worst = std::max(worst, relativeError(got, want));
      }
    }
    worst = std::max(worst, relativeError(total, mean));
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dLogits));
  CUDA_CHECK(cudaFree(dGradient));
  CUDA_CHECK(cudaFree(dLosses));
  CUDA_CHECK(cudaFree(dLabels));
  CUDA_CHECK(cudaFree(dTotal));
  return 0;
}

// Inclusive prefix sums as an expert writes them: one pass over the data. Each
// tile's sum is published; each block looks back over the tiles before until it
// finds a whole prefix (decoupled look-back, Merrill and Garland 2016). The
// state carries the number of the run, so that nothing has to be cleared.
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

constexpr int THREADS = 512, WARPS = THREADS / 32, PARTS = 8; // uint4 a thread
constexpr int WARP_ITEMS = 32 * 4 * PARTS, TILE = WARPS * WARP_ITEMS;

// State of a tile: the sum in the lower half; above it 4 * run + what it is.
constexpr unsigned int SUM = 1, PREFIX = 2;

__device__ unsigned int warpScan(unsigned int v, int lane) {
#pragma unroll
  for (int s = 1; s < 32; s *= 2) {
    unsigned int before = __shfl_up_sync(0xffffffffu, v, s);
    if (lane >= s)
      v += before;
  }
  return v;
}

__device__ void publish(unsigned long long *state, unsigned int run,
                        unsigned int what, unsigned int sum) {
  unsigned long long word = (unsigned long long)(4 * run + what) << 32 | sum;
  // One word: who sees the state sees the sum.
  *reinterpret_cast<volatile unsigned long long *>(state) = word;
}

// The sum of all tiles before TILE, by the whole block: a thread has a tile, so
// that one look is enough for the THREADS tiles before.
__device__ unsigned int lookBack(unsigned long long *states, int tile,
                                 unsigned int run) {
  __shared__ unsigned int parts[WARPS], ends[WARPS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned int sum = 0;
  for (int last = tile - 1;; last -= THREADS) {
    int at = last - (int)threadIdx.x; // the nearest tile in thread 0
    unsigned int what = PREFIX, value = 0;
    if (at >= 0) {
      volatile unsigned long long *state = states + at;
      unsigned long long word;
      do {
        word = *state;
      } while ((unsigned int)(word >> 34) != run);
      what = (unsigned int)(word >> 32) & 3, value = (unsigned int)word;
    }
    // Lanes up to the nearest prefix count.
    unsigned int prefixes = __ballot_sync(0xffffffffu, what == PREFIX);
    int stop = prefixes ? __ffs(prefixes) - 1 : 31;
    unsigned int part = lane <= stop ? value : 0;
    for (int s = 16; s > 0; s /= 2)
      part += __shfl_xor_sync(0xffffffffu, part, s);
    if (lane == 0)
      parts[warp] = part, ends[warp] = prefixes;
    __syncthreads();
    bool ended = false;
    for (int w = 0; w < WARPS && !ended; w++) {
      sum += parts[w];
      ended = ends[w] != 0;
    }
    if (ended)
      return sum;
    __syncthreads();
  }
}

__device__ uint4 load4(const unsigned int *__restrict__ in, int at, int n) {
  if (at + 3 < n)
    return *reinterpret_cast<const uint4 *>(in + at);
  return make_uint4(at < n ? in[at] : 0, at + 1 < n ? in[at + 1] : 0,
                    at + 2 < n ? in[at + 2] : 0, 0);
}

__device__ void store4(unsigned int *out, int at, int n, uint4 v) {
  if (at + 3 < n) {
    *reinterpret_cast<uint4 *>(out + at) = v;
    return;
  }
  if (at < n)
    out[at] = v.x;
  if (at + 1 < n)
    out[at + 1] = v.y;
  if (at + 2 < n)
    out[at + 2] = v.z;
}

// RUN counts from 1, and so do the tickets go on from run to run.
__global__ void __launch_bounds__(THREADS)
    scan(const unsigned int *__restrict__ in, unsigned int *__restrict__ out,
         unsigned long long *states, unsigned int *tickets, unsigned int run,
         int n) {
  __shared__ unsigned int warpSums[WARPS];
  __shared__ int ticket;
  if (threadIdx.x == 0) // in the order in which blocks start
    ticket = atomicAdd(tickets, 1u) - (run - 1) * gridDim.x;
  __syncthreads();
  int tile = ticket, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int first = tile * TILE + warp * WARP_ITEMS + 4 * lane;
  uint4 v[PARTS];
#pragma unroll
  for (int p = 0; p < PARTS; p++)
    v[p] = load4(in, first + p * 128, n);
  unsigned int sum = 0; // of the warp's parts so far
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    v[p].y += v[p].x, v[p].z += v[p].y, v[p].w += v[p].z;
    unsigned int upTo = warpScan(v[p].w, lane);
    unsigned int offset = sum + upTo - v[p].w;
    v[p].x += offset, v[p].y += offset, v[p].z += offset, v[p].w += offset;
    sum += __shfl_sync(0xffffffffu, upTo, 31);
  }
  if (lane == 0)
    warpSums[warp] = sum;
  __syncthreads();
  unsigned int all = 0, offset = 0;
  for (int w = 0; w < WARPS; w++) {
    offset += w < warp ? warpSums[w] : 0;
    all += warpSums[w];
  }
  if (threadIdx.x == 0)
    publish(states + tile, run, tile > 0 ? SUM : PREFIX, all);
  if (tile > 0) {
    unsigned int earlier = lookBack(states, tile, run);
    if (threadIdx.x == 0)
      publish(states + tile, run, PREFIX, earlier + all);
    offset += earlier;
  }
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    v[p].x += offset, v[p].y += offset, v[p].z += offset, v[p].w += offset;
    store4(out, first + p * 128, n, v[p]);
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

static void printResult(const char *name, const std::vector<unsigned int> &v) {
  double sum = 0, weighted = 0;
  unsigned int low = v[0], high = v[0];
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

int main(int argc, char **argv) {
  int n = 1 << 22;
  bool check = false;
  parseArgs(argc, argv, 1 << 27, &n, &check);

  std::vector<unsigned int> values(n), scanned(n);
  Lcg random;
  for (unsigned int &v : values)
    v = random.bits() % 20;

  int tiles = (n + TILE - 1) / TILE;
  size_t bytes = n * sizeof(unsigned int);
  unsigned int *dIn, *dOut, *dTickets;
  unsigned long long *dStates;
  CUDA_CHECK(cudaMalloc(&dIn, bytes));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  CUDA_CHECK(cudaMalloc(&dTickets, sizeof(unsigned int)));
  CUDA_CHECK(cudaMalloc(&dStates, tiles * sizeof(unsigned long long)));
  CUDA_CHECK(cudaMemset(dTickets, 0, sizeof(unsigned int)));
  CUDA_CHECK(cudaMemset(dStates, 0, tiles * sizeof(unsigned long long)));
  CUDA_CHECK(cudaMemcpy(dIn, values.data(), bytes, cudaMemcpyHostToDevice));

  for (int run = 0; run < 3; run++) {
    scan<<<tiles, THREADS>>>(dIn, dOut, dStates, dTickets, run + 1, n);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaMemcpy(scanned.data(), dOut, bytes, cudaMemcpyDeviceToHost));

  printResult("scan", scanned);
  if (check) {
    // Integers: all must be equal.
    double worst = 0;
    unsigned int sum = 0;
    for (int i = 0; i < n; i++) {
      sum += values[i];
      if (scanned[i] != sum)
        worst = 1;
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
  CUDA_CHECK(cudaFree(dTickets));
  CUDA_CHECK(cudaFree(dStates));
  return 0;
}

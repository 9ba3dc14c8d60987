// Merges pairs of sorted runs: each element finds its place by a binary search
// in the other run.
#include "../corpus.h"

__global__ void mergeRuns(const int *in, int *out, int n, int run) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int pair = i / (2 * run) * (2 * run);
  int mid = min(pair + run, n);
  int end = min(pair + 2 * run, n);
  bool first = i < mid;
  int lo = first ? mid : pair;
  int hi = first ? end : mid;
  int start = lo;
  while (lo < hi) {
    int m = (lo + hi) / 2;
    if (in[m] < in[i] || (!first && in[m] == in[i]))
      lo = m + 1;
    else
      hi = m;
  }
  int own = first ? i - pair : i - mid;
  out[pair + own + (lo - start)] = in[i];
}

int main(int argc, char **argv) {
  int n = 4000000, run = 256;
  corpus::parseSize(argc, argv, "--n", &n, 1500);
  corpus::parseSize(argc, argv, "--run", &run, 64);
  std::vector<int> values(n);
  corpus::Lcg random(1);
  for (int i = 0; i < n; i++) // rising by chance within each run
    values[i] = (i % run ? values[i - 1] : 0) + random.bits() % 100;
  int *a, *b;
  CUDA_CHECK(cudaMalloc(&a, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&b, n * sizeof(int)));
  CUDA_CHECK(
      cudaMemcpy(a, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  for (int pass = 0; pass < 4; pass++) {
    mergeRuns<<<(n + 255) / 256, 256>>>(a, b, n, run << pass);
    std::swap(a, b);
  }
  corpus::printChecksum("merged", a, n);
  cudaFree(a);
  cudaFree(b);
}

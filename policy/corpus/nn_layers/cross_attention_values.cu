// Weighted sum of values in cross-attention: a block a query, a thread a
// feature; weights of padded keys are skipped by a length per sample.
#include "../corpus.h"

__global__ void weightedValues(const float *weights, const float *values,
                               const int *lengths, float *out, int queries,
                               int keys, int dim) {
  int query = blockIdx.x, sample = blockIdx.y;
  int d = threadIdx.x;
  if (d >= dim)
    return;
  size_t o = ((size_t)sample * queries + query) * dim + d;
  out[o] = 0.0f;
  for (int k = 0; k < keys; k++) {
    if (k < lengths[sample])
      out[o] += weights[((size_t)sample * queries + query) * keys + k] *
                values[((size_t)sample * keys + k) * dim + d];
  }
}

int main(int argc, char **argv) {
  int samples = 16, queries = 200, keys = 300, dim = 128;
  corpus::parseSize(argc, argv, "--samples", &samples, 2);
  corpus::parseSize(argc, argv, "--queries", &queries, 9);
  corpus::parseSize(argc, argv, "--keys", &keys, 14);
  corpus::parseSize(argc, argv, "--dim", &dim, 40);
  size_t nw = (size_t)samples * queries * keys,
         nv = (size_t)samples * keys * dim;
  size_t no = (size_t)samples * queries * dim;
  float *weights, *values, *out;
  int *lengths;
  CUDA_CHECK(cudaMalloc(&weights, nw * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&values, nv * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, no * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&lengths, samples * sizeof(int)));
  corpus::fill(weights, nw, 0.0, 0.01, 6);
  corpus::fill(values, nv, 0.0, 1.0, 7);
  corpus::fill(lengths, samples, keys / 2, keys, 8);
  int threads = std::min((dim + 31) / 32 * 32, 1024);
  dim3 grid(queries, samples);
  for (int i = 0; i < 3; i++)
    weightedValues<<<grid, threads>>>(weights, values, lengths, out, queries,
                                      keys, dim);
  corpus::printChecksum("out", out, no);
  cudaFree(weights);
  cudaFree(values);
  cudaFree(out);
  cudaFree(lengths);
}

// Mean of the embedding rows that each bag names; bags of uneven length given
// by offsets; one thread per bag and feature.
#include "../corpus.h"

__global__ void embeddingBag(float *table, int *indices, int *offsets,
                             float *out, int bags, int dim) {
  int feature = blockIdx.x * blockDim.x + threadIdx.x;
  int bag = blockIdx.y * blockDim.y + threadIdx.y;
  if (bag >= bags || feature >= dim)
    return;
  out[bag * dim + feature] = 0;
  for (int k = offsets[bag]; k < offsets[bag + 1]; k++)
    out[bag * dim + feature] += table[indices[k] * dim + feature];
  if (offsets[bag + 1] > offsets[bag])
    out[bag * dim + feature] /= (float)(offsets[bag + 1] - offsets[bag]);
}

int main(int argc, char **argv) {
  int bags = 20000, dim = 96, vocabulary = 100000;
  corpus::parseSize(argc, argv, "--bags", &bags, 50);
  corpus::parseSize(argc, argv, "--dim", &dim, 40);
  corpus::parseSize(argc, argv, "--vocabulary", &vocabulary, 300);
  std::vector<int> ends(bags + 1, 0);
  corpus::Lcg random(5);
  for (int b = 0; b < bags; b++)
    ends[b + 1] = ends[b] + random.bits() % 15;
  int total = std::max(ends[bags], 1);
  float *table, *out;
  int *indices, *offsets;
  CUDA_CHECK(cudaMalloc(&table, sizeof(float) * vocabulary * dim));
  CUDA_CHECK(cudaMalloc(&out, sizeof(float) * bags * dim));
  CUDA_CHECK(cudaMalloc(&indices, sizeof(int) * total));
  CUDA_CHECK(cudaMalloc(&offsets, sizeof(int) * (bags + 1)));
  CUDA_CHECK(cudaMemcpy(offsets, ends.data(), sizeof(int) * (bags + 1),
                        cudaMemcpyHostToDevice));
  corpus::fill(table, (size_t)vocabulary * dim, -1.0, 1.0, 1);
  corpus::fill(indices, total, 0, vocabulary, 2);
  dim3 block(32, 8), grid((dim + 31) / 32, (bags + 7) / 8);
  for (int i = 0; i < 3; i++)
    embeddingBag<<<grid, block>>>(table, indices, offsets, out, bags, dim);
  corpus::printChecksum("bags", out, (size_t)bags * dim);
  cudaFree(table);
  cudaFree(out);
  cudaFree(indices);
  cudaFree(offsets);
}

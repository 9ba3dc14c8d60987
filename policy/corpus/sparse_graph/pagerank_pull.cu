// A step of PageRank: each page pulls the rank of the pages that link to it.
#include "../corpus.h"

__global__ void pull(const int *begin, const int *source, const int *outDegree,
                     float *rank, float *next, int pages, float damping) {
  int page = blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= pages)
    return;
  float sum = 0.0;
  for (int e = begin[page]; e < begin[page + 1]; e++)
    sum += rank[source[e]] / outDegree[source[e]];
  next[page] = (1.0 - damping) / pages + damping * sum;
}

int main(int argc, char **argv) {
  int pages = 300000, links = 12;
  corpus::parseSize(argc, argv, "--pages", &pages, 300);
  corpus::parseSize(argc, argv, "--links", &links, 6);
  std::vector<int> begins(pages + 1), sources, degree(pages, 1);
  corpus::Lcg random(3);
  for (int p = 0; p < pages; p++) {
    begins[p] = (int)sources.size();
    for (int k = random.bits() % (2 * links); k > 0; k--) {
      sources.push_back(random.bits() % pages);
      degree[sources.back()]++;
    }
  }
  begins[pages] = (int)sources.size();
  int *begin, *source, *outDegree;
  float *rank, *next;
  CUDA_CHECK(cudaMalloc(&begin, begins.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&source, sources.size() * sizeof(int) + 4));
  CUDA_CHECK(cudaMalloc(&outDegree, pages * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&rank, pages * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&next, pages * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(begin, begins.data(), begins.size() * sizeof(int),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(source, sources.data(), sources.size() * sizeof(int),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(outDegree, degree.data(), pages * sizeof(int),
                        cudaMemcpyHostToDevice));
  corpus::fill(rank, pages, 0.0, 1.0, 4);
  for (int step = 0; step < 4; step++) {
    pull<<<(pages + 127) / 128, 128>>>(begin, source, outDegree, rank, next,
                                       pages, 0.85f);
    std::swap(rank, next);
  }
  corpus::printChecksum("rank", rank, pages);
  cudaFree(begin);
  cudaFree(source);
  cudaFree(outDegree);
  cudaFree(rank);
  cudaFree(next);
}

// Rounds of substitution and mixing on 32-bit words, four table reads a round.
#include "../corpus.h"

#include <cstdint>

__global__ void substitute(const uint32_t *in, const uint32_t *box,
                           const uint32_t *key, uint32_t *out, int words,
                           int rounds) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= words)
    return;
  uint32_t s = in[w];
  for (int r = 0; r < rounds; r++) {
    s ^= key[r];
    uint32_t a = box[s & 0xff], b = box[256 + ((s >> 8) & 0xff)];
    uint32_t c = box[512 + ((s >> 16) & 0xff)], d = box[768 + (s >> 24)];
    s = ((a + b) ^ c) + d;
  }
  out[w] = s;
}

int main(int argc, char **argv) {
  int words = 4000000, rounds = 10;
  corpus::parseSize(argc, argv, "--n", &words, 1500);
  corpus::parseSize(argc, argv, "--rounds", &rounds, 10);
  std::vector<uint32_t> keys(rounds);
  for (int r = 0; r < rounds; r++)
    keys[r] = 0x9e3779b9u * (r + 1);
  uint32_t *in, *box, *key, *out;
  CUDA_CHECK(cudaMalloc(&in, words * sizeof(uint32_t)));
  CUDA_CHECK(cudaMalloc(&out, words * sizeof(uint32_t)));
  CUDA_CHECK(cudaMalloc(&box, 1024 * sizeof(uint32_t)));
  CUDA_CHECK(cudaMalloc(&key, rounds * sizeof(uint32_t)));
  corpus::fill(in, words, 0.0, 4294967296.0, 1);
  corpus::fill(box, 1024, 0.0, 4294967296.0, 2);
  CUDA_CHECK(cudaMemcpy(key, keys.data(), rounds * sizeof(uint32_t),
                        cudaMemcpyHostToDevice));
  int threads = 192;
  for (int i = 0; i < 3; i++) {
    substitute<<<(words + threads - 1) / threads, threads>>>(in, box, key, out,
                                                             words, rounds);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("out", out, words);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(box));
  CUDA_CHECK(cudaFree(key));
  CUDA_CHECK(cudaFree(out));
  return 0;
}

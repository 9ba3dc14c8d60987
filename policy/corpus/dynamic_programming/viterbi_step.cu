// Steps of the Viterbi algorithm for a batch of sequences: a thread for each
// sequence and state looks at all states before.
#include "../corpus.h"

__global__ void viterbi(float *score, float *next, float *transition,
                        float *emission, int *from, int states, int batch) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  int b = blockIdx.y;
  if (s < states && b < batch) {
    float best = -1e30f;
    int arg = 0;
    for (int p = 0; p < states; p++) {
      float candidate = score[b * states + p] + transition[p * states + s];
      if (candidate > best) {
        best = candidate;
        arg = p;
      }
    }
    next[b * states + s] = best + emission[b * states + s];
    from[b * states + s] = arg;
  }
}

int main(int argc, char **argv) {
  int states = 256, batch = 2000;
  corpus::parseSize(argc, argv, "--states", &states, 23);
  corpus::parseSize(argc, argv, "--batch", &batch, 7);
  size_t n = (size_t)states * batch;
  float *score, *next, *transition, *emission;
  int *from;
  CUDA_CHECK(cudaMalloc(&score, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&next, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&emission, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&from, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&transition, sizeof(float) * states * states));
  corpus::fill(score, n, -4.0, 0.0, 1);
  corpus::fill(emission, n, -6.0, 0.0, 2);
  corpus::fill(transition, (size_t)states * states, -5.0, 0.0, 3);
  dim3 grid((states + 63) / 64, batch);
  for (int t = 0; t < 4; t++) {
    viterbi<<<grid, 64>>>(score, next, transition, emission, from, states,
                          batch);
    std::swap(score, next);
  }
  corpus::printChecksum("score", score, n);
  corpus::printChecksum("from", from, n);
  cudaFree(score);
  cudaFree(next);
  cudaFree(transition);
  cudaFree(emission);
  cudaFree(from);
}

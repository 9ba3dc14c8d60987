// Weighted loss of each sample: weight and threshold of its class from two
// small tables that few threads of a warp read at the same place.
#include "../corpus.h"

__global__ void weightedLoss(float *score, int *target, float *classWeight,
                             float *threshold, float *loss, int samples) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s < samples) {
    loss[s] = 0.0f;
    if (score[s] < threshold[target[s]])
      loss[s] =
          classWeight[target[s]] * pow(threshold[target[s]] - score[s], 2.0);
  }
}

int main(int argc, char **argv) {
  int samples = 6000000, classes = 80;
  corpus::parseSize(argc, argv, "--n", &samples, 3000);
  corpus::parseSize(argc, argv, "--classes", &classes, 11);
  float *score, *classWeight, *threshold, *loss;
  int *target;
  CUDA_CHECK(cudaMalloc(&score, samples * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&loss, samples * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&target, samples * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&classWeight, classes * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&threshold, classes * sizeof(float)));
  corpus::fill(score, samples, 0.0, 1.0, 1);
  corpus::fill(target, samples, 0, classes, 2);
  corpus::fill(classWeight, classes, 0.5, 5.0, 3);
  corpus::fill(threshold, classes, 0.2, 0.8, 4);
  for (int i = 0; i < 5; i++)
    weightedLoss<<<(samples + 511) / 512, 512>>>(score, target, classWeight,
                                                 threshold, loss, samples);
  corpus::printChecksum("loss", loss, samples);
  cudaFree(score);
  cudaFree(classWeight);
  cudaFree(threshold);
  cudaFree(loss);
  cudaFree(target);
}

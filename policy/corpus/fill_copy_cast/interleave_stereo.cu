// Two float channels to interleaved 16-bit samples.
#include "../corpus.h"

__global__ void interleave(float *left, float *right, short *frames, float gain,
                           int samples) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < samples) {
    frames[2 * i] = (short)(left[i] * gain * 32767.0);
    frames[2 * i + 1] = (short)(right[i] * gain * 32767.0);
  }
}

int main(int argc, char **argv) {
  int samples = 9000000;
  corpus::parseSize(argc, argv, "--n", &samples, 2801);
  float *left, *right;
  short *frames;
  CUDA_CHECK(cudaMalloc(&left, samples * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&right, samples * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&frames, 2 * (size_t)samples * sizeof(short)));
  corpus::fill(left, samples, -1.0, 1.0, 1);
  corpus::fill(right, samples, -1.0, 1.0, 2);
  dim3 block(256);
  dim3 grid((samples + block.x - 1) / block.x);
  for (int i = 0; i < 4; i++)
    interleave<<<grid, block>>>(left, right, frames, 0.8f, samples);
  corpus::printChecksum("frames", frames, 2 * (size_t)samples);
  cudaFree(left);
  cudaFree(right);
  cudaFree(frames);
  return 0;
}

// Global average pooling, NHWC to NC: a thread a sample and channel, with the
// mean in global memory.
#include "../corpus.h"

__global__ void globalAverage(float *in, float *out, int N, int HW, int C) {
  int c = threadIdx.x + blockIdx.x * blockDim.x;
  int n = blockIdx.y;
  if (c < C) {
    out[n * C + c] = 0.0f;
    for (int p = 0; p < HW; p++)
      out[n * C + c] += in[(n * HW + p) * C + c];
    out[n * C + c] /= HW;
  }
}

int main(int argc, char **argv) {
  int N = 64, HW = 14 * 14, C = 1024;
  corpus::parseSize(argc, argv, "--n", &N, 3);
  corpus::parseSize(argc, argv, "--pixels", &HW, 25);
  corpus::parseSize(argc, argv, "--channels", &C, 70);
  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, sizeof(float) * N * HW * C));
  CUDA_CHECK(cudaMalloc(&out, sizeof(float) * N * C));
  corpus::fill(in, (size_t)N * HW * C, 0.0, 1.0, 11);
  dim3 grid((C + 127) / 128, N);
  for (int i = 0; i < 4; i++)
    globalAverage<<<grid, 128>>>(in, out, N, HW, C);
  corpus::printChecksum("average", out, (size_t)N * C);
  cudaFree(in);
  cudaFree(out);
}

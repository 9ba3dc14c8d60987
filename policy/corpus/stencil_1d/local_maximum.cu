// Peaks of many traces: a sample is a peak if it is the largest within RADIUS
// on both sides of it, inside its own trace. One trace per block row.
#include "../corpus.h"

const int RADIUS = 7;

__global__ void findPeaks(float *traces, unsigned char *isPeak, int length,
                          int numTraces) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  int trace = blockIdx.y;
  if (s >= length || trace >= numTraces)
    return;
  bool peak = true;
  for (int d = 1; d <= RADIUS; d++) {
    if (s - d >= 0 &&
        traces[trace * length + s - d] > traces[trace * length + s])
      peak = false;
    if (s + d < length &&
        traces[trace * length + s + d] >= traces[trace * length + s])
      peak = false;
  }
  isPeak[trace * length + s] = peak ? 1 : 0;
}

int main(int argc, char **argv) {
  int length = 10000, numTraces = 600;
  corpus::parseSize(argc, argv, "--length", &length, 777);
  corpus::parseSize(argc, argv, "--traces", &numTraces, 3);
  size_t total = (size_t)length * numTraces;
  float *traces;
  unsigned char *isPeak;
  CUDA_CHECK(cudaMalloc(&traces, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&isPeak, total));
  corpus::fill(traces, total, 0.0, 1.0, 23);
  dim3 grid((length + 255) / 256, numTraces);
  for (int i = 0; i < 3; i++)
    findPeaks<<<grid, 256>>>(traces, isPeak, length, numTraces);
  corpus::printChecksum("peaks", isPeak, total);
  cudaFree(traces);
  cudaFree(isPeak);
  return 0;
}

// Complex FIR filter with interleaved re/im samples and complex taps; the
// signal is zero before its start.
#include "../corpus.h"

struct cplx {
  float re;
  float im;
};

__global__ void fir(cplx *signal, cplx *taps, cplx *out, int samples,
                    int numTaps) {
  unsigned int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < samples) {
    cplx acc = {0.0f, 0.0f};
    for (int k = 0; k < numTaps; ++k) {
      if ((int)n - k >= 0) {
        cplx s = signal[n - k];
        acc.re += s.re * taps[k].re - s.im * taps[k].im;
        acc.im += s.re * taps[k].im + s.im * taps[k].re;
      }
    }
    out[n] = acc;
  }
}

int main(int argc, char **argv) {
  const int numTaps = 48;
  int samples = 2000000;
  corpus::parseSize(argc, argv, "--samples", &samples, 1500);
  cplx *signal, *taps, *out;
  CUDA_CHECK(cudaMalloc(&signal, samples * sizeof(cplx)));
  CUDA_CHECK(cudaMalloc(&out, samples * sizeof(cplx)));
  CUDA_CHECK(cudaMalloc(&taps, numTaps * sizeof(cplx)));
  corpus::fill((float *)signal, 2 * (size_t)samples, -1.0, 1.0, 5);
  corpus::fill((float *)taps, 2 * numTaps, -0.2, 0.2, 6);
  fir<<<(samples + 191) / 192, 192>>>(signal, taps, out, samples, numTaps);
  fir<<<(samples + 191) / 192, 192>>>(out, taps, signal, samples, numTaps);
  fir<<<(samples + 191) / 192, 192>>>(signal, taps, out, samples, numTaps);
  corpus::printChecksum("filtered", (float *)out, 2 * (size_t)samples);
  cudaFree(signal);
  cudaFree(taps);
  cudaFree(out);
}

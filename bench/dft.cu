// Discrete Fourier transform of real signals, by definition, then the power
// spectrum; a thread per frequency, a block row per signal.
// Naive: sine and cosine for each term, the angle in double, both sums in
// global memory as a structure of two floats.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              cudaGetErrorString(err));                                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define SIGNALS 8

struct Complex {
  float re, im;
};

__global__ void dft(float *signals, Complex *spectrum, int n) {
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  int s = blockIdx.y;
  if (f >= n)
    return;
  Complex *out = &spectrum[s * n + f];
  out->re = 0;
  out->im = 0;
  for (int t = 0; t < n; t++) {
    float angle = -2.0 * 3.14159265358979 * ((long long)f * t % n) / n;
    out->re += signals[s * n + t] * cosf(angle);
    out->im += signals[s * n + t] * sinf(angle);
  }
}

__global__ void power(Complex *spectrum, float *power, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    power[i] = powf(spectrum[i].re, 2) + powf(spectrum[i].im, 2.0f);
}

// Small deterministic generator: the same numbers on every machine.
struct Lcg {
  unsigned state = 12345u;
  unsigned bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  float uniform() { return bits() * (1.0f / 16777216.0f); } // [0, 1)
};

static void parseArgs(int argc, char **argv, int maxSize, int *size,
                      bool *check) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--check") == 0) {
      *check = true;
      continue;
    }
    char *end = nullptr;
    long value = strtol(argv[i], &end, 10);
    if (end == argv[i] || *end != '\0' || value < 1 || value > maxSize) {
      fprintf(stderr, "usage: %s [SIZE, 1 to %d] [--check]\n", argv[0],
              maxSize);
      exit(2);
    }
    *size = (int)value;
  }
}

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

int main(int argc, char **argv) {
  int n = 2048;
  bool check = false;
  parseArgs(argc, argv, 1 << 14, &n, &check);

  int count = SIGNALS * n;
  std::vector<float> signals(count), result(count);
  Lcg random;
  for (int i = 0; i < count; i++) // a pulse train and noise
    signals[i] = 4.0f * (i % 5 == 0) + random.uniform();

  float *dSignals, *dPower;
  Complex *dSpectrum;
  CUDA_CHECK(cudaMalloc(&dSignals, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dSpectrum, count * sizeof(Complex)));
  CUDA_CHECK(cudaMalloc(&dPower, count * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dSignals, signals.data(), count * sizeof(float),
                        cudaMemcpyHostToDevice));

  dim3 grid((n + 127) / 128, SIGNALS);
  dft<<<grid, 128>>>(dSignals, dSpectrum, n);
  power<<<(count + 255) / 256, 256>>>(dSpectrum, dPower, count);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(result.data(), dPower, count * sizeof(float),
                        cudaMemcpyDeviceToHost));

  double total = 0;
  for (float p : result)
    total += p;
  printf("power total %.6e first %.6e\n", total, (double)result[0]);
  if (check) {
    // Some frequencies by definition; an error counts beside the mean power.
    double worst = 0, mean = total / count;
    for (int i = 0; i < count; i += 1 + count / 200) {
      int s = i / n, f = i % n;
      double re = 0, im = 0;
      for (int t = 0; t < n; t++) {
        double angle = 2.0 * 3.14159265358979 * ((long long)f * t % n) / n;
        re += signals[s * n + t] * cos(angle);
        im -= signals[s * n + t] * sin(angle);
      }
      double want = re * re + im * im;
      worst = std::max(worst, relativeError(result[i] + mean, want + mean));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dSignals));
  CUDA_CHECK(cudaFree(dSpectrum));
  CUDA_CHECK(cudaFree(dPower));
  return 0;
}

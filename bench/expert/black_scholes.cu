// European option prices as an expert writes it: four options a thread, their
// three float4 read whole; each function once for call and put, which share the
// rest by symmetry; divisions and the square root as approximate reciprocals.
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

constexpr int THREADS = 128;

struct Option {
  float spot, strike, years;
};

__device__ float normalCdf(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

__device__ void price(Option o, float drift, float rate, float volatility,
                      float &call, float &put) {
  float perRoot = rsqrtf(o.years), root = o.years * perRoot;
  float d1 = (logf(__fdividef(o.spot, o.strike)) + drift * o.years) *
             __fdividef(perRoot, volatility);
  float d2 = d1 - volatility * root;
  float discounted = o.strike * __expf(-rate * o.years);
  float value = o.spot * normalCdf(d1) - discounted * normalCdf(d2);
  call = value;
  put = value - o.spot + discounted; // parity
}

__global__ void __launch_bounds__(THREADS)
    priceOptions(const Option *__restrict__ options, float *__restrict__ call,
                 float *__restrict__ put, float rate, float volatility, int n) {
  float drift = rate + volatility * volatility / 2;
  int i = (blockIdx.x * THREADS + threadIdx.x) * 4;
  if (i + 3 < n) {
    const float4 *from = reinterpret_cast<const float4 *>(options + i);
    float4 a = __ldcs(from), b = __ldcs(from + 1), c = __ldcs(from + 2);
    float4 calls, puts;
    price({a.x, a.y, a.z}, drift, rate, volatility, calls.x, puts.x);
    price({a.w, b.x, b.y}, drift, rate, volatility, calls.y, puts.y);
    price({b.z, b.w, c.x}, drift, rate, volatility, calls.z, puts.z);
    price({c.y, c.z, c.w}, drift, rate, volatility, calls.w, puts.w);
    __stcs(reinterpret_cast<float4 *>(call + i), calls);
    __stcs(reinterpret_cast<float4 *>(put + i), puts);
  } else {
    for (; i < n; i++)
      price(options[i], drift, rate, volatility, call[i], put[i]);
  }
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

static void printResult(const char *name, const std::vector<float> &v) {
  double sum = 0, weighted = 0;
  float low = v[0], high = v[0];
  for (size_t i = 0; i < v.size(); i++) {
    sum += v[i];
    weighted += (double)v[i] * (1 + i % 97);
    low = std::min(low, v[i]);
    high = std::max(high, v[i]);
  }
  printf("%s sum %.6e weighted %.6e min %.6e max %.6e\n", name, sum, weighted,
         low, high);
  printf("%s samples %.6e %.6e %.6e %.6e\n", name, v[0], v[v.size() / 3],
         v[v.size() / 2], v[v.size() - 1]);
}

// Prices are differences of terms of the size of the spot: compare relative
// to at least one unit of money.
static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1.0);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

static double referenceCdf(double d) { return 0.5 * erfc(-d / sqrt(2.0)); }

static double checkSample(const std::vector<Option> &options,
                          const std::vector<float> &call,
                          const std::vector<float> &put, double rate,
                          double volatility) {
  double worst = 0;
  size_t n = options.size();
  for (size_t i = 0; i < n; i += std::max<size_t>(1, n / 4096)) {
    double s = options[i].spot, k = options[i].strike, t = options[i].years;
    double d1 = (log(s / k) + (rate + volatility * volatility / 2) * t) /
                (volatility * sqrt(t));
    double d2 = d1 - volatility * sqrt(t);
    double discounted = k * exp(-rate * t);
    double wantCall = s * referenceCdf(d1) - discounted * referenceCdf(d2);
    double wantPut = discounted * referenceCdf(-d2) - s * referenceCdf(-d1);
    worst = std::max(worst, relativeError(call[i], wantCall));
    worst = std::max(worst, relativeError(put[i], wantPut));
  }
  return worst;
}

int main(int argc, char **argv) {
  int n = 8 * 1024 * 1024;
  bool check = false;
  parseArgs(argc, argv, 1 << 26, &n, &check);

  std::vector<Option> options(n);
  std::vector<float> call(n), put(n);
  Lcg random;
  for (Option &o : options) {
    o.spot = 80.0f + 40.0f * random.uniform();
    o.strike = 90.0f + 20.0f * random.uniform();
    o.years = 0.25f + 2.0f * random.uniform();
  }

  Option *dOptions;
  float *dCall, *dPut;
  CUDA_CHECK(cudaMalloc(&dOptions, n * sizeof(Option)));
  CUDA_CHECK(cudaMalloc(&dCall, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dPut, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dOptions, options.data(), n * sizeof(Option),
                        cudaMemcpyHostToDevice));

  const float rate = 0.02f, volatility = 0.3f;
  for (int run = 0; run < 10; run++) {
    priceOptions<<<(n + 4 * THREADS - 1) / (4 * THREADS), THREADS>>>(
        dOptions, dCall, dPut, rate, volatility, n);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(call.data(), dCall, n * sizeof(float),
                        cudaMemcpyDeviceToHost));
  CUDA_CHECK(
      cudaMemcpy(put.data(), dPut, n * sizeof(float), cudaMemcpyDeviceToHost));

  printResult("call", call);
  printResult("put", put);
  if (check) {
    double worst = checkSample(options, call, put, rate, volatility);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dOptions));
  CUDA_CHECK(cudaFree(dCall));
  CUDA_CHECK(cudaFree(dPut));
  return 0;
}

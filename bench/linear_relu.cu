// Two dense layers with bias and ReLU; activations are outputs x batch.
// Naive: one kernel each for product, bias and ReLU, the last two in place;
// the sum lives in global memory, starting from what was there before.
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

#define BLOCK 16

// C = alpha * W * X + beta * C
__global__ void gemm(float *W, float *X, float *C, int outputs, int inputs,
                     int batch, float alpha, float beta) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= outputs || col >= batch)
    return;
  C[row * batch + col] *= beta;
  for (int k = 0; k < inputs; k++)
    C[row * batch + col] += alpha * W[row * inputs + k] * X[k * batch + col];
}

__global__ void addBias(float *in, float *out, float *bias, int outputs,
                        int batch) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < outputs && col < batch)
    out[row * batch + col] = in[row * batch + col] + bias[row];
}

__global__ void relu(float *in, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = in[i] > 0.0 ? in[i] : 0.0;
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

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

int main(int argc, char **argv) {
  int width = 768;
  bool check = false;
  parseArgs(argc, argv, 4096, &width, &check);

  int batch = width + 2;
  size_t weights = (size_t)width * width, values = (size_t)width * batch;
  std::vector<float> W(weights), bias(width), X(values), Y(values);
  Lcg random;
  for (float &w : W)
    w = (random.uniform() - 0.25f) / width;
  for (float &b : bias)
    b = random.uniform() - 0.5f;
  for (float &x : X)
    x = random.uniform();

  float *dW, *dBias, *dX, *dY;
  CUDA_CHECK(cudaMalloc(&dW, weights * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dBias, width * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dX, values * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dY, values * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dW, W.data(), weights * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dBias, bias.data(), width * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(
      cudaMemcpy(dX, X.data(), values * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(dY, 0, values * sizeof(float)));

  // The second layer reads the first one's result and adds half of its input.
  dim3 block(BLOCK, BLOCK);
  dim3 grid((batch + BLOCK - 1) / BLOCK, (width + BLOCK - 1) / BLOCK);
  int count = width * batch, blocks = (count + 255) / 256;
  gemm<<<grid, block>>>(dW, dX, dY, width, width, batch, 1.0f, 0.0f);
  addBias<<<grid, block>>>(dY, dY, dBias, width, batch);
  relu<<<blocks, 256>>>(dY, dY, count);
  gemm<<<grid, block>>>(dW, dY, dX, width, width, batch, 2.0f, 0.5f);
  addBias<<<grid, block>>>(dX, dX, dBias, width, batch);
  relu<<<blocks, 256>>>(dX, dX, count);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(
      cudaMemcpy(Y.data(), dX, values * sizeof(float), cudaMemcpyDeviceToHost));

  printResult("Y", Y);
  if (check) {
    // Up to eight columns are computed whole, in double.
    double worst = 0;
    for (int c = 0; c < batch; c += std::max(1, batch / 8)) {
      std::vector<double> hidden(width);
      for (int r = 0; r < width; r++) {
        double sum = bias[r];
        for (int k = 0; k < width; k++)
          sum += (double)W[(size_t)r * width + k] * X[(size_t)k * batch + c];
        hidden[r] = std::max(sum, 0.0);
      }
      for (int r = 0; r < width; r++) {
        double sum = bias[r] + 0.5 * X[(size_t)r * batch + c];
        for (int k = 0; k < width; k++)
          sum += 2.0 * W[(size_t)r * width + k] * hidden[k];
        double error = Y[(size_t)r * batch + c] - std::max(sum, 0.0);
        worst = std::max(worst, relativeError(1.0 + error, 1.0));
      }
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dW));
  CUDA_CHECK(cudaFree(dBias));
  CUDA_CHECK(cudaFree(dX));
  CUDA_CHECK(cudaFree(dY));
  return 0;
}

// Adam: bias corrections by pow in each thread, weight decay, double literals.
#include "../corpus.h"

__global__ void adam(float *param, float *grad, float *m, float *v, int n,
                     int t, float lr, float beta1, float beta2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float g = grad[i] + 0.01 * param[i];
    m[i] = beta1 * m[i] + (1 - beta1) * g;
    v[i] = beta2 * v[i] + (1 - beta2) * g * g;
    float mHat = m[i] / (1.0 - pow(beta1, t));
    float vHat = v[i] / (1.0 - pow(beta2, t));
    param[i] -= lr * mHat / (sqrt(vHat) + 1e-8);
  }
}

int main(int argc, char **argv) {
  int n = 5000000;
  corpus::parseSize(argc, argv, "--n", &n, 2200);
  size_t bytes = n * sizeof(float);
  float *param, *grad, *m, *v;
  CUDA_CHECK(cudaMalloc(&param, bytes));
  CUDA_CHECK(cudaMalloc(&grad, bytes));
  CUDA_CHECK(cudaMalloc(&m, bytes));
  CUDA_CHECK(cudaMalloc(&v, bytes));
  CUDA_CHECK(cudaMemset(m, 0, bytes));
  CUDA_CHECK(cudaMemset(v, 0, bytes));
  corpus::fill(param, n, 0.5, 1.5, 1);
  corpus::fill(grad, n, 0.1, 0.3, 2);
  for (int t = 1; t <= 3; t++)
    adam<<<(n + 255) / 256, 256>>>(param, grad, m, v, n, t, 1e-3f, 0.9f,
                                   0.999f);
  corpus::printChecksum("param", param, n);
  corpus::printChecksum("v", v, n);
  cudaFree(param);
  cudaFree(grad);
  cudaFree(m);
  cudaFree(v);
}

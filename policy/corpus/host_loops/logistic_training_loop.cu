// Logistic regression by gradient descent: three kernels, a memset and a loss
// that is copied back in every epoch, each launch waited for.
#include "../corpus.h"

#define FEATURES 16

__global__ void predict(float *x, float *w, float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float z = 0.0f;
    for (int f = 0; f < FEATURES; f++)
      z += x[i * FEATURES + f] * w[f];
    p[i] = 1.0f / (1.0f + expf(-z));
  }
}

__global__ void gradient(float *x, float *p, float *label, float *grad,
                         float *loss, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int f = 0; f < FEATURES; f++)
      atomicAdd(&grad[f], (p[i] - label[i]) * x[i * FEATURES + f] / n);
    atomicAdd(loss, fabsf(p[i] - label[i]) / n);
  }
}

__global__ void descend(float *w, float *grad, float rate) {
  w[threadIdx.x] -= rate * grad[threadIdx.x];
}

int main(int argc, char **argv) {
  int n = 20000, epochs = 20;
  corpus::parseSize(argc, argv, "--n", &n, 130);
  corpus::parseSize(argc, argv, "--epochs", &epochs, 5);
  float *x, *w, *p, *label, *grad, *loss;
  CUDA_CHECK(cudaMalloc(&x, sizeof(float) * n * FEATURES));
  CUDA_CHECK(cudaMalloc(&w, sizeof(float) * FEATURES));
  CUDA_CHECK(cudaMalloc(&p, sizeof(float) * n));
  CUDA_CHECK(cudaMalloc(&label, sizeof(float) * n));
  CUDA_CHECK(cudaMalloc(&grad, sizeof(float) * FEATURES));
  CUDA_CHECK(cudaMalloc(&loss, sizeof(float)));
  corpus::fill(x, (size_t)n * FEATURES, -1.0, 1.0, 1);
  corpus::fill(w, FEATURES, -0.5, 0.5, 2);
  corpus::fill(label, n, 0.0, 1.0, 3);
  float last = 0;
  for (int epoch = 0; epoch < epochs; epoch++) {
    CUDA_CHECK(cudaMemset(grad, 0, sizeof(float) * FEATURES));
    CUDA_CHECK(cudaMemset(loss, 0, sizeof(float)));
    predict<<<(n + 127) / 128, 128>>>(x, w, p, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    gradient<<<(n + 127) / 128, 128>>>(x, p, label, grad, loss, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    descend<<<1, FEATURES>>>(w, grad, 0.5f);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(&last, loss, sizeof(float), cudaMemcpyDeviceToHost));
  }
  printf("loss: %.4f\n", last);
  corpus::printChecksum("w", w, FEATURES);
  cudaFree(x);
  cudaFree(w);
  cudaFree(p);
  cudaFree(label);
  cudaFree(grad);
  cudaFree(loss);
}

// Largest eigenvalue by power iteration: the norm goes to the host in each
// iteration, and comes back as a scale.
#include "../corpus.h"

__global__ void multiply(const float *A, const float *x, float *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
      sum += A[k * n + row] * x[k]; // symmetric, so the column will do
    y[row] = sum;
  }
}

__global__ void squares(const float *y, float *norm, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(norm, y[i] * y[i]);
}

__global__ void scale(const float *y, float *x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = y[i] * factor;
}

int main(int argc, char **argv) {
  int n = 1500;
  corpus::parseSize(argc, argv, "--n", &n, 40);
  std::vector<float> matrix((size_t)n * n);
  corpus::Lcg random(9);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      matrix[(size_t)i * n + j] = matrix[(size_t)j * n + i] =
          (float)random.uniform() / n;
  float *A, *x, *y, *norm;
  CUDA_CHECK(cudaMalloc(&A, matrix.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&norm, sizeof(float)));
  CUDA_CHECK(cudaMemcpy(A, matrix.data(), matrix.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
  corpus::fill(x, n, 0.5, 1.0, 2);
  int blocks = (n + 127) / 128;
  float eigenvalue = 0;
  for (int iteration = 0; iteration < 25; iteration++) {
    CUDA_CHECK(cudaMemset(norm, 0, sizeof(float)));
    multiply<<<blocks, 128>>>(A, x, y, n);
    squares<<<blocks, 128>>>(y, norm, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(
        cudaMemcpy(&eigenvalue, norm, sizeof(float), cudaMemcpyDeviceToHost));
    eigenvalue = std::sqrt(eigenvalue);
    scale<<<blocks, 128>>>(y, x, 1.0f / eigenvalue, n);
  }
  printf("eigenvalue: %.4f\n", eigenvalue);
  corpus::printChecksum("x", x, n);
  cudaFree(A);
  cudaFree(x);
  cudaFree(y);
  cudaFree(norm);
}

// SGD with Nesterov momentum; the gradient is clipped by a norm that is read
// from device memory, the loop is grid-stride, the parameters are a structure.
#include "../corpus.h"

struct Parameter {
  float value;
  float velocity;
};

__global__ void momentumStep(Parameter *p, const float *gradient,
                             const float *norm, size_t count, float rate,
                             float momentum, float limit) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
       i += (size_t)gridDim.x * blockDim.x) {
    float g = gradient[i];
    if (*norm > limit)
      g = g * limit / *norm;
    p[i].velocity = momentum * p[i].velocity + g;
    p[i].value = p[i].value - rate * (g + momentum * p[i].velocity);
  }
}

int main(int argc, char **argv) {
  int n = 6000000;
  corpus::parseSize(argc, argv, "--n", &n, 2300);
  Parameter *p;
  float *gradient, *norm;
  CUDA_CHECK(cudaMalloc(&p, n * sizeof(Parameter)));
  CUDA_CHECK(cudaMalloc(&gradient, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&norm, sizeof(float)));
  corpus::fill((float *)p, 2 * (size_t)n, 1.0, 2.0, 1);
  corpus::fill(gradient, n, -0.5, 0.5, 2);
  corpus::fill(norm, 1, 3.0, 4.0, 3);
  for (int step = 0; step < 4; step++)
    momentumStep<<<528, 256>>>(p, gradient, norm, n, 0.01f, 0.9f, 1.0f);
  corpus::printChecksum("parameters", (float *)p, 2 * (size_t)n);
  cudaFree(p);
  cudaFree(gradient);
  cudaFree(norm);
}

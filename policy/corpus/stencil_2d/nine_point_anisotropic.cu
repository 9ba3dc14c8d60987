// Anisotropic diffusion of a field with a 2 x 2 tensor: nine-point stencil with
// a mixed derivative; x index is the slow one in the launch.
#include "../corpus.h"

__global__ void diffuse(double *u, double *v, int nx, int ny, double dxx,
                        double dxy, double dyy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
    double uxx = u[(i + 1) * ny + j] - 2 * u[i * ny + j] + u[(i - 1) * ny + j];
    double uyy = u[i * ny + j + 1] - 2 * u[i * ny + j] + u[i * ny + j - 1];
    double uxy = (u[(i + 1) * ny + j + 1] - u[(i + 1) * ny + j - 1] -
                  u[(i - 1) * ny + j + 1] + u[(i - 1) * ny + j - 1]) /
                 4.0;
    v[i * ny + j] =
        u[i * ny + j] + 0.1 * (dxx * uxx + 2.0 * dxy * uxy + dyy * uyy);
  }
}

int main(int argc, char **argv) {
  int nx = 1500;
  corpus::parseSize(argc, argv, "--nx", &nx, 61);
  int ny = nx + 37;
  size_t cells = (size_t)nx * ny;
  double *u, *v;
  CUDA_CHECK(cudaMalloc(&u, cells * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&v, cells * sizeof(double)));
  corpus::fill(u, cells, 0.0, 1.0, 1);
  CUDA_CHECK(
      cudaMemcpy(v, u, cells * sizeof(double), cudaMemcpyDeviceToDevice));
  dim3 block(16, 16);
  dim3 grid((nx + 15) / 16, (ny + 15) / 16);
  diffuse<<<grid, block>>>(u, v, nx, ny, 1.0, 0.4, 0.6);
  diffuse<<<grid, block>>>(v, u, nx, ny, 1.0, 0.4, 0.6);
  diffuse<<<grid, block>>>(u, v, nx, ny, 1.0, 0.4, 0.6);
  diffuse<<<grid, block>>>(v, u, nx, ny, 1.0, 0.4, 0.6);
  corpus::printChecksum("field", u, cells);
  cudaFree(u);
  cudaFree(v);
}

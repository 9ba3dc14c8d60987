// out[k][j][i] = in[i][j][k], with a block of three dimensions.
#include "../corpus.h"

__global__ void reverseAxes(const float *in, float *out, int ni, int nj,
                            int nk) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int i = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < ni && j < nj && k < nk)
    out[(size_t)(k * nj + j) * ni + i] = in[(size_t)(i * nj + j) * nk + k];
}

int main(int argc, char **argv) {
  int ni = 200, nj = 160, nk = 240;
  corpus::parseSize(argc, argv, "--ni", &ni, 11);
  corpus::parseSize(argc, argv, "--nj", &nj, 9);
  corpus::parseSize(argc, argv, "--n", &nk, 18);
  size_t cells = (size_t)ni * nj * nk;

  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, cells * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, cells * sizeof(float)));
  corpus::fill(in, cells, 0.0, 1.0, 15);

  dim3 block(8, 8, 8);
  dim3 grid((nk + 7) / 8, (nj + 7) / 8, (ni + 7) / 8);
  for (int i = 0; i < 3; i++) {
    reverseAxes<<<grid, block>>>(in, out, ni, nj, nk);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("out", out, cells);
  cudaFree(in);
  cudaFree(out);
}

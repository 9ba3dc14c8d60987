// Potential of a sheet of charges at the points of a plane, accumulated term by
// term into the output; the charges are structures.
#include "../corpus.h"

struct Charge {
  float x, y, z, q;
};

__global__ void potential(Charge *charges, int count, float *field, int nx,
                          int ny, float spacing) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx && j < ny) {
    field[j * nx + i] = 0;
    for (int c = 0; c < count; c++) {
      float dx = i * spacing - charges[c].x;
      float dy = j * spacing - charges[c].y;
      field[j * nx + i] +=
          charges[c].q / sqrt(dx * dx + dy * dy + charges[c].z * charges[c].z);
    }
  }
}

int main(int argc, char **argv) {
  int nx = 512, ny = 400, count = 500;
  corpus::parseSize(argc, argv, "--n", &nx, 27);
  corpus::parseSize(argc, argv, "--ny", &ny, 13);
  corpus::parseSize(argc, argv, "--charges", &count, 30);
  Charge *charges;
  float *field;
  CUDA_CHECK(cudaMalloc(&charges, count * sizeof(Charge)));
  CUDA_CHECK(cudaMalloc(&field, (size_t)nx * ny * sizeof(float)));
  corpus::fill((float *)charges, (size_t)count * 4, 0.5, 20.0, 17);
  dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
  for (int i = 0; i < 3; i++) {
    potential<<<grid, block>>>(charges, count, field, nx, ny, 0.04f);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("field", field, (size_t)nx * ny);
  cudaFree(charges);
  cudaFree(field);
  return 0;
}

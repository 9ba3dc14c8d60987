// Curl of a vector field stored as an array of structures, central
// differences, periodic; one linear thread index.
#include "../corpus.h"

struct Vec3 {
  float x, y, z;
};

__global__ void curl(Vec3 *field, Vec3 *result, int n, float h) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n * n * n)
    return;
  int x = id % n;
  int y = (id / n) % n;
  int z = id / (n * n);
  int xp = (x + 1) % n, xm = (x - 1 + n) % n;
  int yp = (y + 1) % n, ym = (y - 1 + n) % n;
  int zp = (z + 1) % n, zm = (z - 1 + n) % n;
  result[id].x =
      ((field[z * n * n + yp * n + x].z - field[z * n * n + ym * n + x].z) -
       (field[zp * n * n + y * n + x].y - field[zm * n * n + y * n + x].y)) /
      (2.0f * h);
  result[id].y =
      ((field[zp * n * n + y * n + x].x - field[zm * n * n + y * n + x].x) -
       (field[z * n * n + y * n + xp].z - field[z * n * n + y * n + xm].z)) /
      (2.0f * h);
  result[id].z =
      ((field[z * n * n + y * n + xp].y - field[z * n * n + y * n + xm].y) -
       (field[z * n * n + yp * n + x].x - field[z * n * n + ym * n + x].x)) /
      (2.0f * h);
}

int main(int argc, char **argv) {
  int n = 150;
  corpus::parseSize(argc, argv, "--n", &n, 17);
  int cells = n * n * n;
  Vec3 *field, *result;
  CUDA_CHECK(cudaMalloc(&field, cells * sizeof(Vec3)));
  CUDA_CHECK(cudaMalloc(&result, cells * sizeof(Vec3)));
  corpus::fill((float *)field, 3 * (size_t)cells, -1.0, 1.0, 71);
  for (int r = 0; r < 3; r++)
    curl<<<(cells + 255) / 256, 256>>>(field, result, n, 0.5f);
  corpus::printChecksum("curl", (float *)result, 3 * (size_t)cells);
  cudaFree(field);
  cudaFree(result);
}

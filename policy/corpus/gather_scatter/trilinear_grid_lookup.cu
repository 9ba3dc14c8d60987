// Looks up points in a 3-D table with trilinear interpolation; the points are
// an array of structures.
#include "../corpus.h"

#define EDGE 96
#define CELL(x, y, z) table[((z) * EDGE + (y)) * EDGE + (x)]

__global__ void lookup(float *table, float3 *points, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int x = (int)points[i].x, y = (int)points[i].y, z = (int)points[i].z;
  float fx = points[i].x - x, fy = points[i].y - y, fz = points[i].z - z;
  values[i] =
      (1 - fz) *
          ((1 - fy) * ((1 - fx) * CELL(x, y, z) + fx * CELL(x + 1, y, z)) +
           fy * ((1 - fx) * CELL(x, y + 1, z) + fx * CELL(x + 1, y + 1, z))) +
      fz * ((1 - fy) *
                ((1 - fx) * CELL(x, y, z + 1) + fx * CELL(x + 1, y, z + 1)) +
            fy * ((1 - fx) * CELL(x, y + 1, z + 1) +
                  fx * CELL(x + 1, y + 1, z + 1)));
}

int main(int argc, char **argv) {
  int n = 2500000;
  corpus::parseSize(argc, argv, "--points", &n, 1111);
  float *table, *values;
  float3 *points;
  CUDA_CHECK(cudaMalloc(&table, EDGE * EDGE * EDGE * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&points, n * sizeof(float3)));
  CUDA_CHECK(cudaMalloc(&values, n * sizeof(float)));
  corpus::fill(table, EDGE * EDGE * EDGE, 0.0, 1.0, 1);
  corpus::fill((float *)points, 3 * (size_t)n, 0.0, EDGE - 1.001, 2);
  for (int i = 0; i < 4; i++)
    lookup<<<(n + 255) / 256, 256>>>(table, points, values, n);
  corpus::printChecksum("values", values, n);
  cudaFree(table);
  cudaFree(points);
  cudaFree(values);
}

// Broad phase of collisions: the cell of each sphere, spheres counted by cell,
// then for each sphere how many share its cell and the one to its right.
#include "../corpus.h"

struct Sphere {
  double cx, cy, cz, radius;
  int cell, close;
};

__global__ void findCells(Sphere *s, int *cells, int n, int side,
                          double cellSize) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int x = (int)(s[i].cx / cellSize) % side;
  int y = (int)(s[i].cy / cellSize) % side;
  int z = (int)(s[i].cz / cellSize) % side;
  s[i].cell = (z * side + y) * side + x;
  atomicAdd(&cells[s[i].cell], 1);
}

__global__ void countClose(Sphere *s, const int *cells, int n, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    s[i].close = cells[s[i].cell] - 1;
    if (s[i].cell + 1 < total)
      s[i].close += cells[s[i].cell + 1];
  }
}

int main(int argc, char **argv) {
  int n = 600000, side = 40;
  corpus::parseSize(argc, argv, "--spheres", &n, 500);
  corpus::parseSize(argc, argv, "--side", &side, 5);
  int total = side * side * side;
  std::vector<Sphere> spheres(n);
  corpus::Lcg random(4);
  for (Sphere &s : spheres)
    s = {random.uniform(), random.uniform(), random.uniform(), 0.01, 0, 0};
  Sphere *s;
  int *cells;
  CUDA_CHECK(cudaMalloc(&s, n * sizeof(Sphere)));
  CUDA_CHECK(cudaMalloc(&cells, total * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(s, spheres.data(), n * sizeof(Sphere),
                        cudaMemcpyHostToDevice));
  for (int step = 0; step < 3; step++) {
    CUDA_CHECK(cudaMemset(cells, 0, total * sizeof(int)));
    findCells<<<(n + 255) / 256, 256>>>(s, cells, n, side, 1.0 / side);
    countClose<<<(n + 255) / 256, 256>>>(s, cells, n, total);
  }
  CUDA_CHECK(cudaMemcpy(spheres.data(), s, n * sizeof(Sphere),
                        cudaMemcpyDeviceToHost));
  long close = 0, weighted = 0;
  for (int i = 0; i < n; i++) {
    close += spheres[i].close;
    weighted += spheres[i].close * (long)(1 + i % 97);
  }
  printf("close: %ld weighted %ld\n", close, weighted);
  cudaFree(s);
  cudaFree(cells);
}

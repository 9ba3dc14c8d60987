// Lattice Boltzmann, D2Q9: streaming by pull and BGK collision in one kernel;
// the nine populations of a cell lie side by side. Periodic.
#include "../corpus.h"

struct Cell {
  float f[9];
};

__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[9] = {4.0f / 9,  1.0f / 9,  1.0f / 9,
                                1.0f / 9,  1.0f / 9,  1.0f / 36,
                                1.0f / 36, 1.0f / 36, 1.0f / 36};

__global__ void streamCollide(Cell *from, Cell *to, int nx, int ny,
                              float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  float f[9], rho = 0, ux = 0, uy = 0;
  for (int k = 0; k < 9; k++) {
    int sx = (x - ex[k] + nx) % nx, sy = (y - ey[k] + ny) % ny;
    f[k] = from[sy * nx + sx].f[k];
    rho += f[k];
    ux += f[k] * ex[k];
    uy += f[k] * ey[k];
  }
  ux /= rho;
  uy /= rho;
  for (int k = 0; k < 9; k++) {
    float eu = ex[k] * ux + ey[k] * uy;
    float equilibrium =
        weight[k] * rho *
        (1.0 + 3.0 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
    to[y * nx + x].f[k] = f[k] - omega * (f[k] - equilibrium);
  }
}

int main(int argc, char **argv) {
  int nx = 1024, ny = 800;
  corpus::parseSize(argc, argv, "--nx", &nx, 37);
  corpus::parseSize(argc, argv, "--ny", &ny, 22);
  size_t cells = (size_t)nx * ny;
  Cell *a, *b;
  CUDA_CHECK(cudaMalloc(&a, cells * sizeof(Cell)));
  CUDA_CHECK(cudaMalloc(&b, cells * sizeof(Cell)));
  corpus::fill((float *)a, 9 * cells, 0.1, 0.12, 5);
  dim3 block(32, 4), grid((nx + 31) / 32, (ny + 3) / 4);
  for (int t = 0; t < 4; t++) {
    streamCollide<<<grid, block>>>(a, b, nx, ny, 1.2f);
    std::swap(a, b);
  }
  corpus::printChecksum("populations", (float *)a, 9 * cells);
  cudaFree(a);
  cudaFree(b);
}

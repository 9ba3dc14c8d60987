// Boris push of charged particles in fields of a grid (nearest cell), as in a
// particle-in-cell code; particles as structures of six floats.
#include "../corpus.h"

struct Ion {
  float x, y, z, vx, vy, vz;
};

__global__ void boris(Ion *ions, const float3 *E, const float3 *B, int n,
                      int cells, float qm, float dt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += blockDim.x * gridDim.x) {
    int cell = min(max((int)(ions[i].x * cells), 0), cells - 1);
    float h = qm * dt / 2.0;
    float vx = ions[i].vx + h * E[cell].x;
    float vy = ions[i].vy + h * E[cell].y;
    float vz = ions[i].vz + h * E[cell].z;
    float tx = h * B[cell].x, ty = h * B[cell].y, tz = h * B[cell].z;
    float s = 2.0 / (1.0 + tx * tx + ty * ty + tz * tz);
    float ux = vx + vy * tz - vz * ty;
    float uy = vy + vz * tx - vx * tz;
    float uz = vz + vx * ty - vy * tx;
    ions[i].vx = vx + s * (uy * tz - uz * ty) + h * E[cell].x;
    ions[i].vy = vy + s * (uz * tx - ux * tz) + h * E[cell].y;
    ions[i].vz = vz + s * (ux * ty - uy * tx) + h * E[cell].z;
    ions[i].x += dt * ions[i].vx;
    ions[i].y += dt * ions[i].vy;
    ions[i].z += dt * ions[i].vz;
  }
}

int main(int argc, char **argv) {
  int n = 2000000, cells = 4096;
  corpus::parseSize(argc, argv, "--ions", &n, 1000);
  corpus::parseSize(argc, argv, "--cells", &cells, 64);
  Ion *ions;
  float3 *E, *B;
  CUDA_CHECK(cudaMalloc(&ions, n * sizeof(Ion)));
  CUDA_CHECK(cudaMalloc(&E, cells * sizeof(float3)));
  CUDA_CHECK(cudaMalloc(&B, cells * sizeof(float3)));
  corpus::fill((float *)ions, 6 * (size_t)n, 0.0, 1.0, 1);
  corpus::fill((float *)E, 3 * (size_t)cells, -1.0, 1.0, 2);
  corpus::fill((float *)B, 3 * (size_t)cells, -1.0, 1.0, 3);
  boris<<<1056, 256>>>(ions, E, B, n, cells, 1.0f, 1e-6f);
  boris<<<1056, 256>>>(ions, E, B, n, cells, 1.0f, 1e-6f);
  boris<<<1056, 256>>>(ions, E, B, n, cells, 1.0f, 1e-6f);
  corpus::printChecksum("ions", (float *)ions, 6 * (size_t)n);
  cudaFree(ions);
  cudaFree(E);
  cudaFree(B);
}

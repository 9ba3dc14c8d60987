// A cloth of masses and springs: forces of the four neighbours and one step of
// time, masses in an array of structures, two buffers.
#include "../corpus.h"

struct Mass {
  float3 position;
  float3 velocity;
  float inverseMass;
};

__device__ void pull(float3 *force, const Mass &a, const Mass &b, float rest,
                     float stiffness) {
  float dx = b.position.x - a.position.x;
  float dy = b.position.y - a.position.y;
  float dz = b.position.z - a.position.z;
  float length = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-6f;
  float f = stiffness * (length - rest) / length;
  force->x += f * dx;
  force->y += f * dy;
  force->z += f * dz;
}

__global__ void clothStep(Mass *now, Mass *next, int side, float rest,
                          float stiffness, float dt) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= side || c >= side)
    return;
  int i = r * side + c;
  float3 force = make_float3(0.0f, -0.981f, 0.0f);
  if (c > 0)
    pull(&force, now[i], now[i - 1], rest, stiffness);
  if (c < side - 1)
    pull(&force, now[i], now[i + 1], rest, stiffness);
  if (r > 0)
    pull(&force, now[i], now[i - side], rest, stiffness);
  if (r < side - 1)
    pull(&force, now[i], now[i + side], rest, stiffness);
  next[i] = now[i];
  next[i].velocity.x += dt * force.x * now[i].inverseMass;
  next[i].velocity.y += dt * force.y * now[i].inverseMass;
  next[i].velocity.z += dt * force.z * now[i].inverseMass;
  next[i].position.x += dt * next[i].velocity.x;
  next[i].position.y += dt * next[i].velocity.y;
  next[i].position.z += dt * next[i].velocity.z;
}

int main(int argc, char **argv) {
  int side = 1000;
  corpus::parseSize(argc, argv, "--side", &side, 23);
  int n = side * side;
  Mass *now, *next;
  CUDA_CHECK(cudaMalloc(&now, n * sizeof(Mass)));
  CUDA_CHECK(cudaMalloc(&next, n * sizeof(Mass)));
  corpus::fill((float *)now, 7 * (size_t)n, 0.0, 1.0, 3);
  dim3 block(16, 16), grid((side + 15) / 16, (side + 15) / 16);
  for (int step = 0; step < 4; step++) {
    clothStep<<<grid, block>>>(now, next, side, 0.3f, 5.0f, 0.01f);
    std::swap(now, next);
  }
  corpus::printChecksum("cloth", (float *)now, 7 * (size_t)n);
  cudaFree(now);
  cudaFree(next);
}

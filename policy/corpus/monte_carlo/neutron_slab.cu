// Neutrons through a slab: free flights by logarithms, absorbed or scattered
// until they leave; results in a structure per neutron.
#include "../corpus.h"

struct Fate {
  int collisions;
  int how; // 0 reflected, 1 transmitted, 2 absorbed
};

__global__ void transport(Fate *fate, int neutrons, float thickness,
                          float sigma, float absorption, unsigned salt) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= neutrons)
    return;
  unsigned rng = n * 2891336453u + salt;
  float depth = 0.0f, direction = 1.0f;
  fate[n].collisions = 0;
  while (true) {
    rng = rng * 1103515245u + 12345u;
    depth += direction * -logf(((rng >> 8) + 1) / 16777217.0f) / sigma;
    if (depth < 0.0f || depth > thickness) {
      fate[n].how = depth < 0.0f ? 0 : 1;
      break;
    }
    fate[n].collisions++;
    rng = rng * 1103515245u + 12345u;
    if ((rng >> 8) / 16777216.0f < absorption) {
      fate[n].how = 2;
      break;
    }
    rng = rng * 1103515245u + 12345u;
    direction = 2.0f * ((rng >> 8) / 16777216.0f) - 1.0f;
  }
}

int main(int argc, char **argv) {
  int neutrons = 2000000;
  corpus::parseSize(argc, argv, "--neutrons", &neutrons, 900);
  Fate *fate;
  CUDA_CHECK(cudaMalloc(&fate, neutrons * sizeof(Fate)));
  for (unsigned batch = 0; batch < 3; batch++)
    transport<<<(neutrons + 255) / 256, 256>>>(fate, neutrons, 4.0f, 1.0f, 0.3f,
                                               batch);
  corpus::printChecksum("fate", (int *)fate, 2 * (size_t)neutrons);
  cudaFree(fate);
}

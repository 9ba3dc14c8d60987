// Host and device code side by side, with traps for whoever cuts by braces.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define HALF 0.5f

struct Rng { // the host's
  const char *name = "a brace { in a string, and \" quotes";
  unsigned state = 1'000;
  unsigned bits() { return state = state * 1664525u + '}'; }
};

struct Pair {
  float x, y;
};

typedef struct {
  std::vector<float> values;
} Matrix;

std::vector<float> hostTable;
__constant__ float weights[4];

/* a comment { */
__host__ int
upload(const float *from) {
  const char *text = R"(raw } " text)"; // }
  return cudaMemcpyToSymbol(weights, from, sizeof(weights)) + text[0];
}

__device__ float twice(float x) { return x + x; }

namespace inner {
template <typename T> __device__ T third(T x) { return x / 3; }
int onlyHere(int x) { return x + 1; }
} // namespace inner

__global__ void kernel(Pair *pairs, uint32_t n) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    pairs[i].x = twice(pairs[i].y) * weights[i % 4] * HALF +
                 inner::third(pairs[i].x);
}

int main(int argc, char **argv) {
  std::vector<Pair> host(inner::onlyHere(99));
  Rng rng;
  for (Pair &p : host)
    p = {float(rng.bits()), 1.0f};
  Pair *pairs;
  if (cudaMalloc(&pairs, 100 * sizeof(Pair)))
    return 1;
  kernel<<<1, 128>>>(pairs, 100);
  printf("%d\n", std::max(argc, 1));
}

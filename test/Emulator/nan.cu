// nan() and nanf() of device code hold the number that they are given.
// REQUIRES: emulator
// RUN: %emulate %s | FileCheck %s

// As Clang's own headers declare them.
static __device__ double nan(const char *tag);
static __device__ float nanf(const char *tag);

__global__ void make(double *wide, float *narrow) {
  wide[0] = nan("");
  narrow[0] = nanf("");
  wide[1] = nan("0x123");
  narrow[1] = nanf("0x123");
  wide[2] = nan("017");
  narrow[2] = nanf("42");
  wide[3] = nan("12x");
  narrow[3] = nanf("9999999999999999999999");
}

int main() {
  double *wide;
  float *narrow;
  unsigned long long doubles[4];
  unsigned floats[4];
  cudaMalloc(&wide, sizeof doubles);
  cudaMalloc(&narrow, sizeof floats);
  make<<<1, 1>>>(wide, narrow);
  cudaMemcpy(doubles, wide, sizeof doubles, cudaMemcpyDeviceToHost);
  cudaMemcpy(floats, narrow, sizeof floats, cudaMemcpyDeviceToHost);
  // CHECK: 7ff8000000000000 7fc00000
  // CHECK: 7ff8000000000123 7fc00123
  // CHECK: 7ff800000000000f 7fc0002a
  // CHECK: 7ff8000000000000 7fffffff
  for (int i = 0; i < 4; ++i)
    printf("%llx %x\n", doubles[i], floats[i]);
}

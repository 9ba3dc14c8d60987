// Floating-point numbers become integers as on a GPU: clamped, and NaN is 0 or
// the sign bit.
// REQUIRES: emulator
// RUN: %emulate %s | FileCheck %s

__global__ void convert(int *to, long long *wide, const float *from,
                        const double *precise) {
  int i = threadIdx.x;
  to[i] = (int)from[i];
  to[4 + i] = (int)precise[i];
  wide[i] = (long long)from[i];
}

int main() {
  float host[4] = {1e20f, -1e20f, -2.75f, __builtin_nanf("")};
  double twice[4] = {1e20, -1e20, -2.75, __builtin_nan("")};
  int *to, result[8];
  long long *wide, far[4];
  float *from;
  double *precise;
  cudaMalloc(&to, sizeof(result));
  cudaMalloc(&wide, sizeof(far));
  cudaMalloc(&from, sizeof(host));
  cudaMalloc(&precise, sizeof(twice));
  cudaMemcpy(from, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(precise, twice, sizeof(twice), cudaMemcpyHostToDevice);
  convert<<<1, 4>>>(to, wide, from, precise);
  cudaMemcpy(result, to, sizeof(result), cudaMemcpyDeviceToHost);
  cudaMemcpy(far, wide, sizeof(far), cudaMemcpyDeviceToHost);
  // CHECK: 2147483647 -2147483648 -2 0
  printf("%d %d %d %d\n", result[0], result[1], result[2], result[3]);
  // CHECK: 2147483647 -2147483648 -2 -2147483648
  printf("%d %d %d %d\n", result[4], result[5], result[6], result[7]);
  // CHECK: 9223372036854775807 -9223372036854775808 -2 -9223372036854775808
  printf("%lld %lld %lld %lld\n", far[0], far[1], far[2], far[3]);
}

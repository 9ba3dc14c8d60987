// The host sets constant memory: of every linkage, of a template, in part.
// REQUIRES: emulator
// RUN: %emulate %s | FileCheck %s

__constant__ double weights[4];
__constant__ int given[2] = {7, 8};
static __constant__ int offset;
template <typename T> __constant__ T table[2];

__global__ void sum(double *out) {
  out[threadIdx.x] = weights[threadIdx.x] + given[threadIdx.x] + offset +
                     table<float>[threadIdx.x];
}

int main() {
  double *out, host[2], values[4] = {1, 2, 3, 4};
  int hundred = 100, nine = 9;
  float parts[2] = {0.5f, 0.25f};
  cudaMalloc(&out, sizeof(host));
  cudaMemcpyToSymbol(weights, values, sizeof(values));
  cudaMemcpyToSymbol(given, &nine, sizeof(nine), sizeof(int));
  cudaMemcpyToSymbol(offset, &hundred, sizeof(hundred));
  cudaMemcpyToSymbol(table<float>, parts, sizeof(parts));
  sum<<<1, 2>>>(out);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  // CHECK: 108.5 111.25
  printf("%g %g\n", host[0], host[1]);
  return 0;
}

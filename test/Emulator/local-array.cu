// An index outside of a local array or a device variable is found too.
// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s

__device__ int table[8];
__device__ char tiny[2];

__global__ void index(int *to, int k) {
  int local[4] = {1, 2, 3, 4};
  for (int i = 0; i < k; ++i)
    local[i & 3] += to[i];
  // CHECK: local-array.cu:[[#@LINE+1]]:{{[0-9]+}}: out-of-bounds: 4 bytes accessed 8 bytes past the end of array 'local' (16 bytes)
  to[0] = local[k];
  // CHECK: local-array.cu:[[#@LINE+1]]:{{[0-9]+}}: out-of-bounds: 4 bytes accessed directly past the end of array 'table' (32 bytes)
  table[k + 2] = to[1];
  // CHECK: local-array.cu:[[#@LINE+1]]:{{[0-9]+}}: out-of-bounds: 4 bytes accessed at byte 0, reaching past the end of array 'tiny' (2 bytes)
  *(int *)(tiny + to[1]) = k;
}

int main() {
  int *to;
  cudaMalloc(&to, 256);
  cudaMemset(to, 0, 256);
  index<<<1, 1>>>(to, 6);
  return cudaDeviceSynchronize();
}

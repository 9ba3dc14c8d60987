// A pointer to shared memory as an integer fits 32 bits, for
// inline PTX as for casts.
// REQUIRES: emulator
// RUN: %emulate %s | FileCheck %s

__global__ void exchange(int *to) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  unsigned at = (unsigned)(size_t)(__attribute__((address_space(3))) int *)&tile[31 - threadIdx.x];
  int first, second = *(__attribute__((address_space(3))) int *)(size_t)at;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(first) : "r"(at));
  to[threadIdx.x] = first * 1000 + second;
}

int main() {
  int *to, host[32];
  cudaMalloc(&to, sizeof(host));
  exchange<<<1, 32>>>(to);
  cudaMemcpy(host, to, sizeof(host), cudaMemcpyDeviceToHost);
  // CHECK: 93093 0
  printf("%d %d\n", host[0], host[31]);
}

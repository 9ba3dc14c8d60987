// A program runs unchanged: its output, its arguments, its exit code.
// REQUIRES: emulator
// RUN: not %emulate %s -- seven 2>&1 | FileCheck %s
// RUN: %emulate %s -- 2>&1 | FileCheck --check-prefix=PLAIN %s
// RUN: %emulate %s -o %t.exe && %t.exe | FileCheck --check-prefix=PLAIN %s

__constant__ float factor[2] = {2, 3};
__device__ int calls;
struct Shift {
  float by;
  int unused;
};

__global__ void reversed(float *out, const float *in, int n, Shift shift) {
  __shared__ float tile[64];
  extern __shared__ float more[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  more[63 - threadIdx.x] = factor[1];
  __syncthreads();
  float v = tile[63 - threadIdx.x] * more[threadIdx.x] + shift.by;
  v += __shfl_down_sync(0xffffffff, v, 1);
  if (i < n)
    out[i] = v;
  atomicAdd(&calls, 1);
}

int main(int argc, char **argv) {
  float *in, *out, host[128];
  for (int i = 0; i < 128; ++i)
    host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  reversed<<<2, 64, 64 * sizeof(float)>>>(out, in, 128, Shift{0.5f, 0});
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  // CHECK: 376 370 577
  // PLAIN: 376 370 577
  printf("%g %g %g\n", host[0], host[1], host[95]);
  return argc > 1 ? 7 : 0;
}

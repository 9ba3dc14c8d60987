// Barriers, warp operations, fences and what a called function does.
// RUN: cuda-l1-opt --dump-kernels %s -- %fake_cuda | FileCheck %s

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_down_sync(0xffffffffu, v, offset);
  return v;
}
__device__ void join() { __syncthreads(); }

// CHECK-LABEL: kernel reduce
// CHECK: loop line [[#@LINE+6]] depth 1: not counted, barrier
// CHECK: loop line [[#@LINE+10]] depth 1: i from 0 to n step 1, barrier
__global__ void reduce(const float *in, float *out, int n) {
  __shared__ float partial[256];
  partial[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  for (int i = 0; i < n; ++i)
    join();
  if (threadIdx.x == 0)
    __syncwarp();
  out[blockIdx.x] = warp_sum(partial[0]) + expf(1.0f);
}
// CHECK: barrier line 17: block{{$}}
// CHECK: barrier line 21: block{{$}}
// CHECK: barrier line 24: block{{$}}
// CHECK: barrier line 26: warp, conditional
// CHECK: warp operations: __shfl_down_sync
// CHECK: maths: expf

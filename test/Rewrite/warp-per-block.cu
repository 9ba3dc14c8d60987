// RUN: cuda-l1-opt %s --rules='-*,warp-per-block' --apply-all --fp-class=reassociate -- %fake_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,warp-per-block' --apply-all --fp-class=reassociate -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,warp-per-block' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES

#define BLOCK_SIZE 256

// SITES: warp-per-block:sums {warps=4} {warps=8} [reassociate]
// SITES: all 2 launches are in this unit, of as many blocks as the elements that `n` counts need
// SITES: warp-per-block:most {{.*}} [exact]
__global__ void sums(const float *in, float *out, int n) {
  __shared__ float partial[BLOCK_SIZE];
  int tid = threadIdx.x;
  // Where this thread reads.
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();

  for (int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0)
      partial[tid] += partial[tid + s];
    __syncthreads();
  }

  if (tid == 0)
    out[blockIdx.x] = partial[0];
}
// CHECK-LABEL: void sums
// CHECK-NEXT:   // Each warp does what a block of 256 threads did.
// CHECK-NEXT:   const unsigned lane = threadIdx.x % 32;
// CHECK-NEXT:   const unsigned block = blockIdx.x * 4 + threadIdx.x / 32;
// CHECK-NEXT:   if (block > (n - 1) / 256)
// CHECK-NEXT:     return;
// CHECK-NEXT:   float sum = 0.0f;
// CHECK-NEXT:   #pragma unroll
// CHECK-NEXT:   for (unsigned item = 0; item < 256; item += 32) {
// CHECK-NEXT:     int tid = (item + lane);
// CHECK-NEXT:     // Where this thread reads.
// CHECK-NEXT:     int i = block * 256u + (item + lane);
// CHECK-NEXT:     const float value = i < n ? in[i] : 0.0f;
// CHECK-NEXT:     sum += value;
// CHECK-NEXT:   }
// CHECK-NEXT:   for (int offset = 16; offset > 0; offset /= 2)
// CHECK-NEXT:     sum += __shfl_xor_sync(0xffffffff, sum, offset);
// CHECK-NEXT:   if (lane == 0)
// CHECK-NEXT:     out[block] = sum;
// CHECK-NEXT: }

__global__ void most(const int *in, int *out, int n) {
  __shared__ int best[128];
  unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
  int mine = -1;
  if (i < n)
    mine = in[i];
  best[t] = mine;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (t < s)
      best[t] = max(best[t], best[t + s]);
    __syncthreads();
  }
  if (t == 0) {
    atomicMax(out, best[0]);
  }
}
// CHECK-LABEL: void most
// CHECK:          unsigned t = (item + lane), i = block * 128 + t;
// CHECK-NEXT:     int mine = -1;
// CHECK-NEXT:     if (i < n)
// CHECK-NEXT:       mine = in[i];
// CHECK-NEXT:     const int value = mine;
// CHECK-NEXT:     greatest = max(greatest, value);
// CHECK:        if (lane == 0) {
// CHECK-NEXT:     atomicMax(out, greatest);
// CHECK-NEXT:   }

int main(int argc, char **) {
  int n = argc;
  float *a, *b;
  int *p, *q;
  // CHECK-LABEL: int main
  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  // CHECK: sums<<<(blocks + 3) / 4, 128>>>(a, b, n);
  sums<<<blocks, BLOCK_SIZE>>>(a, b, n);
  for (int left = blocks; left > 1;) {
    int next = (left + BLOCK_SIZE - 1) / BLOCK_SIZE;
    // CHECK: sums<<<(next + 3) / 4, 128>>>(b, a, left);
    sums<<<next, BLOCK_SIZE>>>(b, a, left);
    left = next;
  }
  // CHECK: most<<<(((n + 127) / 128) + 3) / 4, 128>>>(p, q, n);
  most<<<(n + 127) / 128, 128>>>(p, q, n);
}

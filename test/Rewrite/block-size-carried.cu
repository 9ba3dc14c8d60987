// A thread that makes the iterations which depend on each other must go on
// making them: more threads than before would race.
// RUN: cuda-l1-opt %s --rules='-*,block-size' --list-sites -- %fake_cuda | FileCheck %s
// CHECK: block-size:carried {x=128} {x=64} [exact]
// CHECK: block-size:shifted {x=128} {x=64} [exact]
// CHECK: block-size:apart {x=128} {x=512} {x=64} {x=1024} [exact]

__global__ void carried(float *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (i >= 256)
      a[i] += a[i - 256];
}

__global__ void shifted(float *a, const float *b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] += b[i];
}

__global__ void apart(float *a, const float *b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] += b[i + 256];
}

int main() {
  float *p, *q;
  cudaMalloc(&p, 4096);
  cudaMalloc(&q, 4096);
  carried<<<1, 256>>>(p, 512);
  shifted<<<1, 256>>>(p + 256, p, 512);
  apart<<<1, 256>>>(p, q, 512);
}

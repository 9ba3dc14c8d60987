// What cannot be copied ahead, or not without a change on the way.
// RUN: cuda-l1-opt %s --rules='-*,async-copy-pipeline' --list-sites -- %fake_cuda -arch=sm_90 | FileCheck %s
// CHECK:     in fine: copy tile
// CHECK-NOT: async-copy-pipeline:

__global__ void fine(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// The value changes on its way.
__global__ void converts(const int *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void scales(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = 2.0f * a[t * 256 + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Elements of 2 bytes.
__global__ void narrow(const short *a, float *out, int n) {
  __shared__ short tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// The last turn leaves some elements as the turn before left them.
__global__ void keeps(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; t += 256) {
    if (t + threadIdx.x < n)
      tile[threadIdx.x] = a[t + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Each turn writes other elements.
__global__ void moves(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[(threadIdx.x + t) % 256] = a[t * 256 + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// What is copied is written in the loop.
__global__ void inPlace(float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    a[(t + 1) * 256 + threadIdx.x] = sum;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// The output may be what is copied.
__global__ void aliased(const float *a, float *out, int n) {
  __shared__ float tile[256];
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    __syncthreads();
    out[t * 256 + threadIdx.x] = tile[255 - threadIdx.x];
    __syncthreads();
  }
}

// Where the next tile lies depends on this one.
__global__ void chained(const float *a, float *out, int n) {
  __shared__ float tile[256];
  int at = 0;
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[at + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    at = (int)tile[0];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Read before the barrier.
__global__ void early(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    sum += tile[threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Used after the loop, and before it.
__global__ void late(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum + tile[threadIdx.x];
}

// Written by the uses.
__global__ void reduces(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 128)
      tile[threadIdx.x] += tile[threadIdx.x + 128];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// In another loop: first copies would meet last uses.
__global__ void nested(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int r = 0; r < n; ++r)
    for (int t = 0; t < n; ++t) {
      tile[threadIdx.x] = a[t * 256 + threadIdx.x];
      __syncthreads();
      sum += tile[255 - threadIdx.x];
      __syncthreads();
    }
  out[threadIdx.x] = sum;
}

// The loop may end early.
__global__ void leaves(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    if (n == 7)
      break;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Too large for a second stage.
__global__ void large(const float *a, float *out, int n) {
  __shared__ float tile[6200];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    for (int i = threadIdx.x; i < 6200; i += 256)
      tile[i] = a[t * 6200 + i];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// A value from among the copies is used behind the barrier.
__global__ void shares(const float *a, float *out, int n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    int at = t * 256 + threadIdx.x;
    tile[threadIdx.x] = a[at];
    __syncthreads();
    sum += tile[255 - threadIdx.x] * at;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

int main() {
  float *a, *out;
  int *i;
  short *s;
  cudaMalloc(&a, 100000);
  cudaMalloc(&out, 100000);
  cudaMalloc(&i, 100000);
  cudaMalloc(&s, 100000);
  fine<<<1, 256>>>(a, out, 3);
  converts<<<1, 256>>>(i, out, 3);
  scales<<<1, 256>>>(a, out, 3);
  narrow<<<1, 256>>>(s, out, 3);
  keeps<<<1, 256>>>(a, out, 300);
  moves<<<1, 256>>>(a, out, 3);
  inPlace<<<1, 256>>>(a, out, 3);
  aliased<<<1, 256>>>(a, a, 3);
  chained<<<1, 256>>>(a, out, 3);
  early<<<1, 256>>>(a, out, 3);
  late<<<1, 256>>>(a, out, 3);
  reduces<<<1, 256>>>(a, out, 3);
  nested<<<1, 256>>>(a, out, 3);
  leaves<<<1, 256>>>(a, out, 3);
  large<<<1, 256>>>(a, out, 3);
  shares<<<1, 256>>>(a, out, 3);
  return 0;
}

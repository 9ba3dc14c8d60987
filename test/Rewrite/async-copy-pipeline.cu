// RUN: cuda-l1-opt %s --rules='-*,async-copy-pipeline' --apply-all -- %fake_cuda -arch=sm_80 > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,async-copy-pipeline' --apply-all -- %fake_cuda -arch=sm_80 | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,async-copy-pipeline' --list-sites -- %fake_cuda -arch=sm_80 \
// RUN:   | FileCheck %s --check-prefix=SITES
// RUN: cuda-l1-opt %s --rules='-*,async-copy-pipeline' --apply='async-copy-pipeline:As,Bs{stages=4}' -- %fake_cuda -arch=sm_80 \
// RUN:   | FileCheck %s --check-prefix=DEEP
// Asynchronous copies came with 8.0.
// RUN: cuda-l1-opt %s --rules='-*,async-copy-pipeline' --list-sites -- %fake_cuda -arch=sm_75 \
// RUN:   | FileCheck %s --check-prefix=OLD --allow-empty
// OLD-NOT: async-copy-pipeline:

// SITES:      async-copy-pipeline:As,Bs {stages=2} {stages=3} {stages=4} [exact]
// SITES-NEXT: in product: copy As,Bs ahead of the loop at line
// SITES-NEXT: because each turn copies, waits, computes and waits again
// SITES-NEXT: because what is copied is written by nobody while the kernel runs
// SITES-NEXT: because each turn writes the same elements, which are used nowhere else
// SITES-NEXT: because the barrier at the end of a turn orders nothing but the tiles
// SITES-NEXT: because every target has compute capability 8.0 or more
// SITES:      async-copy-pipeline:tile {stages=2} {stages=3} {stages=4} [exact]
// SITES:      because the barrier at the end of a turn stays

#define EDGE 16

// CHECK: {{^}}#include <cuda_pipeline.h>
// CHECK-LABEL: void product
__global__ void product(const float *A, const float *B, float *C, int n) {
  // CHECK:      {{^}}  __shared__ float As[2][EDGE][EDGE], Bs[2][EDGE][EDGE + 1];
  __shared__ float As[EDGE][EDGE], Bs[EDGE][EDGE + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * EDGE + ty, col = blockIdx.x * EDGE + tx;
  float sum = 0.0f;
  // CHECK:      {{^}}  // Copies run 1 turn ahead.
  // CHECK-NEXT: {{^}}  auto copyTiles = [&](int t, int stage) {
  // CHECK-NEXT: {{^}}    int k = t + tx;
  // CHECK-NEXT: {{^}}    if (row < n && k < n)
  // CHECK-NEXT: {{^}}      __pipeline_memcpy_async(&As[stage][ty][tx], &A[row * n + k], sizeof(float));
  // CHECK-NEXT: {{^}}    else
  // CHECK-NEXT: {{^}}      As[stage][ty][tx] = 0.0f;
  // CHECK-NEXT: {{^}}    if (t + ty < n && col < n)
  // CHECK-NEXT: {{^}}      __pipeline_memcpy_async(&Bs[stage][ty][tx], &B[(t + ty) * n + col], sizeof(float));
  // CHECK-NEXT: {{^}}    else
  // CHECK-NEXT: {{^}}      Bs[stage][ty][tx] = 0.0f;
  // CHECK-NEXT: {{^}}  };
  // CHECK-NEXT: {{^}}  if (0 < n)
  // CHECK-NEXT: {{^}}    copyTiles(0, 0);
  // CHECK-NEXT: {{^}}  __pipeline_commit();
  // CHECK-NEXT: {{^}}  int stage = 0;
  // CHECK-NEXT: {{^}}  for (int t = 0; t < n; t += EDGE) {
  // CHECK-NEXT: {{^}}    // Zeros beyond the edge.
  // CHECK-NEXT: {{^}}    __pipeline_wait_prior(0);
  // CHECK-NEXT: {{^}}    __syncthreads();
  // CHECK-NEXT: {{^}}    if (t + 16 < n)
  // CHECK-NEXT: {{^}}      copyTiles(t + 16, stage ^ 1);
  // CHECK-NEXT: {{^}}    __pipeline_commit();
  // CHECK-NEXT: {{^}}    for (int k = 0; k < EDGE; ++k)
  // CHECK-NEXT: {{^}}      sum += As[stage][ty][k] * Bs[stage][k][tx];
  // CHECK-NEXT: {{^}}    stage ^= 1;
  // CHECK-NEXT: {{^}}  }
  // DEEP:      As[4][EDGE][EDGE], Bs[4][EDGE][EDGE + 1];
  // DEEP:      for (int s = 0; s < 3; ++s) {
  // DEEP-NEXT: if (s * 16 < n)
  // DEEP-NEXT: copyTiles(s * 16, s);
  // DEEP-NEXT: __pipeline_commit();
  // DEEP:      __pipeline_wait_prior(2);
  // DEEP-NEXT: __syncthreads();
  // DEEP-NEXT: if (t + 48 < n)
  // DEEP-NEXT: copyTiles(t + 48, (stage + 3) % 4);
  // DEEP:      stage = (stage + 1) % 4;
  for (int t = 0; t < n; t += EDGE) {
    // Zeros beyond the edge.
    int k = t + tx;
    As[ty][tx] = row < n && k < n ? A[row * n + k] : 0.0f;
    if (t + ty < n && col < n)
      Bs[ty][tx] = B[(t + ty) * n + col];
    else
      Bs[ty][tx] = 0.0f;
    __syncthreads();
    for (int k = 0; k < EDGE; ++k)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < n && col < n)
    C[row * n + col] = sum;
}

// Some threads copy several elements; the uses write memory that others read.
// CHECK-LABEL: void window
__global__ void window(const double *a, double *out, double *sums, int turns) {
  // CHECK: {{^}}  __shared__ double tile[2][1024];
  __shared__ double tile[1024];
  __shared__ double total[256];
  int i = threadIdx.x;
  // CHECK:      auto copyTiles = [&](int t, int stage) {
  // CHECK-NEXT: for (int j = i; j < 1024; j += 256)
  // CHECK-NEXT: __pipeline_memcpy_async(&tile[stage][j], a + t * 1024 + j, sizeof(double));
  // CHECK:      if (1 <= turns)
  // CHECK:      total[i] = tile[stage][i] + tile[stage][1023 - i];
  // CHECK-NEXT: if (i == 0)
  // CHECK-NEXT: sums[t] = total[0];
  // CHECK-NEXT: __syncthreads();
  // CHECK-NEXT: stage ^= 1;
  for (int t = 1; t <= turns; ++t) {
    for (int j = i; j < 1024; j += 256)
      tile[j] = __ldg(a + t * 1024 + j);
    __syncthreads();
    total[i] = tile[i] + tile[1023 - i];
    if (i == 0)
      sums[t] = total[0];
    __syncthreads();
  }
  out[i] = total[255 - i];
}

int main() {
  float *a, *b, *c;
  double *x, *y, *z;
  int n = 100;
  cudaMalloc(&a, 40000);
  cudaMalloc(&b, 40000);
  cudaMalloc(&c, 40000);
  cudaMalloc(&x, 400000);
  cudaMalloc(&y, 40000);
  cudaMalloc(&z, 40000);
  product<<<dim3((n + EDGE - 1) / EDGE, (n + EDGE - 1) / EDGE), dim3(EDGE, EDGE)>>>(a, b, c, n);
  window<<<1, 256>>>(x, y, z, 3);
  return 0;
}

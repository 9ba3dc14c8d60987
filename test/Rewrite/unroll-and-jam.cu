// RUN: cuda-l1-opt %s --rules='-*,unroll-and-jam' --apply='unroll-and-jam{factor=2}' -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,unroll-and-jam' --apply-all -- %fake_cuda | diff %t.cu -

__global__ void panel(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n, int K) {
  // CHECK-LABEL: void panel
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK:      {{^}}  for (int r = 0; r < 32; r += 2) {
  // CHECK-NEXT: {{^}}    // A row.
  // CHECK-NEXT: {{^}}    float sum = 0.0f;
  // CHECK-NEXT: {{^}}    float sum1 = 0.0f;
  // CHECK-NEXT: {{^}}    for (int k = 0; k < K; k++) {
  // CHECK-NEXT: {{^}}      sum += a[r * K + k] * b[k * n + c];
  // CHECK-NEXT: {{^}}      sum1 += a[(r + 1) * K + k] * b[k * n + c];
  // CHECK-NEXT: {{^}}    }
  // CHECK-NEXT: {{^}}    out[r * n + c] = sum;
  // CHECK-NEXT: {{^}}    out[(r + 1) * n + c] = sum1;
  // CHECK-NEXT: {{^}}  }
  for (int r = 0; r < 32; r++) {
    // A row.
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
      sum += a[r * K + k] * b[k * n + c];
    out[r * n + c] = sum;
  }
}

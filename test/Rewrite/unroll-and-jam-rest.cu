// Where the number of iterations is known at run time, a loop does the rest.
// RUN: cuda-l1-opt %s --rules='-*,unroll-and-jam' --apply='unroll-and-jam{factor=4}' -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: cuda-l1-opt %t.cu --rules='-*,unroll-and-jam' --apply-all -- %fake_cuda | diff %t.cu -

__global__ void rows(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n, int m) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK:      {{^}}  {
  // CHECK-NEXT: {{^}}    int r = 0;
  // CHECK-NEXT: {{^}}    for (; m - r > 3; r += 4) {
  // CHECK:      {{^}}        float product3 = a[(r + 3) * n + k] * b[k * n + c];
  // CHECK:      {{^}}      out[(r + 3) * n + c] = sum3;
  // CHECK-NEXT: {{^}}    }
  // CHECK-NEXT: {{^}}    for (; r < m; r++) {
  // CHECK-NEXT: {{^}}      float sum = 0.0f;
  // CHECK:      {{^}}      out[r * n + c] = sum;
  // CHECK-NEXT: {{^}}    }
  // CHECK-NEXT: {{^}}  }
  for (int r = 0; r < m; r++) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
      float product = a[r * n + k] * b[k * n + c];
      sum += product;
    }
    out[r * n + c] = sum;
  }
}

// RUN: cuda-l1-opt %s --rules='-*,interchange-loops' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,interchange-loops' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,interchange-loops' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES
// RUN: cuda-l1-opt %s --rules='-*,interchange-loops' --apply-all --fp-class=exact -- %fake_cuda | FileCheck %s --check-prefix=EXACT
// Then other rules find more: the short loop is the inner one.
// RUN: cuda-l1-opt %t.cu --rules='-*,vectorize-access,scalar-replacement,unroll-loop' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=THEN

// Each thread adds up a patch of its own, column by column.
__global__ void patch(const float *m, float *out, int n) {
  // CHECK-LABEL: void patch
  // SITES: :[[@LINE+6]]: interchange-loops:c [reassociate]
  // EXACT-LABEL: void patch
  // EXACT: for (int c = 0; c < 8; ++c)
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  // CHECK: {{^}}  for (int r = 0; r < n; r++)
  for (int c = 0; c < 8; ++c)
    // CHECK-NEXT: comment
    // the comment stays
    // CHECK: {{^}}    for (int c = 0; c < 8; ++c)
    for (int r = 0; r < n; r++)
      // CHECK-NEXT: sum += m[(t * n + r) * 8 + c];
      sum += m[(t * n + r) * 8 + c];
  out[t] = sum;
}

// Integers, in braces; a declaration of the body's own.
__global__ void integers(const int *m, int *out, int rows, int cols) {
  // CHECK-LABEL: void integers
  // SITES: interchange-loops:c [exact]
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0, most = 0;
  // CHECK: {{^}}  for (int r = 0; r < rows; r++) {
  for (int c = 1; c < cols; c += 2) {
    // CHECK: {{^}}    for (int c = 1; c < cols; c += 2) {
    for (int r = 0; r < rows; r++) {
      int v = m[t * rows * cols + r * cols + c];
      sum += v;
      most = max(most, v);
    }
  }
  out[t] = sum + most;
}

// Each element needs the one above it and the one on its left: both orders have
// them before it.
__global__ void sweep(float *a, int n, int m) {
  // CHECK-LABEL: void sweep
  // SITES: interchange-loops:c [exact]
  // SITES: no iteration needs what one stores that the other order puts behind it
  // EXACT-LABEL: void sweep
  // EXACT: for (int r = 1; r < n; r++)
  // CHECK: for (int r = 1; r < n; r++)
  // CHECK: for (int c = 1; c < m; c++)
  for (int c = 1; c < m; c++)
    for (int r = 1; r < n; r++)
      a[r * m + c] += a[(r - 1) * m + c] + a[r * m + c - 1];
}

// THEN: unroll-loop:c {factor=0}

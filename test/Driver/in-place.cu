// In place, with a backup; a second run finds nothing to do and takes none.

// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu
// RUN: cuda-l1-opt %t/a.cu --in-place --rules='-*,unroll-loop' --apply-all -- %fake_cuda 2>&1 | count 0
// RUN: FileCheck %s < %t/a.cu
// RUN: diff %s %t/a.cu.orig
// RUN: cuda-l1-opt %t/a.cu --in-place --rules='-*,unroll-loop' --apply-all -- %fake_cuda 2>&1 | count 0
// RUN: ls %t | count 2

__global__ void walk(float *a, int n) {
  // CHECK: {{^}} {{.*}}pragma unroll 4
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}

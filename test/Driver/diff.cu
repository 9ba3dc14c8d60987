// --diff prints what changed instead of the source.

// RUN: cuda-l1-opt %s --diff --apply unroll-loop -- %fake_cuda > %t.diff
// RUN: FileCheck %s < %t.diff
// CHECK: --- {{.*}}diff.cu
// CHECK-NEXT: +++ {{.*}}diff.cu
// CHECK-NEXT: @@ -[[#]],6 +[[#]],7 @@
// CHECK: +{{ *}}#pragma unroll 4
// CHECK-NEXT: {{^ +}}for

__global__ void walk(float *a, int n) {
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}

// Nothing to do, nothing printed.
// RUN: cuda-l1-opt %s --diff --apply-all --rules='-*' -- %fake_cuda 2>&1 | count 0

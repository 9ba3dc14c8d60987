// Where nvcc refuses the original as well, the rewrites are not to blame: that is
// said once, with the exit code of a program that does not build.

// REQUIRES: nvcc
// RUN: sh -c 'cuda-l1-opt %s --no-measure -o %t.cu -- %fake_cuda 2>%t.err; test $? -eq 4'
// RUN: FileCheck %s < %t.err
// RUN: diff %s %t.cu
// CHECK: original-refused.cu: could not be measured, source unchanged
// CHECK-NEXT: note: nothing was rewritten: the original does not compile either: nvcc exited with code
// CHECK: error: {{.*}}not for nvcc
// CHECK-NOT: taken back
#ifndef __clang__
#error not for nvcc
#endif

__global__ void walk(float *a) {
  for (int i = 0; i < 8; ++i)
    a[i] += 1;
}

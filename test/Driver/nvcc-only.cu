// What only nvcc takes: the original is written, with an exit code of its own,
// so that a build goes on.

// REQUIRES: nvcc
// RUN: rm -f %t.cu
// RUN: sh -c 'cuda-l1-opt %s --no-measure -o %t.cu 2>%t.err; test $? -eq 3'
// RUN: FileCheck %s < %t.err
// RUN: diff %s %t.cu
// CHECK: nvcc-only.cu:[[@LINE+7]]:{{[0-9]+}}: error: not for Clang
// CHECK: nvcc-only.cu: not parsed, source unchanged
// CHECK-NEXT: note: Clang cannot parse '{{.*}}nvcc-only.cu', though nvcc compiles it

// What nvcc refuses too is an error without output.
#ifdef __clang__
// The line that stops us.
#error not for Clang
#endif

__global__ void one(int *a) { *a = 1; }
// RUN: rm -f %t.cu
// RUN: sh -c 'cuda-l1-opt %s --no-measure -o %t.cu -- -DBROKEN 2>%t.err; test $? -eq 1'
// RUN: FileCheck --check-prefix=BOTH %s < %t.err
// RUN: test ! -e %t.cu
// BOTH: error: cannot parse {{.*}} nvcc refuses it too
#ifdef BROKEN
int main() { return nowhere; }
#endif

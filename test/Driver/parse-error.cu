// Clang's own diagnostics, then what to do; without nvcc's agreement there is
// no output file.

// RUN: rm -f %t.cu
// RUN: not cuda-l1-opt %s --apply-all -o %t.cu -- %fake_cuda 2>&1 | FileCheck %s
// RUN: test ! -e %t.cu
// CHECK: parse-error.cu:[[@LINE+3]]:{{[0-9]+}}: error: use of undeclared identifier 'nowhere'
// CHECK: cuda-l1-opt: error: cannot parse '{{.*}}parse-error.cu', and {{.*}}; check the flags

__global__ void broken(float *a) { a[0] = nowhere; }

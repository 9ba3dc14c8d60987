// Several inputs go to a folder, each under its own name; one that fails does
// not keep the others from being written.

// RUN: rm -rf %t && mkdir %t %t/out && cp %s %t/a.cu && cp %s %t/b.cu
// RUN: cuda-l1-opt %t/a.cu %t/b.cu --apply unroll-loop -o %t/out -- %fake_cuda
// RUN: grep -c 'pragma unroll' %t/out/a.opt.cu %t/out/b.opt.cu
// RUN: rm %t/out/*
// RUN: echo 'int main( {' > %t/c.cu
// RUN: not cuda-l1-opt %t/c.cu %t/b.cu --apply unroll-loop -o %t/out -- %fake_cuda 2>/dev/null
// RUN: ls %t/out | FileCheck %s
// CHECK-NOT: c.opt.cu
// CHECK: b.opt.cu

__global__ void walk(float *a, int n) {
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}

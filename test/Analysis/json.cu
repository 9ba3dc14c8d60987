// The same facts for programs.
// RUN: cuda-l1-opt --dump-kernels=json %s -- %fake_cuda | FileCheck %s

__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

// CHECK: "kernels": [
// CHECK: "class": "coalesced"
// CHECK: "conditional": true
// CHECK: "element_bytes": 4
// CHECK: "index": "blockIdx.x*blockDim.x + threadIdx.x"
// CHECK: "kind": "read-write"
// CHECK: "thread_stride": "1"
// CHECK: "mangled_name": "_Z5scalePfi"
// CHECK: "use": "read-write"

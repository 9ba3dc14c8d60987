// Without measuring there is no figure at all, only the words "not timed"; the
// report has the rewrites and their evidence.

// RUN: cuda-l1-opt %s --no-measure --report %t.json -o %t.cu -- %fake_cuda 2>%t.err
// RUN: FileCheck %s < %t.err
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// CHECK: untimed.cu: {{.*}}not timed
// CHECK-NOT: {{[0-9]x}}
// CHECK-NOT: {{[0-9] ms}}
// JSON: "engine": null
// JSON: "gpu": null
// JSON-NOT: "best"
// JSON-NOT: "original"
// JSON-NOT: "speedup"
// JSON: "verdict": "not-timed"

// --quiet leaves nothing but errors.
// RUN: cuda-l1-opt %s --no-measure --quiet -o %t.cu -- %fake_cuda 2>&1 | count 0

__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

// A header given as the input: units that are not seen include it and launch its
// kernels in their own way. What only the launches here prove needs a check.

// RUN: cuda-l1-opt %s --list-sites -- %fake_cuda | FileCheck %s
// CHECK-DAG: const-restrict:restrict {{.*}} [reassociate, needs-check]
// CHECK-DAG: only if {{.*}}other files may include `sum` and launch it
// CHECK-DAG: launch-bounds {{.*}} [exact, needs-check]
// CHECK-DAG: scalar-replacement:out[i] [exact, needs-check]

// The same text as a source of its own is all there is.
// RUN: cp %s %t.cu
// RUN: cuda-l1-opt %t.cu --list-sites -- %fake_cuda | FileCheck --check-prefix=SOURCE %s
// SOURCE-DAG: const-restrict:restrict {{.*}} [reassociate]
// SOURCE-DAG: launch-bounds {{.*}} [exact]
// SOURCE-DAG: scalar-replacement:out[i] [exact]

static __global__ void sum(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = 0;
    for (int k = 0; k < n; ++k)
      out[i] += in[k];
  }
}

inline void sumAll(int n) {
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  sum<<<1, 64>>>(in, out, n);
  cudaFree(in);
  cudaFree(out);
}

// Two pointers that may name the same memory.
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement' --apply-all -- %fake_cuda \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement' --apply-all --needs-check -- %fake_cuda \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace --check-prefix=ALL
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement' --list-sites --needs-check -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES
// SITES: keep C[i] in a register over the loop at line 14
// SITES: C and A do not overlap

// Every launch that is seen passes buffers of their own.
__global__ void own(const float *A, float *C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++)
    C[i] += A[k];
}
//      CHECK:__global__ void own({{.*}}
//      CHECK:    sum += A[k];

// Nothing is known: only a run can tell.
__global__ void unseen(const float *A, float *C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++)
    C[i] += A[k];
}
//      CHECK:__global__ void unseen({{.*}}
//      CHECK:    C[i] += A[k];
//        ALL:__global__ void unseen({{.*}}
//        ALL:    sum += A[k];

// A launch passes one buffer twice.
__global__ void same(const float *A, float *C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++)
    C[i] += A[k];
}
//      CHECK:__global__ void same({{.*}}
//      CHECK:    C[i] += A[k];
//        ALL:__global__ void same({{.*}}
//        ALL:    C[i] += A[k];

int main() {
  float *a, *c;
  cudaMalloc((void **)&a, 1024);
  cudaMalloc((void **)&c, 1024);
  own<<<1, 32>>>(a, c);
  same<<<1, 32>>>(c, c);
}

// What a finding names: arrays as the source calls them, and a line even where
// the optimiser made one access of several.
// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s

template <typename F> __global__ void apply(F f) { f(threadIdx.x); }

// Names that are also how mangled names spell types.
__global__ void names(int *p) {
  __shared__ int f[8];
  // CHECK-DAG: places.cu:[[#@LINE+1]]:{{.*}} of shared array 'f' (32 bytes)
  p[threadIdx.x] = f[threadIdx.x];
  int s[4] = {1, 2, 3, 4};
  for (int k = 0; k < p[3]; ++k)
    s[k & 3] += k;
  // CHECK-DAG: places.cu:[[#@LINE+1]]:{{.*}} of array 's' (16 bytes)
  p[0] = s[(p[0] & 1) + 5];
}

namespace space {
struct Size {
  static constexpr int bytes = 32;
};
template <typename S> struct Holder {
  static __device__ int &at(int i) {
    __shared__ int tile[S::bytes / 4];
    return tile[i];
  }
};
} // namespace space

__global__ void inTemplate(int *p) {
  // CHECK-DAG: places.cu:[[#@LINE+1]]:{{.*}} of shared array 'tile' (32 bytes)
  p[threadIdx.x] = space::Holder<space::Size>::at(threadIdx.x);
}

// CHECK-DAG: in kernel f, block (0,0,0), thread (8,0,0)
extern "C" __global__ void f(int *p) { p[threadIdx.x] = 1; }

int main() {
  int *p;
  cudaMalloc(&p, 32);
  cudaMemset(p, 0, 32);
  names<<<1, 8>>>(p);
  inTemplate<<<1, 8>>>(p);
  f<<<1, 9>>>(p);
  cudaDeviceSynchronize();
  // CHECK-DAG: places.cu:[[#@LINE+1]]: out-of-bounds: 4 bytes written
  apply<<<1, 16>>>([=] __device__(int i) {
    if (i & 1)
      p[i] = 1;
    else
      p[i] = i;
  });
  return cudaDeviceSynchronize();
}

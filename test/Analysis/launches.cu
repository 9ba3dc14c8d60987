// Launches through chevrons, macros, functions; templates joined with the
// launch of their own instantiation; what runs in a host loop.
// RUN: cuda-l1-opt --dump-kernels %s -- %fake_cuda | FileCheck %s

#define BLOCK 128
#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, BLOCK>>>(__VA_ARGS__)

namespace outer {
namespace {
template <typename T, int N> __global__ void fill(T *a, T v) {
  for (int i = 0; i < N; ++i)
    a[threadIdx.x * N + i] = v;
}
} // namespace
} // namespace outer
extern "C" __global__ void plain(float *a) { a[threadIdx.x] = 0; }
static __global__ void hidden(float *a) { a[threadIdx.x] = 0; }
template <typename F> __global__ void apply(F f, float *a) {
  a[threadIdx.x] = f(a[threadIdx.x]);
}
__global__ void never(float *a) { a[0] = 1; }

int main() {
  float *a;
  double *b;
  int n = 1000;
  cudaMalloc((void **)&a, n * 4);
  cudaMalloc((void **)&b, n * 8);
  dim3 grid((n + 15) / 16, 4), block(16, 16);
  outer::fill<float, 4><<<grid, block>>>(a, 1.0f);
  outer::fill<double, 8><<<1, 32>>>(b, 1.0);
  for (int step = 0; step < 10; ++step)
    LAUNCH(plain, (n + BLOCK - 1) / BLOCK, a);
  hidden<<<n / 64, 64, 256>>>(a);
  apply<<<1, 32>>>([] __device__(float x) { return 2 * x; }, a);
}

// CHECK: kernel outer::(anonymous namespace)::fill<float, 4> (launches.cu:10)
// CHECK: loop line 11 depth 1: i from 0 to 4 step 1, 4 iterations
// CHECK: strided by 4
// CHECK: launch line 30: <<<>>> grid ((n + 15) / 16, 4) block (16, 16){{$}}
// CHECK: kernel outer::(anonymous namespace)::fill<double, 8> (launches.cu:10)
// CHECK: strided by 8
// CHECK: launch line 31: <<<>>> grid (1) block (32)
// CHECK: kernel plain
// CHECK: launch line 33: <<<>>> grid ((n + BLOCK - 1) / BLOCK) block (128), in a host loop, in a macro
// CHECK: kernel hidden
// CHECK: launch line 34: <<<>>> grid (n / 64) block (64) shared 256
// CHECK: kernel apply<(lambda at
// CHECK: launch line 35: <<<>>> grid (1) block (32)
// CHECK: kernel never
// CHECK-NOT: launch line

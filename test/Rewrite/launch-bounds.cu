// RUN: cuda-l1-opt %s --rules='-*,launch-bounds' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,launch-bounds' --apply-all -- %fake_cuda | diff %t.cu -
//
// A minimum of blocks per multiprocessor is a choice.
// RUN: cuda-l1-opt %s --rules='-*,launch-bounds' --apply='launch-bounds{minBlocks=4}' -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: {{^}}__global__ void __launch_bounds__(256, 4) plain(

// The largest of the launches counts; the first declaration stays as it is.
// CHECK: {{^}}__global__ void plain(float *a);
__global__ void plain(float *a);
// CHECK: {{^}}__global__ void __launch_bounds__(256) plain(float *a)
__global__ void plain(float *a) { a[threadIdx.x] = 1.0f; }

// CHECK: {{^}}static __global__ void __launch_bounds__(64) local(
static __global__ void local(float *a) { a[threadIdx.x] = 1.0f; }

// CHECK: {{^}}extern "C" __global__ void __launch_bounds__(32) c_name(
extern "C" __global__ void c_name(float *a) { a[threadIdx.x] = 1.0f; }

// CHECK:      {{^}}template <typename T>
// CHECK-NEXT: {{^}}__global__ void
// CHECK-NEXT: {{^}}__launch_bounds__(512) generic(T *a)
template <typename T>
__global__ void
generic(T *a) {
  a[threadIdx.x] = T(1);
}

namespace ns {
__global__ void outside(float *a);
}
// CHECK: {{^}}__global__ void __launch_bounds__(128) ns::outside(
__global__ void ns::outside(float *a) { a[threadIdx.x] = 1.0f; }

// The author has set a bound already.
// CHECK: {{^}}__global__ void __launch_bounds__(1024) bounded(
__global__ void __launch_bounds__(1024) bounded(float *a) { a[0] = 1.0f; }

// One launch has a block size that only a run knows.
// CHECK: {{^}}__global__ void unknown(
__global__ void unknown(float *a) { a[threadIdx.x] = 1.0f; }

// A function pointer may be launched with anything.
// CHECK: {{^}}__global__ void pointed(
__global__ void pointed(float *a) { a[threadIdx.x] = 1.0f; }

// Never launched: nothing is known.
// CHECK: {{^}}__global__ void unused(
__global__ void unused(float *a) { a[threadIdx.x] = 1.0f; }

// A block that changes after its declaration.
// CHECK: {{^}}__global__ void moved(
__global__ void moved(float *a) { a[threadIdx.x] = 1.0f; }

// The name comes from a macro.
#define DEFINE(name) __global__ void name##_made(float *a) { a[0] = 1.0f; }
// CHECK: {{^}}DEFINE(macro)
DEFINE(macro)

// The cases of the API that only ask are no launches.
void query() {
  cudaFuncSetCacheConfig(plain, cudaFuncCachePreferL1);
  cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
}

constexpr int kThreads = 64;
void (*table[])(float *) = {pointed};

int main() {
  float *a = nullptr;
  int n = a ? 3 : 5;
  plain<<<1, 128>>>(a);
  plain<<<n, dim3(16, 16)>>>(a);
  local<<<1, kThreads>>>(a);
  c_name<<<1, 32>>>(a);
  generic<float><<<1, 512>>>(a);
  generic<int><<<1, 256>>>((int *)a);
  ns::outside<<<1, 128>>>(a);
  bounded<<<1, 32>>>(a);
  unknown<<<1, 32>>>(a);
  unknown<<<1, n>>>(a);
  pointed<<<1, 32>>>(a);
  dim3 block(32);
  block.y = n;
  moved<<<1, block>>>(a);
  macro_made<<<1, 32>>>(a);
}

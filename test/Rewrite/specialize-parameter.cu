// RUN: cuda-l1-opt %s --rules='-*,specialize-parameter' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,specialize-parameter' --apply-all -- %fake_cuda | diff %t.cu -
//
// Other rules see the constant.
// RUN: cuda-l1-opt %t.cu --rules='-*,unroll-loop' --apply-all -- %fake_cuda | FileCheck %s --check-prefix=UNROLL
// UNROLL:      #pragma unroll{{$}}
// UNROLL-NEXT: {{^}}  for (int k = -radius; k <= radius; ++k)

enum Mode { Sum, Max };
namespace ns {
enum class Kind : short { A = 2, B };
}

// CHECK: {{^}}__global__ void filter(const float *in, float *out, int n, int radius);
__global__ void filter(const float *in, float *out, int n, int radius);
// CHECK:      {{^}}__global__ void filter(const float *in, float *out, int n, int /*radius*/) {
// CHECK-NEXT: {{^}}  constexpr int radius = 3; // All launches pass this.
// CHECK-NEXT: {{^}}  // The element of this thread.
__global__ void filter(const float *in, float *out, int n, int radius) {
  // The element of this thread.
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum += in[i + k + radius];
  out[i] = sum;
}

// CHECK: {{^}}__global__ void kinds(float *a, bool /*fast*/, const Mode /*mode*/, ns::Kind /*kind*/, unsigned long /*stride*/) {
// CHECK-DAG: {{^}}  constexpr bool fast = true;
// CHECK-DAG: {{^}}  constexpr Mode mode = Max;
// CHECK-DAG: {{^}}  constexpr ns::Kind kind = ns::Kind::B;
// CHECK-DAG: {{^}}  constexpr unsigned long stride = 64;
// CHECK: {{^}}  if (fast && mode == Sum)
__global__ void kinds(float *a, bool fast, const Mode mode, ns::Kind kind, unsigned long stride) {
  if (fast && mode == Sum)
    a[threadIdx.x * stride] = 1.0f;
  switch (kind) {
  case ns::Kind::A:
    a[1] = 2.0f;
  default:
    break;
  }
}

// CHECK:      {{^}}template <typename T> __global__ void generic(T *a, int /*step*/) {
// CHECK-NEXT: {{^}}  constexpr int step = 16; // All launches pass this.
template <typename T> __global__ void generic(T *a, int step) {
  for (int i = threadIdx.x; i < 1000; i += step)
    a[i] = T(0);
}

// CHECK: {{^}}__global__ void oneLine(float *a, int /*n*/) { constexpr int n = 5; a[threadIdx.x / n] = 1.0f; }
__global__ void oneLine(float *a, int n) { a[threadIdx.x / n] = 1.0f; }

constexpr int Radius = 3;

void launch(float *a, float *b, int n) {
  int radius = Radius;
  const int stride = 4 * 16;
  filter<<<n, 128>>>(a, b, n, radius);
  filter<<<n, 128>>>(a, b, 2 * n, 3);
  kinds<<<1, 32>>>(a, true, Max, ns::Kind::B, stride);
  generic<<<1, 32>>>(a, 16);
  generic<<<1, 32>>>((int *)a, stride / 4);
  oneLine<<<1, 32>>>(a, 5);
}

int main(int argc, char **) {
  launch(nullptr, nullptr, argc);
  return 0;
}

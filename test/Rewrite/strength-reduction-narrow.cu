// 64-bit variables that hold 32-bit values.
// RUN: cuda-l1-opt %s --rules='-*,strength-reduction' --apply-all -o %t.cu -- %fake_cuda
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %t.cu --rules='-*,strength-reduction' --apply-all -o %t.again.cu -- %fake_cuda
// RUN: diff %t.cu %t.again.cu
// RUN: cuda-l1-opt %s --rules='-*,strength-reduction' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES

// SITES: declare `i` as int instead of long long
// SITES: `i` is between 0 and 1000
// CHECK-LABEL: void narrow(
__global__ void narrow(float *out, unsigned short w) {
  // CHECK: for (int i = 0; i < 1000; ++i)
  for (long long i = 0; i < 1000; ++i)
    out[i * 7 + i % (w + 1)] = 1.0f;
  // CHECK: const unsigned j = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t j = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: size_t row = j / 3 + 1;
  size_t row = j / 3 + 1;
  out[row] = 2.0f;
}

// CHECK-LABEL: void wide(
__global__ void wide(float *out, unsigned *bits, int n, unsigned u, size_t big) {
  // The product needs 64 bits.
  // CHECK: size_t i = blockIdx.y * blockDim.y + threadIdx.y;
  size_t i = blockIdx.y * blockDim.y + threadIdx.y;
  out[i * n] = 1.0f;
  // So does the square.
  // CHECK: for (long long j = 0; j < 100000; ++j)
  for (long long j = 0; j < 100000; ++j)
    out[j * j] = 1.0f;
  // The sum itself is too large.
  // CHECK: size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  out[k / 3] = 1.0f;
  // A negative n counts far.
  // CHECK: for (size_t l = 0; l < n; ++l)
  for (size_t l = 0; l < n; ++l)
    out[l / 3] = 1.0f;
  // CHECK: for (size_t m = 0; m < big; ++m)
  for (size_t m = 0; m < big; ++m)
    out[m / 3] = 1.0f;
  // The size, the address, the type of the variable is asked for.
  // CHECK: long long a = threadIdx.x, b = threadIdx.x;
  long long a = threadIdx.x, b = threadIdx.x;
  // CHECK: long long c = threadIdx.x;
  long long c = threadIdx.x;
  // CHECK: long long d = threadIdx.x;
  long long d = threadIdx.x;
  out[a * 2 + b * 2 + c * 2 + sizeof(c) + d * 2] = 1.0f;
  auto e = d * 2;
  // The remainder is not a number below 2^32 any more.
  // CHECK: size_t f = threadIdx.x;
  size_t f = threadIdx.x;
  bits[0] = (f - 5) % 3 + e;
  // Nothing is gained.
  // CHECK: size_t g = threadIdx.x;
  size_t g = threadIdx.x;
  out[g] = u;
  // CHECK: long long h = threadIdx.x;
  long long h = threadIdx.x;
  printf("%lld", h * 2);
}

// RUN: cuda-l1-opt %s --rules='-*,keep-in-registers' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,keep-in-registers' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --list-sites --rules='-*,keep-in-registers' -- %fake_cuda | FileCheck %s --check-prefix=SITES

// SITES: keep-in-registers:in[row * cols + c], expf(in[row * cols + c] - most) {elements=4} {elements=8} {elements=16} {elements=32} [exact]
// SITES: the loops walk the same elements, one loop after the other, and nothing writes what they share

// What is read and what is computed; the last loop needs the latter only.
// CHECK-LABEL: {{^[^/]*}}void softmax
__global__ void softmax(const float *__restrict__ in, float *__restrict__ out, int cols) {
  __shared__ float partial[8];
  const int row = blockIdx.x;
  float most = in[row * cols];
  // CHECK:      {{^ *}}// The first 4 elements of a thread stay in registers.
  // CHECK-NEXT: float keptIn[4];
  // CHECK-NEXT: float keptExp[4];
  // CHECK-NEXT: #pragma unroll
  // CHECK-NEXT: for (int k = 0; k < 4; ++k) {
  // CHECK-NEXT:   const int c = threadIdx.x + k * 256;
  // CHECK-NEXT:   keptIn[k] = c < cols ? in[row * cols + c] : 0.0f;
  // CHECK-NEXT: }
  // CHECK-NEXT: #pragma unroll
  // CHECK-NEXT: for (int k = 0; k < 4; ++k) {
  // CHECK-NEXT:   const int c = threadIdx.x + k * 256;
  // CHECK-NEXT:   if (c < cols) {
  // CHECK-NEXT:     if (keptIn[k] > most)
  // CHECK-NEXT:       most = keptIn[k];
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  // CHECK-NEXT: for (int c = threadIdx.x + 1024; c < cols; c += 256)
  // CHECK-NEXT:   if (in[row * cols + c] > most)
  // CHECK-NEXT:     most = in[row * cols + c];
  for (int c = threadIdx.x; c < cols; c += 256)
    if (in[row * cols + c] > most)
      most = in[row * cols + c];
  for (int offset = 16; offset > 0; offset /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, offset));
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = most;
  __syncthreads();
  for (int warp = 0; warp < 8; ++warp)
    most = fmaxf(most, partial[warp]);
  float sum = 0.0f;
  // CHECK:      {{^ *}}float sum = 0.0f;
  // CHECK:      {{^ *}}keptExp[k] = expf(keptIn[k] - most);
  // CHECK-NEXT: if (c < cols) {
  // CHECK-NEXT:   sum += keptExp[k];
  // CHECK-NEXT: }
  // CHECK:      {{^ *}}for (int c = threadIdx.x + 1024; c < cols; c += 256)
  // CHECK-NEXT:   sum += expf(in[row * cols + c] - most);
  for (int c = threadIdx.x; c < cols; c += 256)
    sum += expf(in[row * cols + c] - most);
  // CHECK:      {{^ *}}if (c < cols) {
  // CHECK-NEXT:   // As written.
  // CHECK-NEXT:   out[row * cols + c] = keptExp[k] / sum;
  // CHECK-NEXT: }
  for (int c = threadIdx.x; c < cols; c += 256) {
    // As written.
    out[row * cols + c] = expf(in[row * cols + c] - most) / sum;
  }
}

// The step is the block; the index is a variable of each iteration; loops count
// with variables of different names.
// CHECK-LABEL: {{^[^/]*}}void normalise
__global__ void normalise(const float *__restrict__ x, float *__restrict__ y, float *sums, int n) {
  float sum = 0.0f;
  // CHECK:      {{^ *}}float keptX[8];
  // CHECK-NEXT: #pragma unroll
  // CHECK-NEXT: for (int k = 0; k < 8; ++k) {
  // CHECK-NEXT:   const int i = threadIdx.x + k * blockDim.x;
  // CHECK-NEXT:   if (i < n) {
  // CHECK-NEXT:     int at = blockIdx.x * n + i;
  // CHECK-NEXT:     float v = (keptX[k] = x[at]);
  // CHECK-NEXT:     sum += v * v;
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  // CHECK-NEXT: for (int i = threadIdx.x + 8 * blockDim.x; i < n; i += blockDim.x) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int at = blockIdx.x * n + i;
    float v = x[at];
    sum += v * v;
  }
  // CHECK:      {{^ *}}const int j = threadIdx.x + k * blockDim.x;
  // CHECK-NEXT: if (j < n) {
  // CHECK-NEXT:   y[blockIdx.x * n + j] = keptX[k] - sum;
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    y[blockIdx.x * n + j] = x[blockIdx.x * n + j] - sum;
}

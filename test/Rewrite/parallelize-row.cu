// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all -- %fake_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,parallelize-row' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --list-sites -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES
// Other rules first: the sites are still there.
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement,const-restrict,unroll-loop' --apply-all -- %fake_cuda > %t.others.cu
// RUN: cuda-l1-opt %t.others.cu --rules='-*,parallelize-row' --apply-all -- %fake_cuda \
// RUN:   | grep -v OTHERS | FileCheck %s --check-prefix=OTHERS
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply=parallelize-row:softmax{threads=128} -- %fake_cuda \
// RUN:   | grep -v BLOCK | FileCheck %s --check-prefix=BLOCK

// SITES:      parallelize-row:softmax {threads=32} {threads=256} {threads=128} {threads=64} [reassociate]
// SITES-NEXT: in softmax: share the rows of softmax among threads
// SITES-NEXT: because every loop of a row reduces into one value or handles each element by itself
// SITES-NEXT: because what the kernel computes outside of its loops depends on the row only
// SITES:      because its one launch is in this unit, can be changed and covers all rows
// SITES:      parallelize-row:greatest {{.*}} [exact]
// SITES:      parallelize-row:countAbove {{.*}} [exact]

// OTHERS-COUNT-8: const int lane = threadIdx.x % 32;

// BLOCK:      // The 128 threads of a block share a row.
// BLOCK-NEXT: __shared__ float partial[4];
// BLOCK-NEXT: const int thread = threadIdx.x;
// BLOCK-NEXT: int row = blockIdx.x;
// BLOCK-NEXT: if (row >= rows)
// BLOCK-NEXT:   return;
// BLOCK-NEXT: float most = in[row * cols];
// BLOCK-NEXT: for (int c = thread; c < cols; c += 128) {
// BLOCK:      for (int offset = 16; offset > 0; offset /= 2)
// BLOCK-NEXT:   most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, offset));
// BLOCK-NEXT: if (thread % 32 == 0)
// BLOCK-NEXT:   partial[thread / 32] = most;
// BLOCK-NEXT: __syncthreads();
// BLOCK-NEXT: most = partial[0];
// BLOCK-NEXT: for (int warp = 1; warp < 4; ++warp)
// BLOCK-NEXT:   most = fmaxf(most, partial[warp]);
// BLOCK:      sum += __shfl_xor_sync(0xffffffff, sum, offset);
// BLOCK-NEXT: __syncthreads();
// BLOCK-NEXT: if (thread % 32 == 0)
// BLOCK:      for (int c = thread; c < cols; c += 128)
// BLOCK:      softmax<<<rows, threads>>>(

// Two reductions that depend on each other, then each element.
// CHECK-LABEL: {{^[^/]*}}void softmax
__global__ void softmax(const float *in, float *out, int rows, int cols) {
  // CHECK:      {{^}}  // The 32 lanes of a warp share a row.
  // CHECK-NEXT: const int lane = threadIdx.x % 32;
  // CHECK-NEXT: int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  // CHECK-NEXT: if (row >= rows)
  // CHECK-NEXT:   return;
  // CHECK-NEXT: float most = in[row * cols];
  // CHECK-NEXT: for (int c = lane; c < cols; c += 32) {
  // CHECK-NEXT:   if (in[row * cols + c] > most)
  // CHECK-NEXT:     most = in[row * cols + c];
  // CHECK-NEXT: }
  // CHECK-NEXT: for (int offset = 16; offset > 0; offset /= 2)
  // CHECK-NEXT:   most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, offset));
  // CHECK-NEXT: float sum = 0.0f;
  // CHECK-NEXT: for (int c = lane; c < cols; c += 32)
  // CHECK-NEXT:   sum += expf(in[row * cols + c] - most);
  // CHECK-NEXT: for (int offset = 16; offset > 0; offset /= 2)
  // CHECK-NEXT:   sum += __shfl_xor_sync(0xffffffff, sum, offset);
  // CHECK-NEXT: for (int c = lane; c < cols; c += 32)
  // CHECK-NEXT:   out[row * cols + c] = expf(in[row * cols + c] - most) / sum;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float most = in[row * cols];
  for (int c = 1; c < cols; c++) {
    if (in[row * cols + c] > most)
      most = in[row * cols + c];
  }
  float sum = 0.0f;
  for (int c = 0; c < cols; c++)
    sum += expf(in[row * cols + c] - most);
  for (int c = 0; c < cols; c++)
    out[row * cols + c] = expf(in[row * cols + c] - most) / sum;
}

// Through pointers to the row; mean and variance in one loop; single stores;
// an element that two statements of an iteration write.
// CHECK-LABEL: {{^[^/]*}}void layerNorm
__global__ void layerNorm(const float *x, const float *gain, float *y, float *means, float *deviations, int rows, int cols) {
  int row = threadIdx.x + blockDim.x * blockIdx.x;
  if (row < rows) {
    const float *in = x + row * cols;
    float *out = y + row * cols;
    // CHECK:      for (int c = lane; c < cols; c += 32) {
    // CHECK-NEXT:   float v = in[c];
    // CHECK-NEXT:   sum += v;
    // CHECK-NEXT:   squares = fmaf(v, v, squares);
    // CHECK-NEXT: }
    // CHECK-NEXT: for (int offset = 16; offset > 0; offset /= 2) {
    // CHECK-NEXT:   sum += __shfl_xor_sync(0xffffffff, sum, offset);
    // CHECK-NEXT:   squares += __shfl_xor_sync(0xffffffff, squares, offset);
    // CHECK-NEXT: }
    // CHECK-NEXT: const float mean = sum / cols;
    // CHECK-NEXT: const float scale = rsqrtf(squares / cols - mean * mean + 1e-5f);
    // CHECK-NEXT: if (lane == 0) {
    // CHECK-NEXT:   means[row] = mean;
    // CHECK-NEXT:   deviations[row] = 1.0f / scale;
    // CHECK-NEXT: }
    // CHECK-NEXT: for (int c = lane; c < cols; c += 32) {
    float sum = 0, squares = 0;
    for (int c = 0; c < cols; c++) {
      float v = in[c];
      sum += v;
      squares = fmaf(v, v, squares);
    }
    const float mean = sum / cols;
    const float scale = rsqrtf(squares / cols - mean * mean + 1e-5f);
    means[row] = mean;
    deviations[row] = 1.0f / scale;
    for (int c = 0; c < cols; c++) {
      out[c] = (in[c] - mean) * scale;
      out[c] = out[c] * gain[c];
    }
  }
}

// The sum is kept in memory.
// CHECK-LABEL: {{^[^/]*}}void matvec
__global__ void matvec(const float *A, const float *x, float *y, float alpha, int n) {
  // CHECK:      if (i < n) {
  // CHECK-NEXT:   float sum = 0;
  // CHECK-NEXT:   for (int j = lane; j < n; j += 32)
  // CHECK-NEXT:     sum += A[i * n + j] * x[j];
  // CHECK-NEXT:   for (int offset = 16; offset > 0; offset /= 2)
  // CHECK-NEXT:     sum += __shfl_xor_sync(0xffffffff, sum, offset);
  // CHECK-NEXT:   sum *= alpha;
  // CHECK-NEXT:   if (lane == 0)
  // CHECK-NEXT:     y[i] = sum;
  // CHECK-NEXT: }
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = 0;
    for (int j = 0; j < n; j++)
      y[i] += A[i * n + j] * x[j];
    y[i] *= alpha;
  }
}

// Bounds from memory.
// CHECK-LABEL: {{^[^/]*}}void spmv
__global__ void spmv(int rows, const int *rowPtr, const int *cols, const float *values, const float *x, float *y) {
  // CHECK:      float sum = 0.0f;
  // CHECK-NEXT: for (int k = rowPtr[row] + lane; k < rowPtr[row + 1]; k += 32)
  // CHECK-NEXT:   sum += values[k] * x[cols[k]];
  // CHECK:      if (lane == 0)
  // CHECK-NEXT:   y[row] = sum;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    y[row] = 0.0f;
    for (int k = rowPtr[row]; k < rowPtr[row + 1]; k++)
      y[row] += values[k] * x[cols[k]];
  }
}

// Exact: a maximum by a function.
// CHECK-LABEL: {{^[^/]*}}void greatest
__global__ void greatest(const float *a, float *out, int rows, int cols) {
  // CHECK:      m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, offset));
  // CHECK-NEXT: if (lane == 0)
  // CHECK-NEXT:   out[row] = m;
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float m = -1e30f;
  for (int k = 0; k < cols; ++k)
    m = fmaxf(a[row * cols + k], m);
  out[row] = m;
}

// Exact: integers; a sum that begins anywhere; a store under a condition.
// CHECK-LABEL: {{^[^/]*}}void countAbove
__global__ void countAbove(const int *a, const int *first, int *count, int *flags, int rows, int cols, int limit) {
  // CHECK:      int total = first[row];
  // CHECK-NEXT: int least = a[row * cols];
  // CHECK-NEXT: if (lane > 0)
  // CHECK-NEXT:   total = 0;
  // CHECK-NEXT: for (int k = lane; k < cols; k += 32) {
  // CHECK:      for (int offset = 16; offset > 0; offset /= 2) {
  // CHECK-NEXT:   total += __shfl_xor_sync(0xffffffff, total, offset);
  // CHECK-NEXT:   least = min(least, __shfl_xor_sync(0xffffffff, least, offset));
  // CHECK-NEXT: }
  // CHECK-NEXT: if (lane == 0)
  // CHECK-NEXT:   count[row] = total;
  // CHECK-NEXT: if (least < 0 && lane == 0)
  // CHECK-NEXT:   flags[row] = 1;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  int total = first[row];
  int least = a[row * cols];
  for (int k = 0; k < cols; k++) {
    int v = a[row * cols + k];
    if (v > limit)
      total++;
    least = v < least ? v : least;
  }
  count[row] = total;
  if (least < 0)
    flags[row] = 1;
}

// One text for several types; braces come where a loop is the sole child.
// CHECK-LABEL: {{^[^/]*}}void norm
template <typename T> __global__ void norm(const T *a, T *out, int rows, int cols, bool squared) {
  // CHECK:      T sum = T(0);
  // CHECK-NEXT: if (squared) {
  // CHECK-NEXT:   for (int k = lane; k < cols; k += 32)
  // CHECK-NEXT:     sum += a[row * cols + k] * a[row * cols + k];
  // CHECK-NEXT:   for (int offset = 16; offset > 0; offset /= 2)
  // CHECK-NEXT:     sum += __shfl_xor_sync(0xffffffff, sum, offset);
  // CHECK-NEXT: }
  // CHECK-NEXT: else {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    T sum = T(0);
    if (squared)
      for (int k = 0; k < cols; ++k)
        sum += a[row * cols + k] * a[row * cols + k];
    else
      for (int k = 0; k < cols; ++k)
        sum += a[row * cols + k];
    for (int k = 0; k < cols; ++k)
      out[row * cols + k] = a[row * cols + k] / sum;
  }
}

// The author's names are taken; the variable is declared before its loops.
// CHECK-LABEL: {{^[^/]*}}void taken
__global__ void taken(const float *a, float *b, int rows, int cols, float lane, float offset) {
  // CHECK:      const int lane2 = threadIdx.x % 32;
  // CHECK:      for (k = lane2; k <= cols - 1; k += 32)
  // CHECK:      for (int offset2 = 16; offset2 > 0; offset2 /= 2)
  // CHECK:      for (k = lane2; k <= cols - 1; k += 32)
  int k;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float product = 1.0f;
    for (k = 0; k <= cols - 1; k += 1)
      product = a[row * cols + k] * product;
    for (k = 0; k <= cols - 1; k += 1)
      b[row * cols + k] = a[row * cols + k] * lane + offset * product;
  }
}

int main(int rows, char **) {
  int cols = 100;
  float *a, *b, *c, *d, *e, *f;
  int *p, *q, *r, *s;
  double *u, *v;
  size_t bytes = sizeof(float) * rows * cols;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, bytes);
  cudaMalloc(&d, bytes);
  cudaMalloc(&e, bytes);
  cudaMalloc(&f, bytes);
  cudaMalloc(&p, bytes);
  cudaMalloc(&q, bytes);
  cudaMalloc(&r, bytes);
  cudaMalloc(&s, bytes);
  cudaMalloc(&u, 2 * bytes);
  cudaMalloc(&v, 2 * bytes);
  // CHECK:      int threads = 256;
  // CHECK-NEXT: softmax<<<(rows + 7) / 8, threads>>>(a, b, rows, cols);
  int threads = 128;
  softmax<<<(rows + threads - 1) / threads, threads>>>(a, b, rows, cols);
  // CHECK:      dim3 block(256);
  // CHECK-NEXT: dim3 grid((rows + 7) / 8);
  // CHECK-NEXT: layerNorm<<<grid, block>>>(
  dim3 block(64);
  dim3 grid((rows + 63) / 64);
  layerNorm<<<grid, block>>>(a, c, b, d, e, rows, cols);
  // CHECK:      matvec<<<128, 256>>>(
  matvec<<<4, 256>>>(a, b, c, 2.0f, 1024);
  // CHECK:      const int width = 256;
  // CHECK-NEXT: const int blocks = (rows + 7) / 8;
  // CHECK-NEXT: spmv<<<blocks, width>>>(
  const int width = 128;
  const int blocks = (rows + width - 1) / width;
  spmv<<<blocks, width>>>(rows, p, q, a, b, c);
  // CHECK:      greatest<<<(2 * rows + 7) / 8, 256, 0, 0>>>(a, b, 2 * rows, cols);
  greatest<<<(2 * rows + 31) / 32, 32, 0, 0>>>(a, b, 2 * rows, cols);
  // CHECK:      countAbove<<<(rows + 7) / 8, 256>>>(
  countAbove<<<(rows + 255) / 256, 256>>>(p, q, r, s, rows, cols, 5);
  // A launch that starts for no rows goes on to.
  // CHECK:      countAbove<<<rows / 8 + 1, 256>>>(
  countAbove<<<rows / 128 + 1, 128>>>(p, q, r, s, rows, cols, 6);
  // CHECK:      norm<<<(rows + 7) / 8, 256>>>(a, b, rows, cols, true);
  // CHECK-NEXT: norm<<<(rows + 7) / 8, 256>>>(u, v, rows, cols, false);
  norm<<<(rows + 127) / 128, 128>>>(a, b, rows, cols, true);
  norm<<<(rows + 255) / 256, 256>>>(u, v, rows, cols, false);
  taken<<<(rows + 127) / 128, 128>>>(a, b, rows, cols, 1.0f, 2.0f);
}

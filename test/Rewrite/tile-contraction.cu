// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,tile-contraction' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --list-sites -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES
// Other rules first: the site is still there, and the result is parsed again.
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement,const-restrict,unroll-loop' --apply-all -- %fake_cuda > %t.others.cu
// RUN: cuda-l1-opt %t.others.cu --rules='-*,tile-contraction' --apply-all -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=OTHERS
// RUN: cuda-l1-opt %s --rules='-*,swap-thread-indices,hoist-invariant,strength-reduction' --apply-all -- %fake_cuda > %t.swapped.cu
// RUN: cuda-l1-opt %t.swapped.cu --rules='-*,tile-contraction' --apply-all -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=OTHERS
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply=tile-contraction:scaled{bm=64,bn=64,bk=16,tm=4,tn=4} -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SMALL

// SITES:      tile-contraction:scaled {bk=8,bm=128,bn=128,tm=8,tn=8} {bk=16,bm=128,bn=128,tm=8,tn=8}
// SITES-SAME: {bk=32,bm=32,bn=32,tm=2,tn=2} [exact]
// SITES-NEXT: in scaled: compute scaled in tiles
// SITES-NEXT: because each thread sums up products of an element of its row and one of its column, and does nothing else
// SITES-NEXT: because every sum adds the same products in the same order
// SITES:      because its one launch is in this unit, can be changed and covers all rows and columns

// OTHERS-COUNT-10: constexpr int BM = 128

// SMALL:      __launch_bounds__(256) scaled(
// SMALL:      constexpr int BM = 64, BN = 64, BK = 16, TM = 4, TN = 4;
// SMALL:      regA[i] = tileA[stage][k][threadRow + i];
// SMALL:      const int row = blockRow + threadRow + i;
// SMALL:      dim3 grid((n + 63) / 64, (m + 63) / 64);

// Local sum, sizes M, N and K, leading dimensions, scaling.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) scaled
__global__ void scaled(int M, int N, int K, float alpha, const float *A, int lda,
                       const float *B, int ldb, float beta, float *C, int ldc) {
  // CHECK:      {{^}}  // A block computes BM x BN elements of C, a thread TM x TN of them.
  // CHECK-NEXT: constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
  // CHECK-NEXT: constexpr int threads = (BM / TM) * (BN / TN);
  // CHECK-NEXT: __shared__ __align__(16) float tileA[2][BK][BM + 4];
  // CHECK-NEXT: __shared__ __align__(16) float tileB[2][BK][BN];
  // CHECK-NEXT: const int blockRow = blockIdx.y * BM;
  // CHECK-NEXT: const int blockCol = blockIdx.x * BN;
  // CHECK-NEXT: const int threadRow = threadIdx.x / (BN / TN) * 4;
  // CHECK-NEXT: const int threadCol = threadIdx.x % (BN / TN) * 4;
  // CHECK-NEXT: const bool wideA = lda % 4 == 0;
  // CHECK-NEXT: const bool wideB = ldb % 4 == 0;
  // CHECK:      if (wideA && row < M && k + 3 < K) {
  // CHECK-NEXT: const float4 v = *reinterpret_cast<const float4 *>(&A[row * lda + k]);
  // CHECK-NEXT: nextA[i] = v.x;
  // CHECK:      nextA[i + j] = row < M && k < K ? A[row * lda + k] : -0.0f;
  // CHECK:      if (wideB && col + 3 < N && k < K) {
  // CHECK:      nextB[i + j] = col < N && k < K ? B[k * ldb + col] : 0.0f;
  // CHECK:      tileA[stage][e % BK + j][e / BK] = nextA[i + j];
  // CHECK:      tileB[stage][e / BN][e % BN + j] = nextB[i + j];
  // CHECK:      float acc[TM][TN] = {};
  // CHECK-NEXT: load(0);
  // CHECK-NEXT: store(0);
  // CHECK-NEXT: __syncthreads();
  // CHECK-NEXT: for (int kStart = 0, stage = 0; kStart < K; kStart += BK, stage ^= 1) {
  // CHECK:      for (int k = 0; k < BK; ++k) {
  // CHECK:      regB[j] = tileB[stage][k][threadCol + j / 4 * (BN / TN * 4) + j % 4];
  // CHECK:      acc[i][j] += regA[i] * regB[j];
  // CHECK:      const int row = blockRow + threadRow + i / 4 * (BM / TM * 4) + i % 4;
  // CHECK-NEXT: const int col = blockCol + threadCol + j / 4 * (BN / TN * 4) + j % 4;
  // CHECK-NEXT: if (row < M && col < N)
  // CHECK-NEXT: C[row * ldc + col] = alpha * acc[i][j] + beta * C[row * ldc + col];
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N)
    return;
  float acc = 0.0f;
  for (int k = 0; k < K; ++k)
    acc += A[row * lda + k] * B[k * ldb + col];
  C[row * ldc + col] = alpha * acc + beta * C[row * ldc + col];
}

// Both factors transposed, an element-wise epilogue; i and j are taken.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) withBias
__global__ void withBias(const float *a, const float *b, const float *bias, float *c, int m, int n, int k) {
  // CHECK:      tileA[2][BK][BM];
  // CHECK-NEXT: tileB[2][BK][BN + 4];
  // CHECK-NEXT: const int blockI = blockIdx.y * BM;
  // CHECK:      if (wideA && i + 3 < m && p < k) {
  // CHECK:      for (int v = 0; v < 4; ++v, ++i)
  // CHECK-NEXT: nextA[u + v] = i < m && p < k ? a[p * m + i] : -0.0f;
  // CHECK:      if (i < m && j < n)
  // CHECK-NEXT: s[u][v] = bias[j];
  // CHECK:      float x = regA[u];
  // CHECK-NEXT: float y = regB[v];
  // CHECK-NEXT: s[u][v] += x * y;
  // CHECK:      if (i < m && j < n) {
  // CHECK-NEXT: // No negative ones.
  // CHECK-NEXT: if (s[u][v] < 0.0f)
  // CHECK-NEXT: {{^}}          s[u][v] = 0.0f;
  // CHECK-NEXT: c[i * n + j] = s[u][v];
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) {
    float s = bias[j];
    for (int p = 0; p < k; p++) {
      float x = a[p * m + i];
      float y = b[j * k + p];
      s += x * y;
    }
    // No negative ones.
    if (s < 0.0f)
      s = 0.0f;
    c[i * n + j] = s;
  }
}

// The sum is kept in C, a third factor, blocks of a constant size.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256) gemm
__global__ void gemm(double *A, double *B, double *C, double alpha, double beta, int n) {
  // CHECK:      const bool wide = n % 2 == 0;
  // CHECK:      const double2 v
  // CHECK:      A[i * n + k] : 0.0;
  // CHECK:      double sum[TM][TN] = {};
  // CHECK:      sum[r][c] = C[i * n + j] * beta;
  // CHECK:      sum[r][c] += alpha * regA[r] * regB[c];
  // CHECK:      for (int k = 0; kStart + k < n; ++k)
  // CHECK:      C[i * n + j] = sum[r][c];
  int tx = threadIdx.x, ty = threadIdx.y;
  int j = blockIdx.x * 16 + tx;
  int i = blockIdx.y * 16 + ty;
  if (i < n && j < n) {
    C[i * n + j] *= beta;
    for (int k = 0; k < n; k++)
      C[i * n + j] += alpha * A[i * n + k] * B[k * n + j];
  }
}

// A batch along z, indices of 64 bits, fused operations.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) batched
__global__ void batched(const float *A, const float *B, float *C, size_t n) {
  // CHECK:      int b = blockIdx.z;
  // CHECK-NEXT: const float *pa = A + b * n * n;
  // CHECK-NEXT: const float *pb = B + b * n * n;
  // CHECK-NEXT: const size_t blockRow = blockIdx.y * BM;
  // CHECK:      const bool wide = n % 4 == 0;
  // CHECK:      auto load = [&](size_t kStart) {
  // CHECK:      const size_t row = blockRow + e / BK;
  // CHECK-NEXT: size_t k = kStart + e % BK;
  // CHECK:      (&pa[row * n + k]);
  // CHECK:      int stage = 0;
  // CHECK-NEXT: for (size_t kStart = 0; kStart < n; kStart += BK, stage ^= 1) {
  // CHECK:      sum[i][j] = fmaf(regA[i], regB[j], sum[i][j]);
  int b = blockIdx.z;
  const float *pa = A + b * n * n;
  const float *pb = B + b * n * n;
  size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) {
    float sum = 0;
    for (size_t k = 0; k < n; k++)
      sum = fmaf(pa[row * n + k], pb[k * n + col], sum);
    C[b * n * n + row * n + col] = sum;
  }
}

// Rows along x and C transposed: what is contiguous in C is the second extent
// of a tile. A template has no vector loads. The pragma goes with the loop.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256) product
template <typename T> __global__ void product(const T *A, const T *B, T *C, int M, int N, int K) {
  // CHECK:      __shared__ __align__(16) T tileB[2][BK][BM];
  // CHECK-NEXT: __shared__ __align__(16) T tileA[2][BK][BN + 4];
  // CHECK-NEXT: const int blockCol = blockIdx.y * BM;
  // CHECK-NEXT: const int blockRow = blockIdx.x * BN;
  // CHECK:      nextB[i] = col < N && k < K ? B[k * N + col] : T(0);
  // CHECK:      const int at = row * K + k;
  // CHECK-NEXT: nextA[i] = row < M && k < K ? A[at] : T(0);
  // CHECK:      T sum[TM][TN] = {};
  // CHECK-NOT:  unroll 4
  // CHECK:      sum[i][j] -= regA[j] * regB[i];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M) {
    if (col < N) {
      T sum = T(0);
#pragma unroll 4
      for (int k = 0; k < K; ++k) {
        const int at = row * K + k;
        sum -= A[at] * B[k * N + col];
      }
      C[col * M + row] = sum;
    }
  }
}

// Continues what C holds, which a loop without iterations leaves alone.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) adds
__global__ void adds(const int *A, const int *B, int *C, int n) {
  // CHECK:      if (n <= 0)
  // CHECK-NEXT: return;
  // CHECK:      int base = row * n;
  // CHECK-NEXT: int k = kStart + e % BK;
  // CHECK:      A[base + k] : 0;
  // CHECK:      sum[i][j] = C[base + col];
  // CHECK:      sum[i][j] = sum[i][j] + regA[i] * regB[j];
  // CHECK:      C[base + col] = sum[i][j];
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int base = row * n;
  if (row < n && col < n)
    for (int k = 0; k < n; ++k)
      C[base + col] = C[base + col] + A[base + k] * B[k * n + col];
}

#define SIZE 100

// Sizes known at compile time need no test.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) fixed
__global__ void fixed(float *__restrict__ c, const float *a, const float *b) {
  // CHECK-NOT:  wide
  // CHECK:      if (row < SIZE && k + 3 < SIZE) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  if (row < SIZE && col < SIZE) {
    for (int k = 0; k < SIZE; ++k)
      sum += a[row * SIZE + k] * b[k * SIZE + col];
    c[row * SIZE + col] = sum;
  }
}

// Without guards the launch says how many rows and columns there are; whole
// tiles need no guard at all.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) whole
__global__ void whole(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
  // CHECK:      int k = kStart + e % BK;
  // CHECK-NEXT: const float4 v = *reinterpret_cast<const float4 *>(&a[row * 256 + k]);
  // CHECK-NOT:  if (
  // CHECK:      if (kStart + BK < 256)
  // CHECK:      // Done.
  // CHECK-NEXT: c[row * 256 + col] = sum[i][j];
  // CHECK-NEXT: }
  int col = blockIdx.x * 16 + threadIdx.x;
  int row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0.0f; // Begin.
  int k;
  for (k = 0; k < 256; k++)
    sum += a[row * 256 + k] * b[k * 256 + col]; // Go on.
  // Done.
  c[row * 256 + col] = sum; // End.
}

// The bounds of the old block give way.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) divided
__global__ void __launch_bounds__(512) divided(const float *a, const float *b, float *c, int n) {
  // CHECK:      if (wide && row < n / 16 * 16 && k + 3 < n) {
  // CHECK-NEXT: const float4 v = *reinterpret_cast<const float4 *>(&a[row * n + k]);
  // CHECK:      k < n ? __ldg(&a[row * n + k]) : -0.0f;
  // CHECK:      if (row < n / 16 * 16 && col < n / 16 * 16)
  // CHECK-NEXT: c[row * n + col] = sum[i][j];
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < n; k++)
    sum += __ldg(&a[row * n + k]) * __ldg(&b[k * n + col]);
  c[row * n + col] = sum;
}

// A block of one dimension that the kernel cuts itself.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) cut
template <int SIDE> __global__ void cut(const float *a, const float *b, float *c, int n) {
  // CHECK:      const int blockRow = blockIdx.x * BM;
  // CHECK:      const int blockCol = blockIdx.y * BN;
  // CHECK:      const int row = blockRow + e / BK;
  const int row = blockIdx.x * SIDE + (threadIdx.x / SIDE);
  const int col = blockIdx.y * SIDE + (threadIdx.x % SIDE);
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// CHECK-LABEL: {{^[^/]*}}int main
int main(int argc, char **argv) {
  int n = argc * 100, m = argc * 50, k = argc * 30;
  float *a, *b, *c, *d;
  double *x, *y, *z;
  int *p, *q, *r;
  cudaMalloc(&a, n), cudaMalloc(&b, n), cudaMalloc(&c, n), cudaMalloc(&d, n);
  cudaMalloc(&x, n), cudaMalloc(&y, n), cudaMalloc(&z, n);
  cudaMalloc(&p, n), cudaMalloc(&q, n), cudaMalloc(&r, n);
  // CHECK:      dim3 block(256);
  // CHECK-NEXT: dim3 grid((n + 127) / 128, (m + 127) / 128);
  // CHECK-NEXT: scaled<<<grid, 256>>>(m, n, k, 1.5f, a, k, b, n, 0.5f, c, n);
  // CHECK-NEXT: withBias<<<dim3((n + 127) / 128, (m + 127) / 128), 256>>>(a, b, d, c, m, n, k);
  // CHECK-NEXT: gemm<<<dim3((n + 127) / 128, (n + 127) / 128), 256>>>(x, y, z, 1.0, 2.0, n);
  // CHECK-NEXT: batched<<<dim3((n + 127) / 128, (n + 127) / 128, 7), 256>>>(a, b, c, n);
  // CHECK-NEXT: product<float><<<dim3((m + 127) / 128, (n + 127) / 128), 256>>>(a, b, c, m, n, k);
  // CHECK-NEXT: product<double><<<dim3((m + 127) / 128, (n + 127) / 128), 256>>>(x, y, z, m, n, k);
  // CHECK-NEXT: adds<<<dim3((n + 127) / 128, (n + 127) / 128), 256>>>(p, q, r, n);
  // CHECK-NEXT: fixed<<<1, 256>>>(c, a, b);
  // CHECK-NEXT: whole<<<dim3(2, 2), 256>>>(a, b, c);
  // CHECK-NEXT: divided<<<dim3((n / 16 * 16 + 127) / 128, (n / 16 * 16 + 127) / 128), block>>>(a, b, c, n);
  // CHECK-NEXT: cut<32><<<dim3((n + 127) / 128, (n + 127) / 128), 256>>>(a, b, c, n);
  dim3 block(16, 16);
  dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
  scaled<<<grid, block>>>(m, n, k, 1.5f, a, k, b, n, 0.5f, c, n);
  withBias<<<dim3((n + 31) / 32, (m + 7) / 8), dim3(32, 8)>>>(a, b, d, c, m, n, k);
  gemm<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(x, y, z, 1.0, 2.0, n);
  batched<<<dim3((n + 15) / 16, (n + 15) / 16, 7), block>>>(a, b, c, n);
  product<float><<<dim3((m + 15) / 16, (n + 15) / 16), block>>>(a, b, c, m, n, k);
  product<double><<<dim3((m + 15) / 16, (n + 15) / 16), block>>>(x, y, z, m, n, k);
  adds<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(p, q, r, n);
  fixed<<<dim3((size_t)ceilf((float)SIZE / (float)block.x), ceilf(float(SIZE) / block.y)), block>>>(c, a, b);
  whole<<<dim3(16, 16), block>>>(a, b, c);
  divided<<<dim3(n / 16, n / 16), block>>>(a, b, c, n);
  cut<32><<<dim3(ceil(n / 32.0), (n + 31) / 32), dim3(32 * 32)>>>(a, b, c, n);
  return 0;
}

// What scalar-replacement rewrites. Without launches nothing is known of the
// buffers, so parameters are __restrict__ here; scalar-replacement-alias.cu
// tells of the rest.
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement' --apply-all -o %t.cu -- %fake_cuda
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.cu
// A second run finds nothing more to do.
// RUN: cuda-l1-opt %t.cu --rules='-*,scalar-replacement' --apply-all -o %t2.cu -- %fake_cuda
// RUN: diff %t.cu %t2.cu

// The store before the loop becomes the first value.
__global__ void product(const float *__restrict__ A, const float *__restrict__ B,
                        float *__restrict__ C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) {
    C[row * n + col] = 0.0f; // empty
    // Sum over the common dimension.
    for (int k = 0; k < n; k++)
      C[row * n + col] += A[row * n + k] * B[k * n + col]; // one term
  }
}
//      CHECK:__global__ void product({{.*}}
//      CHECK:  if (row < n && col < n) {
// CHECK-NEXT:    float sum = 0.0f; // empty
// CHECK-NEXT:    // Sum over the common dimension.
// CHECK-NEXT:    for (int k = 0; k < n; k++)
// CHECK-NEXT:      sum += A[row * n + k] * B[k * n + col]; // one term
// CHECK-NEXT:    C[row * n + col] = sum;
// CHECK-NEXT:  }

// The first value may be computed from the old one, and a declaration may
// stand between.
#define BETA 1.5f
__global__ void scaled(const float *__restrict__ A, float *__restrict__ C,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  C[i] *= BETA + 1;
  int k;
  for (k = 0; k < n; k++) {
    C[i] += A[k];
  }
}
//      CHECK:__global__ void scaled({{.*}}
//      CHECK:  float sum = C[i] * (BETA + 1);
// CHECK-NEXT:  int k;
// CHECK-NEXT:  for (k = 0; k < n; k++) {
// CHECK-NEXT:    sum += A[k];
// CHECK-NEXT:  }
// CHECK-NEXT:  C[i] = sum;

// The guard on the row proves that the loop runs: no other value of n leads
// there.
__global__ void guarded(const float *__restrict__ A, float *__restrict__ C,
                        int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < n; k++)
    C[i] += A[k];
}
//      CHECK:__global__ void guarded({{.*}}
//      CHECK:    return;
// CHECK-NEXT:  float sum = C[i];
// CHECK-NEXT:  for (int k = 0; k < n; k++)
// CHECK-NEXT:    sum += A[k];
// CHECK-NEXT:  C[i] = sum;

// Nothing is known of m: where the loop does not run, C is not touched.
__global__ void maybeNone(const float *__restrict__ A, float *__restrict__ C,
                          int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < m; k++)
    C[i] += A[k];
}
//      CHECK:__global__ void maybeNone({{.*}}
//      CHECK:  float sum = m > 0 ? C[i] : 0.0f;
// CHECK-NEXT:  for (int k = 0; k < m; k++)
// CHECK-NEXT:    sum += A[k];
// CHECK-NEXT:  if (m > 0) C[i] = sum;

// The statement after the loop touches the element in any case.
__global__ void touchedAfter(const float *__restrict__ A, float *__restrict__ C,
                             int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < m; k++)
    if (A[k] > 0)
      C[i] -= A[k];
  C[i] /= m;
}
//      CHECK:__global__ void touchedAfter({{.*}}
//      CHECK:  float sum = C[i];
// CHECK-NEXT:  for (int k = 0; k < m; k++)
// CHECK-NEXT:    if (A[k] > 0)
// CHECK-NEXT:      sum -= A[k];
// CHECK-NEXT:  C[i] = sum;
// CHECK-NEXT:  C[i] /= m;

// Both loops at once; the type as the author spells it; a name that is free.
typedef double real_t;
#define DATA_TYPE float
template <class T>
__global__ void nested(const T *__restrict__ A, T *__restrict__ out,
                       const DATA_TYPE *__restrict__ B,
                       DATA_TYPE *__restrict__ C, real_t *__restrict__ D) {
  int i = threadIdx.x;
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 3; x++)
      out[i] += A[y * 3 + x];
  for (int sum = 0; sum < 4; sum++)
    C[i] += B[sum];
  for (int k = 0; k < 4; k++)
    D[i] = D[i] * k;
}
template __global__ void nested(const float *, float *, const float *, float *,
                                double *);
template __global__ void nested(const int *, int *, const float *, float *,
                                double *);
//      CHECK:__global__ void nested({{.*}}
//      CHECK:  T outSum = out[i];
// CHECK-NEXT:  for (int y = 0; y < 3; y++)
// CHECK-NEXT:    for (int x = 0; x < 3; x++)
// CHECK-NEXT:      outSum += A[y * 3 + x];
// CHECK-NEXT:  out[i] = outSum;
// CHECK-NEXT:  DATA_TYPE cSum = C[i];
// CHECK-NEXT:  for (int sum = 0; sum < 4; sum++)
// CHECK-NEXT:    cSum += B[sum];
// CHECK-NEXT:  C[i] = cSum;
// CHECK-NEXT:  real_t dProduct = D[i];
// CHECK-NEXT:  for (int k = 0; k < 4; k++)
// CHECK-NEXT:    dProduct = dProduct * k;
// CHECK-NEXT:  D[i] = dProduct;

// A macro that makes the pointer as well does not spell the element.
#define OUTPUT float *__restrict__
__global__ void pointerMacro(const float *__restrict__ A, OUTPUT C) {
  for (int k = 0; k < 8; k++)
    C[threadIdx.x] += A[k];
}
//      CHECK:__global__ void pointerMacro({{.*}}
//      CHECK:  float sum = C[threadIdx.x];

// A loop that is the sole child of an if gets braces; the pragma stays with the
// loop; break is no harm; narrow types keep their width.
__global__ void bare(const char *__restrict__ A, char *__restrict__ C, int n) {
  int i = threadIdx.x;
  if (i < n)
#pragma unroll 4
    for (int k = 0; k < n; k++) {
      C[i] += A[k];
      if (A[k] == 0)
        break;
    }
}
//      CHECK:__global__ void bare({{.*}}
//      CHECK:  if (i < n) {
// CHECK-NEXT:    char sum = C[i];
// CHECK-NEXT:#pragma unroll 4
// CHECK-NEXT:    for (int k = 0; k < n; k++) {
// CHECK-NEXT:      sum += A[k];
// CHECK-NEXT:      if (A[k] == 0)
// CHECK-NEXT:        break;
// CHECK-NEXT:    }
// CHECK-NEXT:    C[i] = sum;
// CHECK-NEXT:  }

// Read again and again, while another array is written.
__global__ void reread(const float *__restrict__ x, float *__restrict__ y,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < n; j++)
      y[i * n + j] = x[i] * j;
}
//      CHECK:__global__ void reread({{.*}}
//      CHECK:  if (i < n) {
// CHECK-NEXT:    const float xValue = x[i];
// CHECK-NEXT:    for (int j = 0; j < n; j++)
// CHECK-NEXT:      y[i * n + j] = xValue * j;
// CHECK-NEXT:  }

// Components of one element, and members, lie apart.
struct Body {
  float x, vx;
};
__global__ void apart(float *__restrict__ f, Body *__restrict__ p, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  for (int j = 0; j < n; j++) {
    f[2 * i] += p[j].x;
    f[2 * i + 1] -= p[j].x;
    p[i].vx += p[j].x;
  }
}
//      CHECK:__global__ void apart({{.*}}
//      CHECK:  float sum = f[2 * i];
// CHECK-NEXT:  float fSum = f[2 * i + 1];
// CHECK-NEXT:  float pSum = p[i].vx;
// CHECK-NEXT:  for (int j = 0; j < n; j++) {
// CHECK-NEXT:    sum += p[j].x;
// CHECK-NEXT:    fSum -= p[j].x;
// CHECK-NEXT:    pSum += p[j].x;
// CHECK-NEXT:  }

// A shared element; the index comes from memory that nothing writes.
__global__ void shared(const int *__restrict__ where,
                       const float *__restrict__ v, float *__restrict__ out) {
  __shared__ float tile[8][8];
  int i = threadIdx.x;
  tile[i][0] = 0;
  for (int k = 0; k < 8; k++)
    tile[i][0] += v[k];
  __syncthreads();
  for (int k = 0; k < 8; k++)
    out[where[i]] += tile[k][0];
}
//      CHECK:__global__ void shared({{.*}}
//      CHECK:  float sum = 0;
// CHECK-NEXT:  for (int k = 0; k < 8; k++)
// CHECK-NEXT:    sum += v[k];
// CHECK-NEXT:  tile[i][0] = sum;
// CHECK-NEXT:  __syncthreads();
// CHECK-NEXT:  float outSum = out[where[i]];
// CHECK-NEXT:  for (int k = 0; k < 8; k++)
// CHECK-NEXT:    outSum += tile[k][0];
// CHECK-NEXT:  out[where[i]] = outSum;

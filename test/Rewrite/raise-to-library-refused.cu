// Each of these is close to a matrix product and is not raised, or only where a
// run can confirm it.
// RUN: cuda-l1-opt %s --rules=raise-to-library --fp-class=reassociate --apply-all -- %fake_cuda | grep -v ONE | FileCheck %s --check-prefix=ONE
// RUN: cuda-l1-opt %s --rules=raise-to-library --fp-class=reassociate --list-sites -- %fake_cuda | FileCheck %s --check-prefix=MAYBE
// The unit as a whole: threads, devices, graphs, a default stream for each
// thread, code that is not seen.
// RUN: cuda-l1-opt %s --rules=raise-to-library --fp-class=reassociate --list-sites -- %fake_cuda -DTWO_DEVICES | count 0
// RUN: cuda-l1-opt %s --rules=raise-to-library --fp-class=reassociate --list-sites -- %fake_cuda -DGRAPH | count 0
// RUN: cuda-l1-opt %s --rules=raise-to-library --fp-class=reassociate --list-sites -- %fake_cuda -DUNSEEN | count 0
// RUN: cuda-l1-opt %s --rules=raise-to-library --fp-class=reassociate --list-sites -- %fake_cuda -DTHREADS | count 0
// RUN: cuda-l1-opt %s --rules=raise-to-library --fp-class=reassociate --list-sites -- %fake_cuda -DRESET | count 0
// RUN: cuda-l1-opt %s --rules=raise-to-library --fp-class=reassociate --list-sites -- %fake_cuda -DNO_MAIN | count 0
// RUN: cuda-l1-opt %s --rules=raise-to-library --fp-class=reassociate --list-sites -- %fake_cuda --default-stream=per-thread | count 0

// ONE:     rightCublas(a, b, c, n);
// ONE-NOT: Cublas(

// MAYBE:      raise-to-library:right
// MAYBE:      raise-to-library:maybe [reassociate, needs-check]
// MAYBE:      only if C holds no NaN and no infinity where its scale is 0: cuBLAS does not read it then
// MAYBE-NOT:  : raise-to-library

#define PLACE                                                                  \
  int row = blockIdx.y * blockDim.y + threadIdx.y;                             \
  int col = blockIdx.x * blockDim.x + threadIdx.x;

cudaError_t cudaSetDevice(int);
cudaError_t cudaDeviceReset();

__global__ void right(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// C might be NaN, which 0 * C is as well.
__global__ void maybe(const float *A, const float *B, float *C, int n, float beta) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum + beta * C[row * n + col];
  }
}

// Float products summed up in double.
__global__ void wideSum(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    double sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// Scaled in double.
__global__ void wideScale(const float *A, const float *B, float *C, int n, double alpha) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = alpha * sum;
  }
}

__global__ void integers(const int *A, const int *B, int *C, int n) {
  PLACE
  if (row < n && col < n) {
    int sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// Rows of A overlap: each begins one element after the last.
__global__ void sliding(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// Rows of A lie apart by what may be less than their length.
__global__ void overlapping(const float *A, int lda, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * lda + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// Every second element.
__global__ void everySecond(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * 2 * n + 2 * k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// More than a scale follows.
__global__ void rectified(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = fmaxf(sum, 0.0f);
  }
}

__global__ void biased(const float *A, const float *B, float *C, const float *bias, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = bias[col];
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// A sum that begins at 1, and a constant besides.
__global__ void fromOne(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 1;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// Squares of differences.
__global__ void distances(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += (A[row * n + k] - B[k * n + col]) * (A[row * n + k] - B[k * n + col]);
    C[row * n + col] = sum;
  }
}

// 0 * C is NaN where C is.
__global__ void timesZero(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum + 0.0f * C[row * n + col];
  }
}

// Only a part of the rows has a thread.
__global__ void halfGrid(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// Each is added once for each block along z.
__global__ void threeDeep(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// The output is a factor, too.
__global__ void inPlace(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// Sizes that an int does not hold.
__global__ void wideSizes(const float *A, const float *B, float *C, long long n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (long long k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

// Its launch is written in a macro.
__global__ void inMacro(const float *A, const float *B, float *C, int n) {
  PLACE
  if (row < n && col < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}
#define LAUNCH(K) K<<<grid, block>>>(a, b, c, n)

#ifdef UNSEEN
void elsewhere();
#endif
#ifdef THREADS
extern "C" int pthread_create(void *, void *, void *(*)(void *), void *);
#endif

#ifdef NO_MAIN
static int run(int n, float beta, int lda) {
#else
int main(int n, char **argv) {
  float beta = n / 2.0f;
  int lda = n / 2;
#endif
#ifdef TWO_DEVICES
  cudaSetDevice(0);
  cudaSetDevice(1);
#endif
#ifdef UNSEEN
  elsewhere();
#endif
#ifdef THREADS
  pthread_create(nullptr, nullptr, nullptr, nullptr);
#endif
  float *a, *b, *c, *v;
  int *x, *y, *z;
  cudaMalloc(&a, 4 * n * n);
  cudaMalloc(&b, 4 * n * n);
  cudaMalloc(&c, 4 * n * n);
  cudaMalloc(&v, 4 * n);
  cudaMalloc(&x, 4 * n * n);
  cudaMalloc(&y, 4 * n * n);
  cudaMalloc(&z, 4 * n * n);
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
#ifdef GRAPH
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
#endif
  right<<<grid, block>>>(a, b, c, n);
#ifdef GRAPH
  cudaStreamEndCapture(stream, &graph);
#endif
#ifdef RESET
  cudaDeviceReset();
#endif
  maybe<<<grid, block>>>(a, b, c, n, beta);
  wideSum<<<grid, block>>>(a, b, c, n);
  wideScale<<<grid, block>>>(a, b, c, n, 2);
  integers<<<grid, block>>>(x, y, z, n);
  sliding<<<grid, block>>>(a, b, c, n);
  overlapping<<<grid, block>>>(a, lda, b, c, n);
  everySecond<<<grid, block>>>(a, b, c, n);
  rectified<<<grid, block>>>(a, b, c, n);
  biased<<<grid, block>>>(a, b, c, v, n);
  fromOne<<<grid, block>>>(a, b, c, n);
  distances<<<grid, block>>>(a, b, c, n);
  timesZero<<<grid, block>>>(a, b, c, n);
  halfGrid<<<dim3((n + 15) / 16, (n + 15) / 32), block>>>(a, b, c, n);
  threeDeep<<<dim3((n + 15) / 16, (n + 15) / 16, 2), block>>>(a, b, c, n);
  inPlace<<<grid, block>>>(a, b, a, n);
  wideSizes<<<grid, block>>>(a, b, c, n);
  LAUNCH(inMacro);
  return 0;
}

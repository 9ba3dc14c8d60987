// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,tile-loop' --apply-all -- %fake_cuda | diff %s -

// Threads write what others read; the arrays may be one.
__global__ void inPlace(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += a[j];
  a[i] = sum;
}
__global__ void overlap(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += a[j];
  b[i] = sum;
}
// The member that others read.
struct Pair {
  float x, y;
};
__global__ void member(Pair *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += p[j].x;
  p[i].x = sum;
}
union Both {
  float x;
  int y;
};
__global__ void either(Both *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += p[j].x;
  p[i].y = int(sum);
}
// Each thread has another element, or another bound.
__global__ void rows(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += a[i * n + j];
  b[i] = sum;
}
__global__ void triangle(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < i; j++)
    sum += a[j];
  b[i] = sum;
}
__global__ void lengths(const float *__restrict__ a, const int *__restrict__ rows, float *__restrict__ b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < rows[i]; j++)
    sum += a[j];
  b[i] = sum;
}
// Left early, or read under a condition only: not all of a may be there.
__global__ void leaves(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++) {
    if (a[j] < 0)
      break;
    sum += a[j];
  }
  b[i] = sum;
}
__global__ void sometimes(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++)
    if (j != i)
      sum += a[j];
  b[i] = sum;
}
__global__ void skips(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++) {
    if (j == i)
      continue;
    sum += a[j];
  }
  b[i] = sum;
}
// ... although each thread reads an element of its own: under a condition, one
// of another array, in a loop up to something else, or in a grid that may be too
// small.
__global__ void seldom(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = i > 3 ? a[i] : 0;
    for (int j = 0; j < n; j++)
      if (j != i)
        sum += a[j];
    b[i] = sum;
  }
}
__global__ void another(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    for (int j = 0; j < n; j++)
      if (j != i)
        sum += a[j];
    b[i] = sum;
  }
}
__global__ void longer(const float *__restrict__ a, float *__restrict__ b, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = a[i];
    for (int j = 0; j < m; j++)
      if (j != i)
        sum += a[j];
    b[i] = sum;
  }
}
__global__ void partly(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = a[i];
    for (int j = 0; j < n; j++)
      if (j != i)
        sum += a[j];
    b[i] = sum;
  }
}
__global__ void shifted(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = a[i];
    for (int j = 0; j < n; j++)
      if (j != i)
        sum += a[j + 1];
    b[i] = sum;
  }
}
// The loop stands under a condition, or the kernel returns for other reasons.
__global__ void under(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (b[i] > 0) {
    for (int j = 0; j < n; j++)
      sum += a[j];
  }
  b[i] = sum;
}
__global__ void returns(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (b[i] > 0)
    return;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += a[j];
  b[i] = sum;
}
// More than a bound; a step of two; backwards; a bound that is included.
__global__ void inside(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n) {
    float sum = 0;
    for (int j = 0; j < n; j++)
      sum += a[j];
    b[i] = sum;
  }
}
__global__ void twos(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j += 2)
    sum += a[j];
  b[i] = sum;
}
__global__ void back(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = n - 1; j >= 0; j--)
    sum += a[j];
  b[i] = sum;
}
__global__ void included(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j <= n; j++)
    sum += a[j];
  b[i] = sum;
}
// A short loop; a pragma of the author's; an inner name that is a parameter's.
__global__ void brief(const float *__restrict__ a, float *__restrict__ b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 16; j++)
    sum += a[j];
  b[i] = sum;
}
__global__ void pragma(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 4
  for (int j = 0; j < n; j++)
    sum += a[j];
  b[i] = sum;
}
__global__ void names(const float *__restrict__ a, float *__restrict__ b, int n, float sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    for (int j = 0; j < n; j++)
      sum += a[j];
    b[i] = sum;
  }
}
// A vector before the loop has no default.
__global__ void vectors(const float4 *__restrict__ p, const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 me = p[i];
    float sum = 0;
    for (int j = 0; j < n; j++)
      sum += a[j] * me.x;
    b[i] = sum;
  }
}
// Volatile memory; its own shared memory; macros; another configuration.
__global__ void uncertain(const volatile float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += a[j];
  b[i] = sum;
}
__global__ void shares(const float *__restrict__ a, float *__restrict__ b, int n) {
  __shared__ float own[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = 0;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += a[j];
  b[i] = sum + own[threadIdx.x];
}
#define EACH(j) for (int j = 0; j < n; j++)
__global__ void macro(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  EACH(j) sum += a[j];
  b[i] = sum;
}
__global__ void configured(const float *__restrict__ a, float *__restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#ifdef SKIP
  sum = 1;
#endif
  for (int j = 0; j < n; j++)
    sum += a[j];
  b[i] = sum;
}

int main(int argc, char **argv) {
  int n = argc * 100;
  float *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  seldom<<<(n + 127) / 128, 128>>>(a, b, n);
  another<<<(n + 127) / 128, 128>>>(a, b, n);
  longer<<<(n + 127) / 128, 128>>>(a, b, n, n);
  partly<<<n / 128, 128>>>(a, b, n);
  shifted<<<(n + 127) / 128, 128>>>(a, b, n);
}

// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --needs-check -- %fake_cuda | diff %s -

#include <stdio.h>

float *found();
__device__ float mine() { return threadIdx.x; }
#define ADD(x, y) sum += (x) * (y)
#define STORE(x) x = sum
#define LIMITED __launch_bounds__(256)
__device__ float table[64];
#define LAUNCH(kernel) kernel<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n)
// Made by a macro.
#define PRODUCT(name)                                                          \
  __global__ void name(const float *a, const float *b, float *c, int n) {      \
    int col = blockIdx.x * blockDim.x + threadIdx.x;                           \
    int row = blockIdx.y * blockDim.y + threadIdx.y;                           \
    if (row < n && col < n) {                                                  \
      float sum = 0.0f;                                                        \
      for (int k = 0; k < n; ++k)                                              \
        sum += a[row * n + k] * b[k * n + col];                                \
      c[row * n + col] = sum;                                                  \
    }                                                                          \
  }
PRODUCT(made)

// The output is a factor.
__global__ void inPlace(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// The output may be a factor.
__global__ void unknownBuffers(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// It reads what other threads write.
__global__ void neighbour(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum + c[row * n];
  }
}

// A factor is an element of the output.
__global__ void readsOutput(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += c[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// A barrier.
__global__ void barrier(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  __syncthreads();
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// A row comes from memory.
__global__ void gathers(const float *a, const float *b, float *c, int n, const int *rows) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[rows[row] * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// A launch that is not seen.
__global__ void pointed(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// The grid leaves rows out.
__global__ void uncovered(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// The grid is for another size.
__global__ void otherSize(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// The bound of k depends on the row.
__global__ void triangular(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < row; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// k does not begin at 0.
__global__ void tail(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = row; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// k steps by 2.
__global__ void everyOther(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k += 2)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// k runs down.
__global__ void backwards(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = n - 1; k >= 0; --k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// The loop may end early.
__global__ void stops(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      {
        sum += a[row * n + k] * b[k * n + col];
        if (sum > 1.0f)
          break;
      }
    c[row * n + col] = sum;
  }
}

// Some products are left out.
__global__ void skips(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      if (k != row)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// It is no sum.
__global__ void largest(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum = fmaxf(sum, a[row * n + k] * b[k * n + col]);
    c[row * n + col] = sum;
  }
}

// The sum is a factor.
__global__ void powers(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += sum * a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// Three factors.
__global__ void triple(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col] * a[k];
    c[row * n + col] = sum;
  }
}

// k itself is a factor.
__global__ void weighted(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col] * k;
    c[row * n + col] = sum;
  }
}

// A factor depends on the thread.
__global__ void perRow(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f, weight = a[row];
    for (int k = 0; k < n; ++k)
      sum += weight * a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// A factor depends on row and column.
__global__ void bothMove(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + col + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// One factor depends on k alone.
__global__ void vector(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k];
    c[row * n + col] = sum;
  }
}

// Both factors depend on the row.
__global__ void twoRows(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[row * n + k];
    c[row * n + col] = sum;
  }
}

// The product of row and k is no affine index.
__global__ void strided(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// It writes more than one element.
__global__ void twoOutputs(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
    c[n * n + row * n + col] = -sum;
  }
}

// It prints.
__global__ void prints(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
    printf("%f", sum);
  }
}

// An atomic.
__global__ void counts(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    atomicAdd(c + row * n + col, sum);
  }
}

// Row and column are compared.
__global__ void lower(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n && row <= col) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// What is outside of the guard does something.
__global__ void otherwise(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
  else
    c[0] = 0.0f;
}

// Something follows the guard.
__global__ void behind(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
  c[row * n + col] += 1.0f;
}

// The output is written before the guard.
__global__ void early(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  c[row * n + col] = 0.0f;
  if (row < n && col < n)
    for (int k = 0; k < n; ++k)
      c[row * n + col] += a[row * n + k] * b[k * n + col];
}

// The kernel leaves after the loop.
__global__ void leaves(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    if (sum < 0.0f)
      return;
    c[row * n + col] = sum;
  }
}

// A condition that no row or column decides.
__global__ void conditionally(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n && b[0] > 0.0f) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// The epilogue knows its thread.
__global__ void mine(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = threadIdx.x == 0 ? 0.0f : sum;
  }
}

// Nothing bounds the columns, and threads beyond them are started.
__global__ void unguarded(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// A float may round the number of blocks.
__global__ void rounded(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// Threads of a block share elements.
__global__ void shared(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * 16 + threadIdx.x / 16;
  int row = blockIdx.y * 16 + threadIdx.x / 16;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// What follows the loop uses k.
__global__ void k(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    int k;
    for (k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum / k;
  }
}

// Two loops.
__global__ void twoLoops(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    for (int k = 0; k < n; ++k)
      sum -= a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// A variable is changed.
__global__ void moves(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    row = row;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// The address of the sum is taken.
__global__ void addressed(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    float *s = &sum;
    c[row * n + col] = *s;
  }
}

// Threads along z.
__global__ void depth(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum + threadIdx.z;
  }
}

// Blocks of several threads along z.
__global__ void deepBlock(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// Bounds that a macro makes.
__global__ void LIMITED limited(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// Another configuration adds something else.
__global__ void configured(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
#ifdef SINGLE
      sum += a[row * n + k];
#else
      sum += a[row * n + k] * b[k * n + col];
#endif
    c[row * n + col] = sum;
  }
}

// The launch is written in a macro.
__global__ void macroLaunch(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// Nothing launches it here.
__global__ void notLaunched(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// Volatile memory.
__global__ void volatileMemory(const volatile float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// The size changes between grid and launch.
__global__ void changing(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// The sum is shared.
__global__ void fromTexture(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    __shared__ float sum;
    sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// A macro names the sum.
__global__ void byMacro(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      ADD(a[row * n + k], b[k * n + col]);
    c[row * n + col] = sum;
  }
}

// A macro of the epilogue names the sum.
__global__ void closing(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    STORE(c[row * n + col]);
  }
}

// A function knows its thread.
__global__ void callee(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = mine() * sum;
  }
}

// The launch asks for shared memory.
__global__ void sharing(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// Another variable begins at the sum.
__global__ void begun(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = a[row], begun = sum;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum - begun;
  }
}

// A factor is no parameter.
__global__ void global(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += table[row] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

int main(int argc, char **argv) {
  int n = argc * 100, m = argc * 50;
  float *a, *b, *c;
  int *rows;
  cudaMalloc(&a, n), cudaMalloc(&b, n), cudaMalloc(&c, n), cudaMalloc(&rows, n);
  dim3 block(16, 16);
  made<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  inPlace<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, c, c, n);
  unknownBuffers<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, found(), n);
  neighbour<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  readsOutput<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  barrier<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  gathers<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n, rows);
  void (*k)(const float *, const float *, float *, int) = pointed;
  k<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  pointed<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  uncovered<<<dim3(n / 16, n / 16), block>>>(a, b, c, n);
  otherSize<<<dim3((m + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  triangular<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  tail<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  everyOther<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  backwards<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  stops<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  skips<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  largest<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  powers<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  triple<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  weighted<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  perRow<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  bothMove<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  vector<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  twoRows<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  strided<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  twoOutputs<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  prints<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  counts<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  lower<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  otherwise<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  behind<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  early<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  leaves<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  conditionally<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  mine<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  unguarded<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  rounded<<<dim3(ceilf((float)n / 16), ceil(n / 16.0)), block>>>(a, b, c, n);
  shared<<<dim3((n + 15) / 16, (n + 15) / 16), 256>>>(a, b, c, n);
  k<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  twoLoops<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  moves<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  addressed<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  depth<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  deepBlock<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(8, 8, 2)>>>(a, b, c, n);
  limited<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  configured<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  LAUNCH(macroLaunch);
  volatileMemory<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  dim3 before((n + 15) / 16, (n + 15) / 16);
  n += 16;
  changing<<<before, block>>>(a, b, c, n);
  fromTexture<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  byMacro<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  closing<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  callee<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  sharing<<<dim3((n + 15) / 16, (n + 15) / 16), block, n>>>(a, b, c, n);
  begun<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  global<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(a, b, c, n);
  return 0;
}

// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply-all --fp-class=reassociate --needs-check -- %fake_cuda | diff %s -

unsigned *found();
#define COUNT(bins, v) atomicAdd(&bins[v], 1u)

// Somebody uses what was there before.
__global__ void used(const unsigned *values, unsigned *bins, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = atomicAdd(&bins[values[i] & 15], 1u);
}

// The thread reads its own sum.
__global__ void readBack(const unsigned *values, unsigned *bins, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[values[i] & 15], 1u);
    out[i] = bins[values[i] & 15];
  }
}

// Another name leads to the bins.
__global__ void mayAlias(const unsigned *values, unsigned *bins, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[values[i] & 15], 1u);
    out[i] = values[i];
  }
}

// Nobody says where the bins lie.
__global__ void unknownBins(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[values[i] & 15], 1u);
}

// Nobody says how many bins there are: they may be as many as the elements.
__global__ void scatter(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[values[i]], 1u);
}

// More than a block can keep.
__global__ void tooMany(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[values[i] & 65535], 1u);
}

// Two operations, the order of which matters.
__global__ void twoOperations(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[values[i] & 15], 1u);
    atomicMax(&bins[values[i] & 15], 7u);
  }
}

// The last one stays.
__global__ void exchange(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[values[i] & 15], 1u);
    atomicExch(&bins[3], 0u);
  }
}

// It starts again at 0.
__global__ void wraps(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicInc(&bins[values[i] & 15], 10u);
}

// A number is cut before it is added.
__global__ void cut(const float *values, int *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, values[i]);
}

// Compared as what it is not.
__global__ void otherType(const unsigned *values, int *most, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicMax(most, values[i]);
}

// What others see in between.
__global__ void fenced(const unsigned *values, unsigned *bins, unsigned *flag, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[values[i] & 15], 1u);
    __threadfence();
    flag[i] = 1;
  }
}

__global__ void barrier(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    atomicAdd(&bins[values[i] & 15], 1u);
}

// In shared memory already.
__global__ void shared(const unsigned *values, unsigned *bins, int n) {
  __shared__ unsigned own[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&own[values[i] & 15], 1u);
}

// A function that the kernel calls.
__device__ void count(unsigned *bins, unsigned v) { atomicAdd(&bins[v & 15], 1u); }
__global__ void callee(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    count(bins, values[i]);
}

__global__ void both(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    count(bins, values[i]);
    atomicMax(&bins[values[i] & 15], 1u);
  }
}

// A macro writes it.
__global__ void macro(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    COUNT(bins, values[i] & 15);
}

// Another configuration does something else.
__global__ void configured(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef OTHER
  bins[0] = 1;
#endif
  if (i < n)
    atomicAdd(&bins[values[i] & 15], 1u);
}

// A return out of a loop.
__global__ void leaves(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < 10; ++k) {
      if (values[i + k] == 0)
        return;
      atomicAdd(&bins[values[i + k] & 15], 1u);
    }
}

// The pointer moves.
__global__ void moves(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bins += 16 * (i & 1);
  if (i < n)
    atomicAdd(&bins[values[i] & 15], 1u);
}

// A counter of each thread's own.
__global__ void own(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[i], values[i]);
}

// The value has a side effect.
__global__ void effect(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned k = 0;
  if (i < n)
    atomicAdd(&bins[values[i] & 15], ++k);
}

// Prints what it has seen.
__global__ void prints(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[values[i] & 15], 1u);
    printf("%u\n", values[i]);
  }
}

// Threads along z.
__global__ void deep(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[values[i] & 15], 1u);
}

// Braces would end up in a comment.
__global__ void commented(const unsigned *values, unsigned *bins, int n, unsigned count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) // (inside)
    atomicAdd(&bins[values[i] % count], 1u);
}

// A linear name of memory that others poll.
__global__ void polled(const unsigned *values, volatile unsigned *seen, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (seen[0] == 0)
    ;
  if (i < n)
    atomicAdd(&bins[values[i] & 15], 1u);
}

int main() {
  unsigned *values, *bins, *out;
  float *x;
  int *a, n = 1000;
  cudaMalloc(&values, 4000);
  cudaMalloc(&bins, 4000);
  cudaMalloc(&out, 4000);
  cudaMalloc(&a, 4000);
  cudaMalloc(&x, 4000);
  int blocks = (n + 255) / 256;
  used<<<blocks, 256>>>(values, bins, out, n);
  readBack<<<blocks, 256>>>(values, bins, out, n);
  mayAlias<<<blocks, 256>>>(values, bins, bins, n);
  unknownBins<<<blocks, 256>>>(values, found(), n);
  scatter<<<blocks, 256>>>(values, bins, n);
  tooMany<<<blocks, 256>>>(values, bins, n);
  twoOperations<<<blocks, 256>>>(values, bins, n);
  exchange<<<blocks, 256>>>(values, bins, n);
  wraps<<<blocks, 256>>>(values, bins, n);
  cut<<<blocks, 256>>>(x, a, n);
  otherType<<<blocks, 256>>>(values, a, n);
  fenced<<<blocks, 256>>>(values, bins, out, n);
  barrier<<<blocks, 256>>>(values, bins, n);
  shared<<<blocks, 256>>>(values, bins, n);
  callee<<<blocks, 256>>>(values, bins, n);
  both<<<blocks, 256>>>(values, bins, n);
  macro<<<blocks, 256>>>(values, bins, n);
  configured<<<blocks, 256>>>(values, bins, n);
  leaves<<<blocks, 256>>>(values, bins, n);
  moves<<<blocks, 256>>>(values, bins, n);
  own<<<blocks, 256>>>(values, bins, n);
  effect<<<blocks, 256>>>(values, bins, n);
  prints<<<blocks, 256>>>(values, bins, n);
  deep<<<blocks, dim3(8, 8, 4)>>>(values, bins, n);
  commented<<<blocks, 256>>>(values, bins, n, 10);
  polled<<<blocks, 256>>>(values, out, bins, n);
  return 0;
}

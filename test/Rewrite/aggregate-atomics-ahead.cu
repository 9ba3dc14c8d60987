// What an element needs in any case may be read before the one before it is
// counted.
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply=aggregate-atomics:histogram{items=32,copies=4,ahead=8} --apply=aggregate-atomics:several{items=16,ahead=4} --apply=aggregate-atomics:returns{items=8,copies=1,ahead=4} -- %fake_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES

__global__ void histogram(const unsigned *values, unsigned *bins, int n, unsigned numBins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[values[i] % numBins], 1u);
}
// CHECK-LABEL: void histogram
// CHECK:        // Several elements are read before the first of them is used.
// CHECK-NEXT:   for (int item = 0; item < 32; item += 8) {
// CHECK-NEXT:     unsigned int nextValues[8];
// CHECK-NEXT: {{^#}}pragma unroll
// CHECK-NEXT:     for (int k = 0; k < 8; ++k) {
// CHECK-NEXT:       int i = (blockIdx.x * 32 + item + k) * blockDim.x + threadIdx.x;
// CHECK-NEXT:       if (i < n)
// CHECK-NEXT:         nextValues[k] = values[i];
// CHECK-NEXT:     }
// CHECK-NEXT: {{^#}}pragma unroll
// CHECK-NEXT:     for (int k = 0; k < 8; ++k) {
// CHECK-NEXT:       int i = (blockIdx.x * 32 + item + k) * blockDim.x + threadIdx.x;
// CHECK-NEXT:       if (i < n) {
// CHECK-NEXT:         const unsigned int bin = nextValues[k] % numBins;
// CHECK-NEXT:         if (bin < 256)
// CHECK-NEXT:           atomicAdd(&blockBins[bin * 4 + copy], 1u);
// CHECK-NEXT:         else
// CHECK-NEXT:           atomicAdd(&bins[bin], 1u);
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }

// Two arrays, one of which is named twice.
__global__ void several(const float *x, const float *y, int *inside, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float r = x[i] * x[i] + y[i] * y[i];
    if (r < 1.0f)
      atomicAdd(inside, 1);
  }
}
// CHECK-LABEL: void several
// CHECK:          float nextX[4];
// CHECK-NEXT:     float nextY[4];
// CHECK:            if (i < n) {
// CHECK-NEXT:         nextX[k] = x[i];
// CHECK-NEXT:         nextY[k] = y[i];
// CHECK-NEXT:       }
// CHECK:              float r = nextX[k] * nextX[k] + nextY[k] * nextY[k];

// An early return goes on to the next element.
__global__ void returns(const unsigned char *bytes, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicAdd(&bins[bytes[i]], 1u);
}
// CHECK-LABEL: void returns
// CHECK:          unsigned char nextBytes[4];
// CHECK:            if (i < n)
// CHECK-NEXT:         nextBytes[k] = bytes[i];
// CHECK:            if (i >= n)
// CHECK-NEXT:         continue;
// CHECK-NEXT:       atomicAdd(&blockBins[nextBytes[k]], 1u);

// SITES: aggregate-atomics:histogram{{.*}}ahead
// SITES: aggregate-atomics:several{{.*}}ahead
// SITES: aggregate-atomics:returns{{.*}}ahead

// Only some elements read at all.
// SITES: aggregate-atomics:sometimes {copies
__global__ void sometimes(const unsigned *values, const unsigned *which, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && which[i] > 3)
    atomicAdd(&bins[values[i] & 63], 1u);
}

// What is read is found by what was read.
// SITES: aggregate-atomics:gather {ahead=4,copies=1,items=32}
__global__ void gather(const unsigned *values, const unsigned *which, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[values[which[i]] & 63], 1u);
}

// The kernel writes what it reads.
// SITES: aggregate-atomics:writes {copies
__global__ void writes(unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[values[i] & 63], 1u);
    values[i] = 0;
  }
}

// More than the guard decides whether it is read.
// SITES: aggregate-atomics:deeper {copies
__global__ void deeper(const unsigned *values, unsigned *bins, int n, int from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (i >= from)
      atomicAdd(&bins[values[i] & 63], 1u);
  }
}

int main() {
  unsigned *values, *bins, *which;
  float *x, *y;
  int *inside, n = 1000;
  unsigned char *bytes;
  cudaMalloc(&values, 4000);
  cudaMalloc(&bins, 4000);
  cudaMalloc(&which, 4000);
  cudaMalloc(&x, 4000);
  cudaMalloc(&y, 4000);
  cudaMalloc(&inside, 4);
  cudaMalloc(&bytes, 4000);
  int blocks = (n + 255) / 256;
  histogram<<<blocks, 256>>>(values, bins, n, 256u);
  several<<<blocks, 256>>>(x, y, inside, n);
  returns<<<blocks, 256>>>(bytes, bins, n);
  sometimes<<<blocks, 256>>>(values, which, bins, n);
  gather<<<blocks, 256>>>(values, which, bins, n);
  writes<<<blocks, 256>>>(values, bins, n);
  deeper<<<blocks, 256>>>(values, bins, n, 10);
  return 0;
}

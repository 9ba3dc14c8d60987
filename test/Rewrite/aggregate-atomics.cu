// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply=aggregate-atomics:histogram{items=16,copies=1,ahead=1} --apply=aggregate-atomics:named{items=16,copies=1,ahead=1} --apply=aggregate-atomics:guarded{items=16,copies=1} --apply=aggregate-atomics:countText{items=16,copies=1,ahead=1} --apply=aggregate-atomics:image{items=16,copies=1,ahead=1} --apply=aggregate-atomics:strided{items=16,copies=1} --apply=aggregate-atomics:perThread{items=1} --apply=aggregate-atomics:layout{items=16,copies=1} --apply=aggregate-atomics:typed{items=16,copies=1,ahead=1} -- %fake_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,aggregate-atomics' --apply-all --fp-class=reassociate -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply=aggregate-atomics:histogram{items=1,copies=4,ahead=1} --apply=aggregate-atomics:guarded{items=1,copies=1} --fp-class=reassociate -- %fake_cuda > %t.one.cu
// RUN: grep -v "ONE\|CHECK" %t.one.cu | FileCheck %s --check-prefix=ONE
// After another block size the grid is still seen to cover all elements.
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics,block-size' --apply=block-size:histogram{x=512} --apply=block-size:named{x=64} --apply=aggregate-atomics:histogram{items=8,copies=1,ahead=1} --apply=aggregate-atomics:named{items=8,copies=1,ahead=1} -- %fake_cuda | FileCheck %s --check-prefix=BLOCK
// BLOCK: histogram<<<((blocks + 1) / 2 + 7) / 8, 512>>>
// BLOCK: named<<<(2 * ((n + 127) / 128) + 7) / 8, 64>>>

#define BINS 64

struct Counts {
  unsigned words, lines, letters[26];
};

// How many bins there are, only a run tells: the others stay where they were.
__global__ void histogram(const unsigned *values, unsigned *bins, int count, unsigned numBins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    atomicAdd(&bins[values[i] % numBins], 1u);
}
// CHECK-LABEL: void histogram
// CHECK-NEXT:   // What the block adds to bins is gathered here first.
// CHECK-NEXT:   __shared__ unsigned int blockBins[256];
// CHECK-NEXT:   for (int b = threadIdx.x; b < 256; b += blockDim.x)
// CHECK-NEXT:     blockBins[b] = 0;
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   for (int item = 0; item < 16; ++item) {
// CHECK-NEXT:     int i = (blockIdx.x * 16 + item) * blockDim.x + threadIdx.x;
// CHECK-NEXT:     if (i < count) {
// CHECK-NEXT:       const unsigned int bin = values[i] % numBins;
// CHECK-NEXT:       if (bin < 256)
// CHECK-NEXT:         atomicAdd(&blockBins[bin], 1u);
// CHECK-NEXT:       else
// CHECK-NEXT:         atomicAdd(&bins[bin], 1u);
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   for (int b = threadIdx.x; b < 256; b += blockDim.x)
// CHECK-NEXT:     if (blockBins[b] != 0)
// CHECK-NEXT:       atomicAdd(&bins[b], blockBins[b]);
// CHECK-NEXT: }
// ONE-LABEL: void histogram
// ONE:          __shared__ unsigned int blockBins[256 * 4];
// ONE-NEXT:     const int copy = threadIdx.x % 4;
// ONE-NEXT:     for (int b = threadIdx.x; b < 256 * 4; b += blockDim.x)
// ONE-NEXT:       blockBins[b] = 0;
// ONE-NEXT:     __syncthreads();
// ONE-NEXT:     int i = blockIdx.x * blockDim.x + threadIdx.x;
// ONE-NEXT:     if (i < count) {
// ONE-NEXT:       const unsigned int bin = values[i] % numBins;
// ONE-NEXT:       if (bin < 256)
// ONE-NEXT:         atomicAdd(&blockBins[bin * 4 + copy], 1u);
// ONE-NEXT:       else
// ONE-NEXT:         atomicAdd(&bins[bin], 1u);
// ONE-NEXT:     }
// ONE-NEXT:     __syncthreads();
// ONE-NEXT:     for (int b = threadIdx.x; b < 256; b += blockDim.x) {
// ONE-NEXT:       unsigned int sum = 0;
// ONE-NEXT:       for (int c = 0; c < 4; ++c)
// ONE-NEXT:         sum += blockBins[b * 4 + c];
// ONE-NEXT:       if (sum != 0)
// ONE-NEXT:         atomicAdd(&bins[b], sum);
// ONE-NEXT:     }

// The author names the number; an early return goes on to the next element.
__global__ void named(const unsigned *values, int *bins, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  // Only some are counted.
  if (values[i] > 3) atomicAdd(&bins[values[i] % BINS], 2);
}
// CHECK-LABEL: void named
// CHECK:        __shared__ int blockBins[BINS];
// CHECK:        for (int item = 0; item < 16; ++item) {
// CHECK-NEXT:     int i = (blockIdx.x * 16 + item) * blockDim.x + threadIdx.x;
// CHECK-NEXT:     if (i >= count)
// CHECK-NEXT:       continue;
// CHECK-NEXT:     // Only some are counted.
// CHECK-NEXT:     if (values[i] > 3) atomicAdd(&blockBins[values[i] % BINS], 2);
// CHECK-NEXT:   }

// Types and conditions bound an index too.
__global__ void guarded(const int *values, const unsigned char *bytes, float *sums, int *counts, int count, int kinds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || values[i] < 0) {
    return;
  }
  int kind = values[i];
  if (kind < kinds) {
    atomicAdd(&sums[kind], 0.5f);
    atomicMax(&counts[bytes[i]], kind);
  }
}
// CHECK-LABEL: void guarded
// CHECK:        __shared__ float blockSums[10];
// CHECK-NEXT:   __shared__ int blockCounts[256];
// CHECK:          blockSums[b] = 0.0f;
// CHECK:          blockCounts[b] = -0x7fffffff - 1;
// CHECK:          if (kind >= 0 && kind < 10)
// CHECK-NEXT:       atomicAdd(&blockSums[kind], 0.5f);
// CHECK-NEXT:     else
// CHECK-NEXT:       atomicAdd(&sums[kind], 0.5f);
// CHECK-NEXT:     atomicMax(&blockCounts[bytes[i]], kind);
// CHECK:          if (blockCounts[b] != -0x7fffffff - 1)
// CHECK-NEXT:       atomicMax(&counts[b], blockCounts[b]);
// ONE-LABEL: void guarded
// ONE:          int i = blockIdx.x * blockDim.x + threadIdx.x;
// ONE-NEXT:     if (i < count && values[i] >= 0) {
// ONE-NEXT:       int kind = values[i];
// ONE-NEXT:       if (kind < kinds) {
// ONE:            }
// ONE-NEXT:     }
// ONE-NEXT:     __syncthreads();

// Counters are kept in registers; the members of a struct are apart.
__global__ void countText(const char *text, int length, Counts *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length) {
    if (text[i] == '\n')
      atomicAdd(&counts->lines, 1u);
    if (text[i] != ' ')
      atomicAdd(&counts->words, 2u);
    if (text[i] >= 'A' && text[i] <= 'Z')
      atomicAdd(counts->letters + (text[i] - 'A'), 1u);
  }
}
// CHECK-LABEL: void countText
// CHECK:        __shared__ unsigned int blockLines;
// CHECK-NEXT:   __shared__ unsigned int blockWords;
// CHECK-NEXT:   __shared__ unsigned int blockLetters[26];
// CHECK:        if (threadIdx.x == 0) {
// CHECK-NEXT:     blockLines = 0;
// CHECK-NEXT:     blockWords = 0;
// CHECK-NEXT:   }
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   unsigned int threadLines = 0;
// CHECK-NEXT:   unsigned int threadWords = 0;
// CHECK:          ++threadLines;
// CHECK:          threadWords += 2u;
// CHECK:          atomicAdd(&blockLetters[text[i] - 'A'], 1u);
// CHECK:        for (int offset = 16; offset > 0; offset /= 2) {
// CHECK-NEXT:     threadLines += __shfl_xor_sync(0xffffffff, threadLines, offset);
// CHECK-NEXT:     threadWords += __shfl_xor_sync(0xffffffff, threadWords, offset);
// CHECK-NEXT:   }
// CHECK-NEXT:   if (threadIdx.x % 32 == 0) {
// CHECK-NEXT:     atomicAdd(&blockLines, threadLines);
// CHECK-NEXT:     atomicAdd(&blockWords, threadWords);
// CHECK-NEXT:   }
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   if (threadIdx.x == 0 && blockLines != 0)
// CHECK-NEXT:     atomicAdd(&counts->lines, blockLines);
// CHECK:          atomicAdd(&counts->letters[b], blockLetters[b]);

// Blocks of two dimensions join along y; a warp that is not whole adds singly.
__global__ void image(const unsigned char *pixels, unsigned *bins, unsigned *dark, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    unsigned char v = pixels[y * width + x];
    atomicAdd(&bins[v >> 2], 1u);
    if (v < 8)
      atomicAdd(dark, 1u);
  }
}
// CHECK-LABEL: void image
// CHECK:        __shared__ unsigned int blockBins[64];
// CHECK-NEXT:   __shared__ unsigned int blockDark;
// CHECK-NEXT:   const int thread = threadIdx.y * blockDim.x + threadIdx.x;
// CHECK-NEXT:   const int threads = blockDim.x * blockDim.y;
// CHECK-NEXT:   for (int b = thread; b < 64; b += threads)
// CHECK:        if (thread == 0)
// CHECK-NEXT:     blockDark = 0;
// CHECK:          int x = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:     int y = (blockIdx.y * 16 + item) * blockDim.y + threadIdx.y;
// CHECK:        if (threadDark != 0)
// CHECK-NEXT:     atomicAdd(&blockDark, threadDark);

// A loop in steps of the grid does as much as there is to do.
__global__ void strided(const unsigned *values, unsigned *bins, unsigned *all, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    atomicAdd(&bins[values[i] & 127], 1u);
    atomicOr(all, values[i]);
    atomicSub(&bins[values[i] >> 28], 1u);
  }
}
// CHECK-LABEL: void strided
// CHECK:        __shared__ unsigned int blockBins[128];
// CHECK:        unsigned int threadAll = 0;
// CHECK-NEXT:   for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
// CHECK-NEXT:     atomicAdd(&blockBins[values[i] & 127], 1u);
// CHECK-NEXT:     threadAll |= values[i];
// CHECK-NEXT:     atomicSub(&blockBins[values[i] >> 28], 1u);
// CHECK:          threadAll |= __shfl_xor_sync(0xffffffff, threadAll, offset);

// In steps of its own, each thread keeps what it has; no block joins another.
__global__ void perThread(const float *x, float *sum, int n, int rounds) {
  for (int r = 0; r < rounds; ++r)
    if (threadIdx.x < n)
      atomicAdd(sum, x[blockIdx.x * n + threadIdx.x]);
}
// CHECK-LABEL: void perThread
// CHECK:        __shared__ float blockSum;
// CHECK:        float threadSum = 0.0f;
// CHECK-NEXT:   for (int r = 0; r < rounds; ++r)
// CHECK-NEXT:     if (threadIdx.x < n)
// CHECK-NEXT:       threadSum += x[blockIdx.x * n + threadIdx.x];
// CHECK-NEXT:   for (int offset = 16; offset > 0; offset /= 2)
// CHECK-NEXT:     threadSum += __shfl_xor_sync(0xffffffff, threadSum, offset);

// The author's layout stays, as far as it goes one level deeper.
__global__ void layout(const unsigned *values, unsigned *bins, int count) { // All of them.
  int i = blockIdx.x * blockDim.x + threadIdx.x;
/* Nothing
   beyond. */
  if (i < count)
#pragma unroll
    for (int k = 0; k < 4; ++k)
      atomicAdd(&bins[values[i] >> 8 * k & 255], 1u); // one

  // Done.
}
// CHECK-LABEL: void layout
// CHECK:        for (int item = 0; item < 16; ++item) {
// CHECK-NEXT: {{^    }}// All of them.
// CHECK-NEXT: {{^    }}int i =
// CHECK-NEXT: {{^    }}/* Nothing
// CHECK-NEXT: {{^     }}beyond. */
// CHECK-NEXT: {{^    }}if (i < count)
// CHECK-NEXT: {{^#}}pragma unroll
// CHECK-NEXT: {{^      }}for (int k = 0; k < 4; ++k)
// CHECK-NEXT: {{^        }}atomicAdd(&blockBins[values[i] >> 8 * k & 255], 1u); // one
// CHECK-EMPTY:
// CHECK-NEXT: {{^    }}// Done.
// CHECK-NEXT:   }

// One text for all instantiations.
template <typename T> __global__ void typed(const unsigned *values, T *bins, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    atomicAdd(&bins[values[i] % 32], T(1));
}
// CHECK-LABEL: void typed
// CHECK:        __shared__ T blockBins[32];
// CHECK:          atomicAdd(&blockBins[values[i] % 32], T(1));

int main() {
  unsigned *values, *bins, *more;
  int *a, *b, n = 1000;
  float *x, *sums;
  char *text;
  unsigned char *bytes;
  Counts *counts;
  cudaMalloc(&values, 4000);
  cudaMalloc(&bins, 4000);
  cudaMalloc(&more, 4000);
  cudaMalloc(&a, 4000);
  cudaMalloc(&b, 4000);
  cudaMalloc(&x, 4000);
  cudaMalloc(&sums, 4000);
  cudaMalloc(&text, 4000);
  cudaMalloc(&bytes, 4000);
  cudaMalloc(&counts, sizeof(Counts));
  const unsigned numBins = 256;
  int blocks = (n + 255) / 256;
  histogram<<<blocks, 256>>>(values, bins, n, numBins);
  // CHECK: histogram<<<(blocks + 15) / 16, 256>>>
  named<<<(n + 127) / 128, 128>>>(values, a, n);
  // CHECK: named<<<(n + 2047) / 2048, 128>>>
  guarded<<<(n + 255) / 256, 256>>>(a, bytes, sums, b, n, 10);
  // CHECK: guarded<<<(n + 4095) / 4096, 256>>>
  countText<<<blocks, 256>>>(text, n, counts);
  // CHECK: countText<<<(blocks + 15) / 16, 256>>>
  dim3 block(16, 9), grid((n + 15) / 16, (n + 8) / 9);
  image<<<grid, block>>>(bytes, bins, more, n, n);
  // CHECK: image<<<dim3(grid.x, (grid.y + 15) / 16), block>>>
  strided<<<100, 256>>>(values, bins, more, n);
  // CHECK: strided<<<(100 + 15) / 16, 256>>>
  perThread<<<100, 64>>>(x, sums, 50, 7);
  // CHECK: perThread<<<100, 64>>>
  layout<<<blocks, 256>>>(values, bins, n);
  typed<<<blocks, 256>>>(values, a, n);
  typed<<<blocks, 256>>>(values, sums, n);
  // CHECK: typed<<<(blocks + 15) / 16, 256>>>(values, a, n);
  // CHECK-NEXT: typed<<<(blocks + 15) / 16, 256>>>(values, sums, n);
  return 0;
}

// RUN: cuda-l1-opt %s --rules='-*,stage-shared' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,stage-shared' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,stage-shared' --list-sites -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES
// Other rules first: the sites are still there.
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement,const-restrict,block-size' --apply-all -- %fake_cuda > %t.others.cu
// RUN: cuda-l1-opt %t.others.cu --rules='-*,stage-shared' --list-sites -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=OTHERS
// RUN: cuda-l1-opt %s --rules='-*,stage-shared' --apply=stage-shared:in{x=16,y=8} -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=OLD

// SITES:      stage-shared:image {x=32,y=8} {x=32,y=16} {x=16,y=16} {x=16,y=8} [exact]
// SITES-NEXT: in convolve: read image from shared memory
// SITES-NEXT: because `image` is read at constant offsets around the element of each thread, and only read
// SITES:      because what is loaded is what some thread reads
// SITES-NEXT: because its one launch is in this unit, can be changed and covers all rows and columns

// OTHERS-COUNT-3: from shared memory

// OLD: constexpr int TILE_W = 16, TILE_H = 8;
// OLD: blur<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(a, b, w, h);

#define RADIUS 3
#define CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))

// The bounds of the image are tested at each tap.
// CHECK-LABEL: {{^[^/]*}}void convolve(
// CHECK-NEXT: {{^}}  // The block brings what its threads read of image to shared memory.
// CHECK-NEXT: {{^}}  constexpr int TILE_W = 32, TILE_H = 8;
// CHECK-NEXT: {{^}}  __shared__ float tile[TILE_H + 2 * RADIUS][TILE_W + 2 * RADIUS];
// CHECK-NEXT: {{^}}  for (int r = threadIdx.y; r < TILE_H + 2 * RADIUS; r += TILE_H) {
// CHECK-NEXT: {{^}}    for (int c = threadIdx.x; c < TILE_W + 2 * RADIUS; c += TILE_W) {
// CHECK-NEXT: {{^}}      const int x = blockIdx.x * TILE_W + c - RADIUS;
// CHECK-NEXT: {{^}}      const int y = blockIdx.y * TILE_H + r - RADIUS;
// CHECK-NEXT: {{^}}      if (x >= 0 && x < width && y >= 0 && y < height)
// CHECK-NEXT: {{^}}        tile[r][c] = image[y * width + x];
// CHECK-NEXT: {{^}}    }
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: {{^}}  __syncthreads();
// CHECK-NEXT: {{^}}  int x = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK:      if (x + fx >= 0 && x + fx < width && y + fy >= 0 && y + fy < height)
// CHECK-NEXT: sum += tile[threadIdx.y + fy + RADIUS][threadIdx.x + fx + RADIUS] * filter[(fy + RADIUS) * (2 * RADIUS + 1) + fx + RADIUS];
__global__ void convolve(const float *image, const float *filter, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0.0f;
  for (int fy = -RADIUS; fy <= RADIUS; fy++)
    for (int fx = -RADIUS; fx <= RADIUS; fx++)
      if (x + fx >= 0 && x + fx < width && y + fy >= 0 && y + fy < height)
        sum += image[(y + fy) * width + x + fx] * filter[(fy + RADIUS) * (2 * RADIUS + 1) + fx + RADIUS];
  out[y * width + x] = sum;
}

// Clamped indices, held by temporaries that nothing else needs; a template.
// CHECK-LABEL: {{^[^/]*}}void blur(
// CHECK:      __shared__ T tile[TILE_H + 4][TILE_W + 4];
// CHECK:      const int x = blockIdx.x * TILE_W + c - 2;
// CHECK-NEXT: const int y = blockIdx.y * TILE_H + r - 2;
// CHECK-NEXT: const int yy = CLAMP(y, 0, height - 1);
// CHECK-NEXT: const int xx = CLAMP(x, 0, width - 1);
// CHECK-NEXT: if (x - 2 < width && y - 2 < height)
// CHECK-NEXT: tile[r][c] = in[yy * width + xx];
// CHECK:      for (int dx = -2; dx <= 2; dx++) {
// CHECK-NEXT: sum += tile[threadIdx.y + dy + 2][threadIdx.x + dx + 2];
// CHECK-NEXT: }
template <typename T> __global__ void blur(const T *in, T *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int sum = 0;
    for (int dy = -2; dy <= 2; dy++)
      for (int dx = -2; dx <= 2; dx++) {
        int xx = CLAMP(x + dx, 0, width - 1);
        int yy = CLAMP(y + dy, 0, height - 1);
        sum += in[yy * width + xx];
      }
    out[y * width + x] = sum / 25;
  }
}

// Along rows only, from 0 on, a macro for the tile; `c` is taken.
#define TILE 16
// CHECK-LABEL: {{^[^/]*}}void rows(
// CHECK:      constexpr int TILE_W = 16, TILE_H = 16;
// CHECK-NEXT: __shared__ double tile[TILE_H][TILE_W + 8];
// CHECK:      for (int c2 = threadIdx.x; c2 < TILE_W + 8; c2 += TILE_W) {
// CHECK-NEXT: const int x = blockIdx.x * TILE_W + c2;
// CHECK-NEXT: const int y = blockIdx.y * TILE_H + r;
// CHECK-NEXT: if (x - 4 >= 0 && x - 4 < w && x - 8 < w && y < h)
// CHECK-NEXT: tile[r][c2] = a[y * w + x - 4];
// CHECK:      sum += x + k - 4 >= 0 && x + k - 4 < w ? c[k] * tile[threadIdx.y][threadIdx.x + k] : 0.0;
__global__ void rows(const double *a, double *b, const double *c, int w, int h) {
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  if (x >= w || y >= h)
    return;
  double sum = 0;
  for (int k = 0; k <= 8; ++k)
    sum += x + k - 4 >= 0 && x + k - 4 < w ? c[k] * a[y * w + x + k - 4] : 0.0;
  b[y * w + x] = sum;
}

int main(int argc, char **argv) {
  int w = argc * 100, h = argc * 70;
  float *a, *b, *f;
  double *d, *e, *g;
  cudaMalloc(&a, w * h * 4);
  cudaMalloc(&b, w * h * 4);
  cudaMalloc(&f, 49 * 4);
  cudaMalloc(&d, w * h * 8);
  cudaMalloc(&e, w * h * 8);
  cudaMalloc(&g, 9 * 8);
  dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
  convolve<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(a, f, b, w, h);
  blur<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(a, b, w, h);
  rows<<<grid, block>>>(d, e, g, w, h);
}
// CHECK: {{^}}  convolve<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(a, f, b, w, h);
// CHECK: {{^}}  blur<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(a, b, w, h);
// CHECK: {{^}}  rows<<<grid, block>>>(d, e, g, w, h);

// RUN: cuda-l1-opt %s --rules='-*,peel-bounds' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,peel-bounds' --apply-all -- %fake_cuda | diff %t.cu -

#define RADIUS 3

__global__ void filter(const float *image, float *out, int width, int height) {
  // CHECK-LABEL: void filter
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  // CHECK:      {{^}}  if (x - RADIUS >= 0 && x + RADIUS < width && 0 <= y - 2 && y + 1 < height) {
  // CHECK-NEXT: {{^}}    for (int fy = -2; fy < 2; fy++) {
  // CHECK-NEXT: {{^}}      // A row.
  // CHECK-NEXT: {{^}}      for (int fx = -RADIUS; fx <= RADIUS; fx++)
  // CHECK-NEXT: {{^}}        sum +=
  // CHECK-NEXT: {{^}}            image[(y + fy) * width + x + fx];
  // CHECK-NEXT: {{^}}    }
  // CHECK-NEXT: {{^}}  } else {
  // CHECK-NEXT: {{^}}    for (int fy = -2; fy < 2; fy++) {
  // CHECK-NEXT: {{^}}      // A row.
  // CHECK-NEXT: {{^}}      for (int fx = -RADIUS; fx <= RADIUS; fx++)
  // CHECK-NEXT: {{^}}        if (x + fx >= 0 && x + fx < width && 0 <= y + fy && y + fy < height)
  // CHECK-NEXT: {{^}}          sum +=
  // CHECK-NEXT: {{^}}              image[(y + fy) * width + x + fx];
  // CHECK-NEXT: {{^}}    }
  // CHECK-NEXT: {{^}}  }
  // CHECK-NEXT: {{^}}  out[y * width + x] = sum;
  for (int fy = -2; fy < 2; fy++) {
    // A row.
    for (int fx = -RADIUS; fx <= RADIUS; fx++)
      if (x + fx >= 0 && x + fx < width && 0 <= y + fy && y + fy < height)
        sum +=
            image[(y + fy) * width + x + fx];
  }
  out[y * width + x] = sum;
}

// Tests that leave an iteration out, with temporaries, with a part that cannot
// be decided, and in an expression.
__global__ void forms(const float *a, float *out, int n) {
  // CHECK-LABEL: void forms
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f, most = 0.0f;
  // CHECK:      {{^}}  if (i * 2 - 1 >= 0 && i * 2 + 3 - 1 < n && n > i + 2 * 3) {
  // CHECK-NEXT: {{^}}    for (int k = 0; k < 4; k++) {
  // CHECK-NEXT: {{^}}      int at = i * 2 + k - 1;
  // CHECK-NEXT: {{^}}      sum += a[at];
  // CHECK-NEXT: {{^}}      if (a[at] > most)
  // CHECK-NEXT: {{^}}        most = a[at];
  // CHECK-NEXT: {{^}}      sum += a[i + 2 * k];
  // CHECK-NEXT: {{^}}    }
  // CHECK-NEXT: {{^}}  } else {
  for (int k = 0; k < 4; k++) {
    int at = i * 2 + k - 1;
    if (at < 0 || at >= n)
      continue;
    sum += a[at];
    if (at >= 0 && a[at] > most)
      most = a[at];
    sum += n > i + 2 * k ? a[i + 2 * k] : 0.5f;
  }
  out[i] = sum + most;
}

// The radius is known at run time, and at least one.
__global__ void wide(const float *a, float *out, int n, int radius) {
  // CHECK-LABEL: void wide
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  if (radius > 0) {
    // CHECK:      {{^}}    if (i + radius < n) {
    // CHECK-NEXT: {{^}}      for (int k = 0; k <= radius; k++)
    // CHECK-NEXT: {{^}}        sum += a[i + k];
    // CHECK-NEXT: {{^}}    } else {
    for (int k = 0; k <= radius; k++)
      if (i + k < n)
        sum += a[i + k];
  }
  out[i] = sum;
}

template <typename T, int R> __global__ void generic(const T *a, T *out, int n) {
  // CHECK-LABEL: void generic
  int i = threadIdx.x;
  T sum = 0;
  // CHECK: {{^}}  if (i - R >= 0) {
  for (int k = -R; k <= R; k++)
    if (i + k >= 0)
      sum += a[i + k];
  out[i] = sum;
}

void launch(float *a, double *b) {
  generic<float, 2><<<1, 32>>>(a, a, 3);
  generic<double, 5><<<1, 32>>>(b, b, 3);
}

// Nothing in this file is a site: what is written in a template stands in all
// of its instantiations, and these do not agree on it.
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --needs-check -- %fake_cuda | diff %s -

// The last tile of k is whole in one instantiation only.
template <int Depth>
__global__ void lastTile(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < Depth; ++k)
      sum += a[row * Depth + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// Neighbours in memory are along k in one, along the row in the other.
template <int RowStride, int Stride>
__global__ void strides(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * RowStride + k * Stride] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// One needs more blocks than the other.
template <int Height>
__global__ void heights(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < Height && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// With a floating-point factor zeros fill up the last tile; the product of
// integers would be +0, which shows in a sum of -0.
template <typename T>
__global__ void factors(const T *__restrict__ a, const int *__restrict__ b, float *__restrict__ c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = -0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// k would never pass 255.
__global__ void narrow(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, unsigned char depth) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (unsigned char k = 0; k < depth; ++k)
      sum += a[row * depth + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

void run(const float *a, const float *b, const int *i, float *c, int n) {
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  lastTile<64><<<grid, block>>>(a, b, c, n);
  lastTile<61><<<grid, block>>>(a, b, c, n);
  strides<256, 1><<<grid, block>>>(a, b, c, n);
  strides<1, 256><<<grid, block>>>(a, b, c, n);
  heights<64><<<dim3((n + 15) / 16, 20), block>>>(a, b, c, n);
  heights<300><<<dim3((n + 15) / 16, 20), block>>>(a, b, c, n);
  factors<<<grid, block>>>(a, i, c, n);
  factors<<<grid, block>>>(i, i, c, n);
  narrow<<<grid, block>>>(a, b, c, n, 250);
}

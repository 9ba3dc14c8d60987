// Members that change between the making of the grid and the launch: no site.
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --needs-check -- %fake_cuda | diff %s -

__global__ void product(const float *a, const float *b, float *out, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    float sum = 0.0f;
    for (int d = 0; d < n; d++)
      sum += a[i * n + d] * b[d * n + j];
    out[i * n + j] = sum;
  }
}

struct Products {
  int n;
  float *a, *b, *out;
  void grow() { n = 2 * n; }
  void grown() {
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    grow();
    product<<<grid, block>>>(a, b, out, n);
  }
};

int main() {
  Products products;
  products.n = 100;
  cudaMalloc(&products.a, 160000);
  cudaMalloc(&products.b, 160000);
  cudaMalloc(&products.out, 160000);
  products.grown();
}

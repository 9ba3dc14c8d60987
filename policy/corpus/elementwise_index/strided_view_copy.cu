// Copies a view of a tensor, given by shape and strides, to contiguous memory.
#include "../corpus.h"

constexpr int MAX_DIMS = 4;

struct View {
  int dims;
  int shape[MAX_DIMS];
  int stride[MAX_DIMS];
};

__global__ void contiguous(const float *base, View view, float *out,
                           int count) {
  int linear = blockIdx.x * blockDim.x + threadIdx.x;
  if (linear < count) {
    int rest = linear, offset = 0;
    for (int d = view.dims - 1; d >= 0; --d) {
      offset += (rest % view.shape[d]) * view.stride[d];
      rest /= view.shape[d];
    }
    out[linear] = base[offset];
  }
}

int main(int argc, char **argv) {
  int side = 96;
  corpus::parseSize(argc, argv, "--n", &side, 7);

  // Axes 1 and 3 of a tensor of side x 20 x 32 x side are exchanged.
  const int B = side, P = 20, Q = 32, R = side;
  View view = {4, {B, R, Q, P}, {P * Q * R, 1, R, Q * R}};
  int count = B * P * Q * R;

  float *base, *out;
  CUDA_CHECK(cudaMalloc(&base, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, count * sizeof(float)));
  corpus::fill(base, count, 0.0, 100.0, 9);

  const int block = 128;
  for (int i = 0; i < 3; ++i)
    contiguous<<<(count + block - 1) / block, block>>>(base, view, out, count);
  corpus::printChecksum("out", out, count);
  CUDA_CHECK(cudaFree(base));
  CUDA_CHECK(cudaFree(out));
  return 0;
}

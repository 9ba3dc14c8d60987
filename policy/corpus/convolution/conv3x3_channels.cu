// 3 x 3 convolution over all input channels, channels first, padded by one.
#include "../corpus.h"

__global__ void conv3x3(float *input, float *kernel, float *output, int inC,
                        int outC, int H, int W) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  int h = blockIdx.y * blockDim.y + threadIdx.y;
  int oc = blockIdx.z;
  if (w < W && h < H) {
    output[(oc * H + h) * W + w] = 0.0f;
    for (int ic = 0; ic < inC; ic++)
      for (int kh = 0; kh < 3; kh++)
        for (int kw = 0; kw < 3; kw++) {
          int y = h + kh - 1;
          int x = w + kw - 1;
          if (y >= 0 && y < H && x >= 0 && x < W)
            output[(oc * H + h) * W + w] +=
                input[(ic * H + y) * W + x] *
                kernel[((oc * inC + ic) * 3 + kh) * 3 + kw];
        }
  }
}

int main(int argc, char **argv) {
  int inC = 32, outC = 64, side = 112;
  corpus::parseSize(argc, argv, "--in", &inC, 3);
  corpus::parseSize(argc, argv, "--out", &outC, 4);
  corpus::parseSize(argc, argv, "--n", &side, 17);
  size_t area = (size_t)side * side;
  float *input, *kernel, *output;
  CUDA_CHECK(cudaMalloc(&input, inC * area * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&kernel, (size_t)outC * inC * 9 * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&output, outC * area * sizeof(float)));
  corpus::fill(input, inC * area, 0.0, 1.0, 1);
  corpus::fill(kernel, (size_t)outC * inC * 9, -0.5, 1.0, 2);
  dim3 block(16, 16), grid((side + 15) / 16, (side + 15) / 16, outC);
  for (int i = 0; i < 3; i++) {
    conv3x3<<<grid, block>>>(input, kernel, output, inC, outC, side, side);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("output", output, outC * area);
  CUDA_CHECK(cudaFree(input));
  CUDA_CHECK(cudaFree(kernel));
  CUDA_CHECK(cudaFree(output));
  return 0;
}

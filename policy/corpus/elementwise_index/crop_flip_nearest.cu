// Crops each picture of a batch, scales the window by nearest neighbour and
// mirrors the odd ones. Everything from one index, divisions included.
#include "../corpus.h"

__global__ void cropFlip(const unsigned char *pictures, unsigned char *out,
                         int inSide, int left, int top, int window, int side,
                         int total) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= total)
    return;
  int x = idx % side;
  int y = idx / side % side;
  int picture = idx / (side * side);
  if (picture % 2 == 1)
    x = side - 1 - x;
  int fromX = left + x * window / side;
  int fromY = top + y * window / side;
  out[idx] = pictures[(picture * inSide + fromY) * inSide + fromX];
}

int main(int argc, char **argv) {
  int batch = 200, inSide = 256, side = 224;
  corpus::parseSize(argc, argv, "--n", &batch, 3);
  corpus::parseSize(argc, argv, "--in-side", &inSide, 40);
  corpus::parseSize(argc, argv, "--side", &side, 28);
  int total = batch * side * side, window = inSide * 3 / 4;
  unsigned char *pictures, *out;
  CUDA_CHECK(cudaMalloc(&pictures, (size_t)batch * inSide * inSide));
  CUDA_CHECK(cudaMalloc(&out, total));
  corpus::fill(pictures, (size_t)batch * inSide * inSide, 0, 256, 90);

  int threads = 192;
  for (int i = 0; i < 4; i++) {
    cropFlip<<<(total + threads - 1) / threads, threads>>>(
        pictures, out, inSide, inSide / 8, inSide / 5, window, side, total);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("out", out, total);
  cudaFree(pictures);
  cudaFree(out);
  return 0;
}

// Census transform: one bit for each of the 9 x 7 neighbours that is darker
// than the pixel; coordinates are clamped.
#include "../corpus.h"

#define CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : ((v) > (hi) ? (hi) : (v)))

__global__ void census(const unsigned char *left, unsigned long long *bits,
                       int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    unsigned long long code = 0;
    for (int dr = -3; dr <= 3; dr++) {
      for (int dc = -4; dc <= 4; dc++) {
        int r = CLAMP(row + dr, 0, rows - 1);
        int c = CLAMP(col + dc, 0, cols - 1);
        code =
            code << 1 | (left[r * cols + c] < left[row * cols + col] ? 1 : 0);
      }
    }
    bits[row * cols + col] = code & 0xffffffULL;
  }
}

int main(int argc, char **argv) {
  int rows = 1080, cols = 1920;
  corpus::parseSize(argc, argv, "--rows", &rows, 27);
  corpus::parseSize(argc, argv, "--cols", &cols, 41);
  size_t n = (size_t)rows * cols;
  unsigned char *left;
  unsigned long long *bits;
  CUDA_CHECK(cudaMalloc(&left, n));
  CUDA_CHECK(cudaMalloc(&bits, n * sizeof(unsigned long long)));
  corpus::fill(left, n, 0, 256, 44);
  dim3 block(32, 8);
  dim3 grid((cols + 31) / 32, (rows + 7) / 8);
  for (int i = 0; i < 4; i++)
    census<<<grid, block>>>(left, bits, rows, cols);
  corpus::printChecksum("bits", bits, n);
  cudaFree(left);
  cudaFree(bits);
}

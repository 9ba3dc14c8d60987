// Dilates a labelled voxel volume of bytes by one: an empty voxel takes the
// largest label of its six neighbours. Threads count z fastest by mistake.
#include "../corpus.h"

typedef unsigned char label_t;

__global__ void dilateLabels(const label_t *in, label_t *out, int3 dim) {
  int z = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int x = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= dim.x || y >= dim.y || z >= dim.z)
    return;
  int c = (z * dim.y + y) * dim.x + x;
  label_t l = in[c];
  if (l == 0) {
    if (x > 0)
      l = max(l, in[c - 1]);
    if (x + 1 < dim.x)
      l = max(l, in[c + 1]);
    if (y > 0)
      l = max(l, in[c - dim.x]);
    if (y + 1 < dim.y)
      l = max(l, in[c + dim.x]);
    if (z > 0)
      l = max(l, in[c - dim.x * dim.y]);
    if (z + 1 < dim.z)
      l = max(l, in[c + dim.x * dim.y]);
  }
  out[c] = l;
}

int main(int argc, char **argv) {
  int n = 256;
  corpus::parseSize(argc, argv, "--n", &n, 19);
  int3 dim = make_int3(n, n, n / 2 + 1);
  size_t voxels = (size_t)dim.x * dim.y * dim.z;
  label_t *a, *b;
  CUDA_CHECK(cudaMalloc(&a, voxels));
  CUDA_CHECK(cudaMalloc(&b, voxels));
  corpus::fill(a, voxels, 0, 3, 37);
  dim3 block(16, 4, 4);
  dim3 grid((dim.z + 15) / 16, (dim.y + 3) / 4, (dim.x + 3) / 4);
  dilateLabels<<<grid, block>>>(a, b, dim);
  dilateLabels<<<grid, block>>>(b, a, dim);
  dilateLabels<<<grid, block>>>(a, b, dim);
  corpus::printChecksum("labels", b, voxels);
  cudaFree(a);
  cudaFree(b);
}

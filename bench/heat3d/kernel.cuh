// One explicit step of the heat equation, seven-point stencil; a thread walks
// along z.
// Naive: the column that a thread walks comes from threadIdx.y along x, so
// neighbouring threads read a row apart; the centre and both z neighbours are
// loaded anew at each step; double literals; run-time 64-bit indices.
#ifndef HEAT3D_KERNEL_CUH
#define HEAT3D_KERNEL_CUH

#define BLOCK_X 16
#define BLOCK_Y 16
#define CELL(x, y, z) (((size_t)(z) * n + (y)) * n + (x))

__global__ void heatStep(float *in, float *out, float *kappa, int n) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  int x = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1)
    return;
  for (int z = 1; z < n - 1; z++) {
    float laplacian = in[CELL(x - 1, y, z)] + in[CELL(x + 1, y, z)] +
                      in[CELL(x, y - 1, z)] + in[CELL(x, y + 1, z)] +
                      in[CELL(x, y, z - 1)] + in[CELL(x, y, z + 1)] -
                      6.0 * in[CELL(x, y, z)];
    out[CELL(x, y, z)] =
        in[CELL(x, y, z)] + kappa[CELL(x, y, z)] / 6.0 * laplacian;
  }
}

#endif // HEAT3D_KERNEL_CUH

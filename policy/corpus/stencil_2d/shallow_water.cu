// One Lax step of the shallow-water equations: three fields, clamped border,
// linear index split by division and modulo.
#include "../corpus.h"

__global__ void laxStep(float *h, float *hu, float *hv, float *h2, float *hu2,
                        float *hv2, int n, float c) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n * n) {
    int row = k / n;
    int col = k % n;
    int w = row * n + max(col - 1, 0), e = row * n + min(col + 1, n - 1);
    int s = max(row - 1, 0) * n + col, t = min(row + 1, n - 1) * n + col;
    float g = 9.81f;
    h2[k] = (h[w] + h[e] + h[s] + h[t]) / 4.0f -
            c * (hu[e] - hu[w] + hv[t] - hv[s]);
    hu2[k] = (hu[w] + hu[e] + hu[s] + hu[t]) / 4.0f -
             c * (hu[e] * hu[e] / h[e] + 0.5f * g * pow(h[e], 2) -
                  hu[w] * hu[w] / h[w] - 0.5f * g * pow(h[w], 2) +
                  hu[t] * hv[t] / h[t] - hu[s] * hv[s] / h[s]);
    hv2[k] = (hv[w] + hv[e] + hv[s] + hv[t]) / 4.0f -
             c * (hv[t] * hv[t] / h[t] + 0.5f * g * pow(h[t], 2) -
                  hv[s] * hv[s] / h[s] - 0.5f * g * pow(h[s], 2) +
                  hu[e] * hv[e] / h[e] - hu[w] * hv[w] / h[w]);
  }
}

int main(int argc, char **argv) {
  int n = 1024;
  corpus::parseSize(argc, argv, "--n", &n, 50);
  size_t cells = (size_t)n * n;
  float *f[6];
  for (int i = 0; i < 6; i++) {
    CUDA_CHECK(cudaMalloc(&f[i], cells * sizeof(float)));
    corpus::fill(f[i], cells, i % 3 == 0 ? 1.0 : -0.1, i % 3 == 0 ? 1.2 : 0.1,
                 40 + i);
  }
  int blocks = (n * n + 255) / 256;
  for (int step = 0; step < 2; step++) {
    laxStep<<<blocks, 256>>>(f[0], f[1], f[2], f[3], f[4], f[5], n, 0.01f);
    laxStep<<<blocks, 256>>>(f[3], f[4], f[5], f[0], f[1], f[2], n, 0.01f);
  }
  corpus::printChecksum("depth", f[0], cells);
  for (int i = 0; i < 6; i++)
    cudaFree(f[i]);
}

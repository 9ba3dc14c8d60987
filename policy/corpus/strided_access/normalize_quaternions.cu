// Rotations as structures of four floats, normalised in place and applied to
// points in structures of three.
#include "../corpus.h"

struct Quaternion {
  float w, x, y, z;
};
struct Point {
  float x, y, z;
};

__global__ void normalizeAll(Quaternion *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float norm = sqrtf(q[i].w * q[i].w + q[i].x * q[i].x + q[i].y * q[i].y +
                       q[i].z * q[i].z);
    q[i].w /= norm;
    q[i].x /= norm;
    q[i].y /= norm;
    q[i].z /= norm;
  }
}

__global__ void rotateAll(const Quaternion *q, const Point *p, Point *out,
                          int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Quaternion r = q[i];
    Point v = p[i];
    float tx = 2 * (r.y * v.z - r.z * v.y);
    float ty = 2 * (r.z * v.x - r.x * v.z);
    float tz = 2 * (r.x * v.y - r.y * v.x);
    out[i].x = v.x + r.w * tx + r.y * tz - r.z * ty;
    out[i].y = v.y + r.w * ty + r.z * tx - r.x * tz;
    out[i].z = v.z + r.w * tz + r.x * ty - r.y * tx;
  }
}

int main(int argc, char **argv) {
  int n = 2 << 20;
  corpus::parseSize(argc, argv, "--n", &n, 1001);
  Quaternion *q;
  Point *p, *out;
  CUDA_CHECK(cudaMalloc(&q, n * sizeof(Quaternion)));
  CUDA_CHECK(cudaMalloc(&p, n * sizeof(Point)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(Point)));
  corpus::fill((float *)q, 4 * (size_t)n, -1.0, 1.0, 5);
  corpus::fill((float *)p, 3 * (size_t)n, -9.0, 9.0, 6);
  for (int i = 0; i < 3; i++) {
    normalizeAll<<<(n + 255) / 256, 256>>>(q, n);
    rotateAll<<<(n + 255) / 256, 256>>>(q, p, out, n);
  }
  corpus::printChecksum("points", (float *)out, 3 * (size_t)n);
  cudaFree(q);
  cudaFree(p);
  cudaFree(out);
}

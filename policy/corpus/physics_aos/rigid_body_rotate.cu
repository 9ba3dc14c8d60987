// Rotates rigid bodies by their angular velocity: quaternions normalised, eight
// corners of each box computed anew; double members in a structure.
#include "../corpus.h"

struct Body {
  double q[4];
  double omega[3];
  double half[3];
};

__global__ void rotateBodies(Body *bodies, double *corners, int n, double dt) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= n)
    return;
  double w = bodies[b].q[0], x = bodies[b].q[1];
  double y = bodies[b].q[2], z = bodies[b].q[3];
  double ox = bodies[b].omega[0], oy = bodies[b].omega[1];
  double oz = bodies[b].omega[2];
  bodies[b].q[0] += 0.5 * dt * (-x * ox - y * oy - z * oz);
  bodies[b].q[1] += 0.5 * dt * (w * ox + y * oz - z * oy);
  bodies[b].q[2] += 0.5 * dt * (w * oy - x * oz + z * ox);
  bodies[b].q[3] += 0.5 * dt * (w * oz + x * oy - y * ox);
  double norm = 0;
  for (int k = 0; k < 4; k++)
    norm += pow(bodies[b].q[k], 2);
  for (int k = 0; k < 4; k++)
    bodies[b].q[k] /= sqrt(norm);
  for (int c = 0; c < 8; c++) {
    double px = (c & 1 ? 1 : -1) * bodies[b].half[0];
    double py = (c & 2 ? 1 : -1) * bodies[b].half[1];
    double pz = (c & 4 ? 1 : -1) * bodies[b].half[2];
    double a = bodies[b].q[0], i = bodies[b].q[1], j = bodies[b].q[2];
    double k = bodies[b].q[3];
    corners[(b * 8 + c) * 3] = (1 - 2 * (j * j + k * k)) * px +
                               2 * (i * j - k * a) * py +
                               2 * (i * k + j * a) * pz;
    corners[(b * 8 + c) * 3 + 1] = 2 * (i * j + k * a) * px +
                                   (1 - 2 * (i * i + k * k)) * py +
                                   2 * (j * k - i * a) * pz;
    corners[(b * 8 + c) * 3 + 2] = 2 * (i * k - j * a) * px +
                                   2 * (j * k + i * a) * py +
                                   (1 - 2 * (i * i + j * j)) * pz;
  }
}

int main(int argc, char **argv) {
  int n = 200000;
  corpus::parseSize(argc, argv, "--bodies", &n, 300);
  Body *bodies;
  double *corners;
  CUDA_CHECK(cudaMalloc(&bodies, n * sizeof(Body)));
  CUDA_CHECK(cudaMalloc(&corners, 24 * sizeof(double) * n));
  corpus::fill((double *)bodies, 10 * (size_t)n, 0.1, 1.0, 8);
  for (int step = 0; step < 3; step++)
    rotateBodies<<<(n + 127) / 128, 128>>>(bodies, corners, n, 0.02);
  corpus::printChecksum("corners", corners, 24 * (size_t)n);
  cudaFree(bodies);
  cudaFree(corners);
}

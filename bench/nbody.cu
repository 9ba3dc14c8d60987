// All-pairs gravity with softening, a few time steps.
// Naive: array of structures, double literals and double pow in float code,
// no tiling through shared memory.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              cudaGetErrorString(err));                                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define BLOCK_SIZE 128
#define STEPS 5
#define TIME_STEP 0.001f

struct Body {
  float x, y, z, mass;
  float vx, vy, vz;
};

__global__ void accelerate(Body *bodies, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float ax = 0.0, ay = 0.0, az = 0.0;
    for (int j = 0; j < n; j++) {
      float dx = bodies[j].x - bodies[i].x;
      float dy = bodies[j].y - bodies[i].y;
      float dz = bodies[j].z - bodies[i].z;
      float r2 = pow(dx, 2) + pow(dy, 2) + pow(dz, 2) + 0.01;
      float inv = 1.0 / sqrt(r2);
      float f = bodies[j].mass * pow(inv, 3);
      ax += f * dx;
      ay += f * dy;
      az += f * dz;
    }
    bodies[i].vx += dt * ax;
    bodies[i].vy += dt * ay;
    bodies[i].vz += dt * az;
  }
}

__global__ void move(Body *bodies, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    bodies[i].x += bodies[i].vx * dt;
    bodies[i].y += bodies[i].vy * dt;
    bodies[i].z += bodies[i].vz * dt;
  }
}

// Small deterministic generator: the same numbers on every machine.
struct Lcg {
  unsigned state = 12345u;
  unsigned bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  float uniform() { return bits() * (1.0f / 16777216.0f); } // [0, 1)
};

static void parseArgs(int argc, char **argv, int maxSize, int *size,
                      bool *check) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--check") == 0) {
      *check = true;
      continue;
    }
    char *end = nullptr;
    long value = strtol(argv[i], &end, 10);
    if (end == argv[i] || *end != '\0' || value < 1 || value > maxSize) {
      fprintf(stderr, "usage: %s [SIZE, 1 to %d] [--check]\n", argv[0],
              maxSize);
      exit(2);
    }
    *size = (int)value;
  }
}

static std::vector<Body> makeBodies(int n) {
  std::vector<Body> bodies(n);
  Lcg random;
  for (Body &b : bodies) {
    b.x = random.uniform();
    b.y = random.uniform();
    b.z = random.uniform();
    b.mass = (0.5f + random.uniform()) / n;
    b.vx = b.vy = b.vz = 0.0f;
  }
  return bodies;
}

static std::vector<Body> simulate(const std::vector<Body> &start) {
  int n = start.size();
  std::vector<Body> result(n);
  Body *d;
  CUDA_CHECK(cudaMalloc(&d, n * sizeof(Body)));
  CUDA_CHECK(
      cudaMemcpy(d, start.data(), n * sizeof(Body), cudaMemcpyHostToDevice));
  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  for (int step = 0; step < STEPS; step++) {
    accelerate<<<blocks, BLOCK_SIZE>>>(d, TIME_STEP, n);
    CUDA_CHECK(cudaGetLastError());
    move<<<blocks, BLOCK_SIZE>>>(d, TIME_STEP, n);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(
      cudaMemcpy(result.data(), d, n * sizeof(Body), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d));
  return result;
}

static void printResult(const std::vector<Body> &bodies) {
  double position = 0, energy = 0, weighted = 0;
  for (size_t i = 0; i < bodies.size(); i++) {
    const Body &b = bodies[i];
    position += b.x + b.y + b.z;
    energy += 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
    weighted += (1 + i % 97) * ((double)b.x + 2 * b.y + 3 * b.z);
  }
  printf("positions sum %.6e weighted %.6e\n", position, weighted);
  printf("kinetic energy %.6e\n", energy);
  for (size_t i = 0; i < bodies.size(); i += 1 + bodies.size() / 4) {
    const Body &b = bodies[i];
    printf("body %.6e %.6e %.6e speed %.6e\n", b.x, b.y, b.z,
           sqrt(b.vx * b.vx + b.vy * b.vy + b.vz * b.vz));
  }
}

// Simulates at most 256 bodies on both sides and compares velocities with the
// fastest of them.
static double checkSmall(int n) {
  std::vector<Body> start = makeBodies(std::min(n, 256));
  std::vector<Body> got = simulate(start);
  n = start.size();
  std::vector<double> p(3 * n), v(3 * n, 0.0);
  for (int i = 0; i < n; i++) {
    p[3 * i] = start[i].x;
    p[3 * i + 1] = start[i].y;
    p[3 * i + 2] = start[i].z;
  }
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double d[3], r2 = 0.01;
        for (int k = 0; k < 3; k++) {
          d[k] = p[3 * j + k] - p[3 * i + k];
          r2 += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++)
          v[3 * i + k] += TIME_STEP * start[j].mass * d[k] / (r2 * sqrt(r2));
      }
    for (int k = 0; k < 3 * n; k++)
      p[k] += TIME_STEP * v[k];
  }
  double fastest = 1e-30, worst = 0;
  for (double speed : v)
    fastest = std::max(fastest, fabs(speed));
  for (int i = 0; i < n; i++) {
    double err = fabs(got[i].vx - v[3 * i]) + fabs(got[i].vy - v[3 * i + 1]) +
                 fabs(got[i].vz - v[3 * i + 2]);
    err /= fastest;
    err += fabs(got[i].x - p[3 * i]) + fabs(got[i].y - p[3 * i + 1]) +
           fabs(got[i].z - p[3 * i + 2]);
    worst = std::max(worst, std::isfinite(err) ? err : 1e30);
  }
  return worst;
}

int main(int argc, char **argv) {
  int n = 8192;
  bool check = false;
  parseArgs(argc, argv, 1 << 20, &n, &check);

  printResult(simulate(makeBodies(n)));
  if (check) {
    double worst = checkSmall(n);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  return 0;
}

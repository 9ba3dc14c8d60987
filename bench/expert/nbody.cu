// All-pairs gravity as an expert writes it: positions and masses as float4 in
// two buffers, so that a step is one launch; a block has 64 bodies, two a lane
// in registers, and its eight warps share the bodies that act on them, read
// from shared memory by all lanes at once; one reciprocal square root a pair.
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

#define STEPS 5
#define TIME_STEP 0.001f

constexpr int WARPS = 8, THREADS = 32 * WARPS, OWN = 64; // bodies a block
constexpr int TILE = 512; // acting bodies in shared memory
constexpr float SOFTENING = 0.01f;

struct Body {
  float x, y, z, mass;
  float vx, vy, vz;
};

__global__ void pack(const Body *bodies, float4 *place, float4 *velocity,
                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Body b = bodies[i];
    place[i] = make_float4(b.x, b.y, b.z, b.mass);
    velocity[i] = make_float4(b.vx, b.vy, b.vz, 0.0f);
  }
}

__global__ void unpack(const float4 *place, const float4 *velocity,
                       Body *bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 p = place[i], v = velocity[i];
    bodies[i] = Body{p.x, p.y, p.z, p.w, v.x, v.y, v.z};
  }
}

__device__ void act(float4 on, float4 by, float3 &sum) {
  float dx = by.x - on.x, dy = by.y - on.y, dz = by.z - on.z;
  float inv = rsqrtf(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
  float f = by.w * inv * (inv * inv);
  sum.x += f * dx, sum.y += f * dy, sum.z += f * dz;
}

__global__ void __launch_bounds__(THREADS)
    step(const float4 *__restrict__ from, float4 *__restrict__ to,
         float4 *__restrict__ velocity, float dt, int n) {
  __shared__ float4 tile[TILE];
  __shared__ float3 sums[WARPS][OWN];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int first = blockIdx.x * OWN + lane, second = first + 32;
  float4 a = first < n ? from[first] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 b = second < n ? from[second] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float3 onA = make_float3(0.0f, 0.0f, 0.0f), onB = onA;
  for (int start = 0; start < n; start += TILE) {
    for (int t = threadIdx.x; t < TILE; t += THREADS) // past the end: no mass
      tile[t] =
          start + t < n ? from[start + t] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
    const float4 *mine = tile + warp * (TILE / WARPS);
#pragma unroll 8
    for (int j = 0; j < TILE / WARPS; j++) {
      float4 by = mine[j];
      act(a, by, onA);
      act(b, by, onB);
    }
    __syncthreads();
  }
  sums[warp][lane] = onA;
  sums[warp][lane + 32] = onB;
  __syncthreads();
  int i = blockIdx.x * OWN + threadIdx.x;
  if (threadIdx.x >= OWN || i >= n)
    return;
  float3 sum = sums[0][threadIdx.x];
  for (int w = 1; w < WARPS; w++) {
    float3 part = sums[w][threadIdx.x];
    sum.x += part.x, sum.y += part.y, sum.z += part.z;
  }
  float4 p = from[i], v = velocity[i];
  v.x += dt * sum.x, v.y += dt * sum.y, v.z += dt * sum.z;
  velocity[i] = v;
  to[i] = make_float4(p.x + v.x * dt, p.y + v.y * dt, p.z + v.z * dt, p.w);
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
  float4 *place, *next, *velocity;
  CUDA_CHECK(cudaMalloc(&d, n * sizeof(Body)));
  CUDA_CHECK(cudaMalloc(&place, n * sizeof(float4)));
  CUDA_CHECK(cudaMalloc(&next, n * sizeof(float4)));
  CUDA_CHECK(cudaMalloc(&velocity, n * sizeof(float4)));
  CUDA_CHECK(
      cudaMemcpy(d, start.data(), n * sizeof(Body), cudaMemcpyHostToDevice));
  int blocks = (n + OWN - 1) / OWN, all = (n + THREADS - 1) / THREADS;
  pack<<<all, THREADS>>>(d, place, velocity, n);
  CUDA_CHECK(cudaGetLastError());
  for (int i = 0; i < STEPS; i++) {
    step<<<blocks, THREADS>>>(place, next, velocity, TIME_STEP, n);
    CUDA_CHECK(cudaGetLastError());
    std::swap(place, next);
  }
  unpack<<<all, THREADS>>>(place, velocity, d, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(
      cudaMemcpy(result.data(), d, n * sizeof(Body), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d));
  CUDA_CHECK(cudaFree(place));
  CUDA_CHECK(cudaFree(next));
  CUDA_CHECK(cudaFree(velocity));
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

// Particles in a box under gravity and drag, reflected by the walls.
// Naive: an array of structures with 40 bytes each, every member read and
// written where it lies, pow for a square, double literals, a launch a step;
// a slower integrator is still there, switched off.
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

#define STEPS 12
#undef CUDA_LEAPFROG

struct Particle {
  float x, y, z;
  float vx, vy, vz;
  float mass, drag;
  int bounces;
  int alive;
};

#define REFLECT(p, position, velocity, size)                                   \
  if ((p).position < 0 || (p).position > (size)) {                             \
    (p).velocity = -(p).velocity * 0.5;                                        \
    (p).position = (p).position < 0 ? 0 : (size);                              \
    (p).bounces++;                                                             \
  }

__global__ void moveParticles(Particle *particles, int count, float dt,
                              float size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || !particles[i].alive)
    return;
  float speed = sqrt(pow(particles[i].vx, 2) + pow(particles[i].vy, 2) +
                     pow(particles[i].vz, 2));
  particles[i].vx -=
      particles[i].drag * speed * particles[i].vx / particles[i].mass * dt;
  particles[i].vy -=
      particles[i].drag * speed * particles[i].vy / particles[i].mass * dt;
  particles[i].vz -=
      particles[i].drag * speed * particles[i].vz / particles[i].mass * dt;
  particles[i].vz -= 9.81 * dt;
#ifdef CUDA_LEAPFROG
  particles[i].x += 0.5f * particles[i].vx * dt;
  particles[i].y += 0.5f * particles[i].vy * dt;
  particles[i].z += 0.5f * particles[i].vz * dt;
#else
  particles[i].x += particles[i].vx * dt;
  particles[i].y += particles[i].vy * dt;
  particles[i].z += particles[i].vz * dt;
#endif
  REFLECT(particles[i], x, vx, size)
  REFLECT(particles[i], y, vy, size)
  REFLECT(particles[i], z, vz, size)
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

static void printResult(const char *name, const std::vector<float> &v) {
  double sum = 0, weighted = 0;
  float low = v[0], high = v[0];
  for (size_t i = 0; i < v.size(); i++) {
    sum += v[i];
    weighted += (double)v[i] * (1 + i % 97);
    low = std::min(low, v[i]);
    high = std::max(high, v[i]);
  }
  printf("%s sum %.6e weighted %.6e min %.6e max %.6e\n", name, sum, weighted,
         low, high);
  printf("%s samples %.6e %.6e %.6e %.6e\n", name, v[0], v[v.size() / 3],
         v[v.size() / 2], v[v.size() - 1]);
}

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

static void advance(double &x, double &v, double size) {
  if (x < 0 || x > size) {
    v *= -0.5;
    x = x < 0 ? 0 : size;
  }
}

int main(int argc, char **argv) {
  int count = 1 << 20;
  bool check = false;
  parseArgs(argc, argv, 1 << 24, &count, &check);

  const float dt = 0.01f, size = 10.0f;
  std::vector<Particle> start(count), now(count);
  Lcg random;
  for (Particle &p : start) {
    p.x = size * random.uniform();
    p.y = size * random.uniform();
    p.z = size * random.uniform();
    p.vx = 20.0f * random.uniform() - 10.0f;
    p.vy = 20.0f * random.uniform() - 10.0f;
    p.vz = 20.0f * random.uniform() - 10.0f;
    p.mass = 1.0f + random.uniform();
    p.drag = 0.1f * random.uniform();
    p.bounces = 0;
    p.alive = random.bits() % 16 != 0;
  }

  Particle *dParticles;
  CUDA_CHECK(cudaMalloc(&dParticles, count * sizeof(Particle)));
  CUDA_CHECK(cudaMemcpy(dParticles, start.data(), count * sizeof(Particle),
                        cudaMemcpyHostToDevice));
  for (int step = 0; step < STEPS; step++)
    moveParticles<<<(count + 255) / 256, 256>>>(dParticles, count, dt, size);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(now.data(), dParticles, count * sizeof(Particle),
                        cudaMemcpyDeviceToHost));

  std::vector<float> places;
  for (const Particle &p : now)
    places.insert(places.end(), {p.x, p.y, p.z});
  printResult("places", places);
  if (check) {
    double worst = 0;
    for (int i = 0; i < count; i += 1 + count / 4000) {
      const Particle &p = start[i];
      double x = p.x, y = p.y, z = p.z, vx = p.vx, vy = p.vy, vz = p.vz;
      for (int step = 0; step < STEPS && p.alive; step++) {
        double slower =
            p.drag * sqrt(vx * vx + vy * vy + vz * vz) / p.mass * dt;
        vx -= slower * vx;
        vy -= slower * vy;
        vz -= slower * vz + 9.81 * dt;
        advance(x += vx * dt, vx, size);
        advance(y += vy * dt, vy, size);
        advance(z += vz * dt, vz, size);
      }
      for (double error : {now[i].x - x, now[i].y - y, now[i].z - z})
        worst = std::max(worst, relativeError(size + error, size));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dParticles));
  return 0;
}

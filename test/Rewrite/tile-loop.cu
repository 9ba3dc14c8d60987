// RUN: cuda-l1-opt %s --rules='-*,tile-loop' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,tile-loop' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,tile-loop' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES
// Other rules first, and then: the sites are still there.
// RUN: cuda-l1-opt %s --rules='-*,hoist-invariant,const-restrict,scalar-replacement,strength-reduction' --apply-all -- %fake_cuda > %t.others.cu
// RUN: cuda-l1-opt %t.others.cu --rules='-*,tile-loop' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=OTHERS
// RUN: cuda-l1-opt %t.cu --rules='-*,unroll-loop' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=THEN

// SITES:      tile-loop:j {tile=256} {tile=128} {tile=512} [exact]
// SITES-NEXT: in attract: bring bodies to shared memory, a tile at a time, in the loop over j
// SITES-NEXT: because all threads of a block read the same elements in the same iterations
// SITES-NEXT: because each thread keeps the order of its operations
// SITES-NEXT: because the kernel writes other members of bodies than it reads
// OTHERS-COUNT-4: bring {{.*}} to shared memory
// THEN-COUNT-4: unroll the loop over {{j|c}}

struct Body {
  float x, y, mass, v;
};

// CHECK-LABEL: {{^[^/]*}}void attract(
// CHECK-NEXT: {{^}}  int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT: {{^}}  if ((int)(blockIdx.x * blockDim.x) >= n)
// CHECK-NEXT: {{^}}    return;
// CHECK-NEXT: {{^}}  float a = 0;
// CHECK-NEXT: {{^}}  // My place.
// CHECK-NEXT: {{^}}  const float x = i < n ? bodies[i].x : 0.0f;
// CHECK-NEXT: {{^}}  // The block brings TILE elements of bodies at a time to shared memory.
// CHECK-NEXT: {{^}}  constexpr int TILE = 256;
// CHECK-NEXT: {{^}}  __shared__ float tileX[TILE];
// CHECK-NEXT: {{^}}  __shared__ float tileMass[TILE];
// CHECK-NEXT: {{^}}  for (int start = 0; start < n; start += TILE) {
// CHECK-NEXT: {{^}}    for (int k = threadIdx.x; k < TILE && start + k < n; k += blockDim.x) {
// CHECK-NEXT: {{^}}      tileX[k] = bodies[start + k].x;
// CHECK-NEXT: {{^}}      tileMass[k] = bodies[start + k].mass;
// CHECK-NEXT: {{^}}    }
// CHECK-NEXT: {{^}}    __syncthreads();
// CHECK-NEXT: {{^}}    if (i < n) {
// CHECK-NEXT: {{^}}      const int end = start + TILE < n ? start + TILE : n;
// CHECK-NEXT: {{^}}      for (int j = start; j < end; ++j) {
// CHECK-NEXT: {{^}}        float d = tileX[j - start] - x; // distance
// CHECK-NEXT: {{^}}        float m = tileMass[j - start];
// CHECK-NEXT: {{^}}        if (j == i)
// CHECK-NEXT: {{^}}          continue;
// CHECK-NEXT: {{^}}        a += m * d / fabsf(tileX[j - start] - x);
// CHECK-NEXT: {{^}}      }
// CHECK-NEXT: {{^}}    }
// CHECK-NEXT: {{^}}    __syncthreads();
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: {{^}}  if (i < n) {
// CHECK-NEXT: {{^}}    bodies[i].v += a;
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: {{^}}}
__global__ void attract(Body *bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float a = 0;
    // My place.
    const float x = bodies[i].x;
    for (int j = 0; j < n; j++) {
      float d = bodies[j].x - x; // distance
      float m = bodies[j].mass;
      if (j == i)
        continue;
      a += m * d / fabsf(bodies[j].x - x);
    }
    bodies[i].v += a;
  }
}

// Early return; a sum in memory; no braces; two arrays, one of them with a
// stride.
// CHECK-LABEL: {{^[^/]*}}void nearest(
// CHECK:      {{^}}  if ((unsigned int)(blockIdx.x * blockDim.x) >= n)
// CHECK-NEXT: {{^}}    return;
// CHECK-NEXT: {{^}}  if (i < n) {
// CHECK-NEXT: {{^}}    out[i] = 0;
// CHECK-NEXT: {{^}}  }
// CHECK:      {{^}}  for (int start = 0; start < m; start += TILE) {
// CHECK-NEXT: {{^}}    for (int k = threadIdx.x; k < TILE && start + k < m; k += blockDim.x) {
// CHECK-NEXT: {{^}}      tileW[k] = w[start + k];
// CHECK-NEXT: {{^}}      tileC[k] = c[2 * (start + k) + 1];
// CHECK-NEXT: {{^}}    }
// CHECK:      {{^}}      for (int c1 = start; c1 < end; ++c1)
// CHECK-NEXT: {{^}}        out[i] += tileW[c1 - start] * tileC[c1 - start] * x[i];
__global__ void nearest(const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ c, float *__restrict__ out, unsigned n, int m) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = 0;
  for (int c1 = 0; c1 < m; ++c1)
    out[i] += w[c1] * c[2 * c1 + 1] * x[i];
}

// Read under a condition only; but each thread has an element of its own, which
// it always reads or writes, and the launch has a thread for each.
// CHECK-LABEL: {{^[^/]*}}void others(
// CHECK:      {{^}}      tileX[k] = bodies[start + k].x;
// CHECK:      {{^}}        if (j != i)
// CHECK-NEXT: {{^}}          a += tileX[j - start];
__global__ void others(Body *bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float a = 0;
    for (int j = 0; j < n; j++)
      if (j != i)
        a += bodies[j].x;
    bodies[i].v += a;
  }
}

// All threads work.
// CHECK-LABEL: {{^[^/]*}}void all(
// CHECK-NOT: return
// CHECK:      {{^}}  for (int start = 0; start < m; start += TILE) {
// CHECK-NOT: if (
// CHECK:      {{^}}      sum += tileW[j - start];
// CHECK:      {{^}}    __syncthreads();
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: {{^}}  out[i] = sum;
__global__ void all(const float *__restrict__ w, float *__restrict__ out, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i;
  for (int j = 0; j < m; j++)
    sum += w[j];
  out[i] = sum;
}

int main(int argc, char **argv) {
  int n = argc * 100;
  Body *bodies;
  cudaMalloc(&bodies, n * sizeof(Body));
  others<<<(n + 127) / 128, 128>>>(bodies, n);
}

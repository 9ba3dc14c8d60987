// What vectorize-access rewrites and what it leaves alone.
// RUN: cuda-l1-opt %s --rules='-*,vectorize-access' --apply-all -o %t.cu -- %fake_cuda
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.cu
// A second run finds nothing more to do.
// RUN: cuda-l1-opt %t.cu --rules='-*,vectorize-access' --apply-all -o %t2.cu -- %fake_cuda
// RUN: diff %t.cu %t2.cu
// RUN: cuda-l1-opt %s --rules='-*,vectorize-access' --apply-all --needs-check -- %fake_cuda \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace --check-prefix=ALL
// RUN: cuda-l1-opt %s --rules='-*,vectorize-access' --list-sites --needs-check -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES
// SITES: load 4 elements from in[4 * i] on at once
// SITES: store 4 elements from out[4 * i] on at once
// SITES: load 2 elements from p[2 * i] on at once
// SITES: p is aligned to 16 bytes
// SITES-NOT: at once

// The buffers are whole allocations, and the index is a multiple of four.
__global__ void pixels(const float *in, float *out, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float r = in[4 * i]; // red
  float g = in[4 * i + 1];
  float b = in[4 * i + 2], a = in[4 * i + 3];
  out[4 * i] = scale * r;
  out[4 * i + 1] = scale * g;
  out[4 * i + 2] = scale * b;
  out[4 * i + 3] = a;
}
//      CHECK:__global__ void pixels({{.*}}
//      CHECK:  const float4 in4 = *reinterpret_cast<const float4 *>(&in[4 * i]);
// CHECK-NEXT:  float r = in4.x; // red
// CHECK-NEXT:  float g = in4.y;
// CHECK-NEXT:  float b = in4.z, a = in4.w;
// CHECK-NEXT:  *reinterpret_cast<float4 *>(&out[4 * i]) = make_float4(scale * r, scale * g, scale * b, a);
// CHECK-NEXT:}

// Where p points to is not known.
__global__ void unseen(const double *__restrict__ p, double *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[2 * i] * p[2 * i + 1];
}
//      CHECK:__global__ void unseen({{.*}}
//      CHECK:  out[i] = p[2 * i] * p[2 * i + 1];
//        ALL:__global__ void unseen({{.*}}
//        ALL:  const double2 p2 = *reinterpret_cast<const double2 *>(&p[2 * i]);
//   ALL-NEXT:  out[i] = p2.x * p2.y;

// Left alone:
// - rows whose length is not known to be a multiple of four;
// - elements that are not all accessed in any case: they may lie outside;
// - a condition, a barrier, a store or a change of the index in between.
__global__ void kept(const float *__restrict__ in, float *__restrict__ out,
                     float *both, int n, int row) {
  int i = threadIdx.x;
  float s = in[row * i] + in[row * i + 1] + in[row * i + 2] + in[row * i + 3];
  s += in[4 * i] + in[4 * i + 3];
  s += i < n ? in[4 * i + 1] + in[4 * i + 2] : 0.0f;
  s += in[2 * i + 1] + in[2 * i + 2];
  float t = both[2 * i];
  both[2 * i + 1] = s;
  t += both[2 * i + 1];
  s = both[2 * i + 64];
  __syncthreads();
  s += both[2 * i + 65];
  out[3 * i] = s;
  out[3 * i + 1] = t;
  out[3 * i + 2] = t;
  int j = i;
  s = in[2 * j + 128];
  j++;
  s += in[2 * j + 129];
  out[4 * i + 256] = s;
  s = 0;
  out[4 * i + 257] = s;
}
//        ALL:__global__ void kept({{.*}}
//        ALL:  float s = in[row * i] + in[row * i + 1] + in[row * i + 2] + in[row * i + 3];

int main() {
  int n = 1024;
  float *in, *out;
  cudaMalloc((void **)&in, n * sizeof(float));
  cudaMalloc((void **)&out, n * sizeof(float));
  pixels<<<n / 128, 128>>>(in, out, 2.0f, n);
  cudaFree(in);
  cudaFree(out);
  return 0;
}

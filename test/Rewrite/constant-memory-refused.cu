// Buffers that something else may change or see, that differ from thread to
// thread, or whose size is not known, stay where they are.
// RUN: cuda-l1-opt %s --rules='-*,constant-memory' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s --implicit-check-not={{^}}__constant__ < %t.cu
// CHECK: {{^}}__constant__ float constantFine[64];

#define KERNEL(name) \
  __global__ void name(const float *f, float *out) { out[threadIdx.x] = f[0]; }

// One that can be moved, so that it is seen that the unit stops no other.
__global__ void plain(const float *fine, float *out) { out[threadIdx.x] = fine[0]; }

// Made by a macro.
KERNEL(made)
// Each thread reads its own element.
__global__ void own(const float *f, float *out) { out[threadIdx.x] = f[threadIdx.x]; }
// A loop that starts at the thread's number.
__global__ void strided(const float *f, float *out) {
  for (int i = threadIdx.x; i < 64; i += 32)
    out[i] = f[i];
}
// Written by the kernel.
__global__ void written(float *f, float *out) { out[threadIdx.x] = f[0]; f[1] = 2.0f; }
// Handed on, or used as a pointer.
__device__ float first(const float *f) { return f[0]; }
__global__ void handed(const float *f, float *out) { out[threadIdx.x] = first(f); }
__global__ void moved(const float *f, float *out) { out[threadIdx.x] = *(f + 1); }
// As many as a run says.
__global__ void sized(const float *f, float *out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = f[i];
}
// More than constant memory should hold.
__global__ void large(const float *f, float *out) {
  for (int i = 0; i < 5000; ++i)
    out[i] = f[i];
}
// Two buffers at two launches.
__global__ void two(const float *f, float *out) { out[threadIdx.x] = f[0]; }
// Filled by memset, by a kernel, from the device, in part, or read back.
__global__ void filled(const float *f, float *out) { out[threadIdx.x] = f[0]; }
__global__ void made2(const float *f, float *out) { out[threadIdx.x] = f[0]; }
__global__ void copied(const float *f, float *out) { out[threadIdx.x] = f[0]; }
__global__ void parts(const float *f, float *out) { out[threadIdx.x] = f[0]; }
__global__ void back(const float *f, float *out) { out[threadIdx.x] = f[0]; }
// The function that launches calls itself between the copy and the launch.
__global__ void recursive(const float *f, float *out) { out[threadIdx.x] = f[0]; }
// The negative element.
__global__ void negative(const float *f, float *out) { out[threadIdx.x] = f[(int)blockIdx.x - 1]; }
// A directive decides what fills it.
__global__ void configured(const float *f, float *out) { out[threadIdx.x] = f[0]; }
// A template's text serves others too.
template <typename T> __global__ void generic(const T *f, T *out) { out[threadIdx.x] = f[0]; }

void again(int depth, float *out) {
  float *f, host[4] = {};
  cudaMalloc(&f, 16);
  cudaMemcpy(f, host, 16, cudaMemcpyHostToDevice);
  if (depth)
    again(depth - 1, out);
  recursive<<<1, 32>>>(f, out);
  cudaFree(f);
}

void configure(float *out) {
  float *f, host[4] = {};
  cudaMalloc(&f, 16);
#ifdef OTHER
  cudaMemcpy(f, host + 1, 12, cudaMemcpyHostToDevice);
#else
  cudaMemcpy(f, host, 16, cudaMemcpyHostToDevice);
#endif
  configured<<<1, 32>>>(f, out);
}

#define FILLED(p) \
  cudaMalloc(&p, 256); \
  cudaMemcpy(p, host, 256, cudaMemcpyHostToDevice);

int main(int argc, char **) {
  float *out, *a, *b, *c, *d, *e, *f, *g, *h, *i, *j, *k, *l, *m, host[64] = {};
  cudaMalloc(&out, 65536);
  float *fine;
  cudaMalloc(&fine, 256);
  cudaMemcpy(fine, host, 256, cudaMemcpyHostToDevice);
  plain<<<1, 32>>>(fine, out);
  cudaMalloc(&a, 256);
  cudaMemcpy(a, host, 256, cudaMemcpyHostToDevice);
  own<<<1, 32>>>(a, out);
  cudaMalloc(&b, 256);
  cudaMemcpy(b, host, 256, cudaMemcpyHostToDevice);
  strided<<<1, 32>>>(b, out);
  cudaMalloc(&c, 256);
  cudaMemcpy(c, host, 256, cudaMemcpyHostToDevice);
  written<<<1, 32>>>(c, out);
  cudaMalloc(&d, 256);
  cudaMemcpy(d, host, 256, cudaMemcpyHostToDevice);
  handed<<<1, 32>>>(d, out);
  cudaMalloc(&e, 256);
  cudaMemcpy(e, host, 256, cudaMemcpyHostToDevice);
  moved<<<1, 32>>>(e, out);
  cudaMalloc(&f, argc * 4);
  cudaMemcpy(f, host, argc * 4, cudaMemcpyHostToDevice);
  sized<<<1, 32>>>(f, out, argc);
  cudaMalloc(&g, 20000);
  cudaMemcpy(g, host, 256, cudaMemcpyHostToDevice);
  large<<<1, 32>>>(g, out);
  two<<<1, 32>>>(a, out);
  two<<<1, 32>>>(b, out);
  cudaMalloc(&h, 256);
  cudaMemcpy(h, host, 256, cudaMemcpyHostToDevice);
  cudaMemset(h, 0, 4);
  filled<<<1, 32>>>(h, out);
  cudaMalloc(&i, 256);
  cudaMemcpy(i, host, 256, cudaMemcpyHostToDevice);
  written<<<1, 32>>>(i, out);
  made2<<<1, 32>>>(i, out);
  cudaMalloc(&j, 256);
  cudaMemcpy(j, host, 256, cudaMemcpyHostToDevice);
  cudaMemcpy(j, out, 4, cudaMemcpyDeviceToDevice);
  copied<<<1, 32>>>(j, out);
  cudaMalloc(&k, 256);
  cudaMemcpy(k, host, 128, cudaMemcpyHostToDevice);
  cudaMemcpy(k + 32, host, 128, cudaMemcpyHostToDevice);
  parts<<<1, 32>>>(k, out);
  cudaMalloc(&l, 256);
  cudaMemcpy(l, host, 256, cudaMemcpyHostToDevice);
  back<<<1, 32>>>(l, out);
  cudaMemcpy(host, l, 256, cudaMemcpyDeviceToHost);
  again(argc, out);
  cudaMalloc(&m, argc * 4);
  cudaMemcpy(m, host, argc * 4, cudaMemcpyHostToDevice);
  negative<<<2, 32>>>(m, out);
  configure(out);
  float *n, *o;
  cudaMalloc(&n, 256);
  cudaMemcpy(n, host, 256, cudaMemcpyHostToDevice);
  generic<<<2, 32>>>(n, out);
  FILLED(o)
  made<<<1, 32>>>(o, out);
  return 0;
}

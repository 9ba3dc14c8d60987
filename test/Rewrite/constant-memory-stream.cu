// With another stream nothing says in which order a copy and a kernel go.
// RUN: cuda-l1-opt %s --rules='-*,constant-memory' --apply-all -- %fake_cuda | diff %s -

__global__ void first(const float *f, float *out) { out[threadIdx.x] = f[0]; }

int main() {
  float *out, *f, host[4] = {};
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&out, 4096);
  cudaMalloc(&f, 16);
  cudaMemcpy(f, host, 16, cudaMemcpyHostToDevice);
  first<<<1, 32, 0, stream>>>(f, out);
  return 0;
}

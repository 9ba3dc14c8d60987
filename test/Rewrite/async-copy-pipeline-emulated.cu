// Original and result run in the emulator, races included, and agree to the bit.
// REQUIRES: emulator, nvcc
// RUN: cuda-l1-opt %s --rules='-*,async-copy-pipeline' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- -arch=sm_80 --cuda-path=%cuda_path 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,async-copy-pipeline' --apply-all --verify=emulator --emulate-args 33 -o %t.2.cu -- -arch=sm_80 --cuda-path=%cuda_path 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,async-copy-pipeline' --apply='async-copy-pipeline:As,Bs{stages=3}' --apply='async-copy-pipeline:tile{stages=3}' --verify=emulator --emulate-args 52 -o %t.3.cu -- -arch=sm_80 --cuda-path=%cuda_path 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,async-copy-pipeline' --apply='async-copy-pipeline:As,Bs{stages=4}' --verify=emulator --emulate-args 34 -o %t.4.cu -- -arch=sm_80 --cuda-path=%cuda_path 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=AHEAD < %t.2.cu
// AHEAD-COUNT-2: auto copyTiles
// RUN: FileCheck %s --check-prefix=DEEP < %t.4.cu
// DEEP: __pipeline_wait_prior(2);

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int Edge = 16;

template <typename T> __global__ void product(const T *A, const T *B, T *C, int n) {
  __shared__ T As[Edge][Edge], Bs[Edge][Edge + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * Edge + ty, col = blockIdx.x * Edge + tx;
  T sum = 0;
  for (int t = 0; t < n; t += Edge) {
    As[ty][tx] = row < n && t + tx < n ? A[row * n + t + tx] : 0.0f;
    if (t + ty < n && col < n)
      Bs[ty][tx] = B[(t + ty) * n + col];
    else
      Bs[ty][tx] = 0;
    __syncthreads();
    for (int k = 0; k < Edge; ++k)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < n && col < n)
    C[row * n + col] = sum;
}

// The uses write memory that other threads read in the next turn.
__global__ void window(const float *a, float *out, float *sums, int turns) {
  __shared__ float tile[1024];
  __shared__ float total[256];
  int i = threadIdx.x;
  total[i] = 0.0f;
  __syncthreads();
  for (int t = 0; t < turns; ++t) {
    for (int j = i; j < 1024; j += 256)
      tile[j] = a[(t % 7) * 100 + j];
    __syncthreads();
    total[i] += tile[i] + tile[1023 - i];
    sums[t * 256 + i] = tile[(i * 7 + t) % 1024];
    __syncthreads();
  }
  out[i] = total[255 - i];
}

template <typename T> void show(const char *name, T *device, int count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
  printf("%s", name);
  for (T v : values)
    printf(" %.9g", (double)v);
  printf("\n");
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  std::vector<float> values(20000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int(i * 37 % 101 - 50) / 7.0f;
  float *a, *b, *c;
  cudaMalloc(&a, values.size() * sizeof(float));
  cudaMalloc(&b, values.size() * sizeof(float));
  cudaMalloc(&c, 100000 * sizeof(float));
  cudaMemcpy(a, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, values.data() + 5, (values.size() - 5) * sizeof(float), cudaMemcpyHostToDevice);
  dim3 grid((n + Edge - 1) / Edge, (n + Edge - 1) / Edge), block(Edge, Edge);
  product<<<grid, block>>>(a, b, c, n);
  show("product", c, n * n);
  window<<<1, 256>>>(a, b, c, n % 5);
  show("window", b, 256);
  show("sums", c, n % 5 * 256);
  return cudaDeviceSynchronize();
}

// Host code with OpenMP runs in as many threads as elsewhere.
// REQUIRES: emulator, libomp
// RUN: %emulate %s --flags "-fopenmp %runnable_cuda" | FileCheck %s

extern "C" int omp_get_num_threads();

__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }

int main() {
  int *p, host[32], sum = 0, threads = 0;
  cudaMalloc(&p, sizeof(host));
  fill<<<1, 32>>>(p);
  cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 32; ++i)
      sum += host[i];
  }
  // CHECK: 496 by 3
  printf("%d by %d\n", sum, threads);
  return 0;
}

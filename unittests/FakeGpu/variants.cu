// Kernels that tests load as a module of their own.

__device__ float bias[4] = {1, 2, 3, 4};
__device__ int calls;

__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i] + bias[i % 4];
}

__global__ void fill(float *y, float value, double other, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = value + float(other);
}

__global__ void hang(volatile int *y) {
  while (*y != 12345)
    ;
}

__global__ void crash(int *y) { *(volatile int *)nullptr = *y; }

__global__ void fault(int *y) {
  *y = 1;
  fakeIllegalAddress();
  *y = 2;
}

__global__ void nothing() {}

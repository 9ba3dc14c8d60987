// RUN: cuda-l1-opt %s --rules='-*,constant-memory' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,constant-memory' --apply-all -- %fake_cuda | diff %t.cu -

// The loops say how many elements are read; more is never copied.
// CHECK:      {{^}}__constant__ float constantFilter[49];
// CHECK-EMPTY:
// CHECK-NEXT: {{^}}// A filter of 7 times 7 taps.
// CHECK-NEXT: {{^}}__global__ void convolve(const float *image, const float * /*filter*/, float *out, int w) {

// A filter of 7 times 7 taps.
__global__ void convolve(const float *image, const float *filter, float *out, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int fy = -3; fy <= 3; fy++)
    for (int fx = -3; fx <= 3; fx++)
      // CHECK: {{^}}      sum += image[fy * w + fx + x] * constantFilter[(fy + 3) * 7 + fx + 3];
      sum += image[fy * w + fx + x] * filter[(fy + 3) * 7 + fx + 3];
  out[x] = sum;
}

// The buffer's own size says it here, whatever the kernel reads.
// CHECK:      {{^}}__constant__ double constant_weights[32];
// CHECK-EMPTY:
// CHECK-NEXT: {{^}}__global__ void weigh_all(double * /*weights*/, double *out, int taps_used) {

__global__ void weigh_all(double *weights, double *out, int taps_used) {
  double whole_sum = 0;
  for (int k = 0; k < taps_used; ++k)
    // CHECK: {{^}}    whole_sum += constant_weights[k] * constant_weights[blockIdx.x];
    whole_sum += weights[k] * weights[blockIdx.x];
  out[threadIdx.x] = whole_sum;
}

#define CHECK(call) do { if ((call) != cudaSuccess) return 1; } while (0)

int main(int argc, char **) {
  float *image, *filter, *out, host[64] = {};
  double *weights, *results, values[32] = {};
  int taps = argc;
  CHECK(cudaMalloc(&image, 4096));
  CHECK(cudaMalloc(&out, 4096));
  CHECK(cudaMalloc(&filter, taps * sizeof(float)));
  // CHECK: {{^}}  CHECK(cudaMemcpy(filter, host, taps * sizeof(float), cudaMemcpyHostToDevice));
  // CHECK-NEXT: {{^}}  CHECK(cudaMemcpyToSymbol(constantFilter, host, (taps * sizeof(float)) < sizeof(constantFilter) ? (taps * sizeof(float)) : sizeof(constantFilter)));
  CHECK(cudaMemcpy(filter, host, taps * sizeof(float), cudaMemcpyHostToDevice));
  convolve<<<1, 32>>>(image, filter, out, 32);
  // CHECK: {{^}}  CHECK(cudaMemcpyToSymbol(constantFilter, host + 3, 7 * sizeof(float)));
  CHECK(cudaMemcpy(filter, host + 3, 7 * sizeof(float), cudaMemcpyHostToDevice));
  convolve<<<1, 32>>>(image, filter, out, 32);
  CHECK(cudaFree(filter));
  const int count = 32;
  CHECK(cudaMalloc(&weights, count * sizeof(double)));
  CHECK(cudaMalloc(&results, 4096));
  // CHECK: {{^}}  cudaMemcpyToSymbol(constant_weights, values, taps * sizeof(double));
  cudaMemcpy(weights, values, taps * sizeof(double), cudaMemcpyHostToDevice);
  weigh_all<<<2, 32>>>(weights, results, taps);
  CHECK(cudaMemcpy(host, out, 64, cudaMemcpyDeviceToHost));
  return 0;
}

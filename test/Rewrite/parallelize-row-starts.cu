// A loop from 1 on begins at 0 with the others only where what it adds there is
// what its result begins with.
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all -- %fake_cuda | FileCheck %s

// CHECK-LABEL: {{^}}__global__ void byFunction(
// CHECK: {{^ *}}for (int k = lane; k < n; k += 32)
// CHECK: {{^ *}}for (int k = lane; k < n; k += 32)
__global__ void byFunction(const float *__restrict__ a, float *__restrict__ b, int rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float most = a[row * n];
  for (int k = 1; k < n; ++k)
    most = fmaxf(most, a[row * n + k]);
  for (int k = 0; k < n; ++k)
    b[row * n + k] = a[row * n + k] - most;
}

// It begins with the element of another row.
// CHECK-LABEL: {{^}}__global__ void otherRow(
// CHECK: {{^ *}}for (int k = 1 + lane; k < n; k += 32)
__global__ void otherRow(const float *__restrict__ a, float *__restrict__ b, int rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float most = a[row];
  for (int k = 1; k < n; ++k)
    most = fmaxf(most, a[row * n + k]);
  for (int k = 0; k < n; ++k)
    b[row * n + k] = a[row * n + k] - most;
}

// What it compares is not the element.
// CHECK-LABEL: {{^}}__global__ void magnitude(
// CHECK: {{^ *}}for (int k = 1 + lane; k < n; k += 32)
__global__ void magnitude(const float *__restrict__ a, float *__restrict__ b, int rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float most = a[row * n];
  for (int k = 1; k < n; ++k)
    most = fmaxf(most, -a[row * n + k]);
  for (int k = 0; k < n; ++k)
    b[row * n + k] = a[row * n + k] - most;
}

// A sum counts the element once.
// CHECK-LABEL: {{^}}__global__ void total(
// CHECK: {{^ *}}for (int k = 1 + lane; k < n; k += 32)
__global__ void total(const float *__restrict__ a, float *__restrict__ b, int rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = a[row * n];
  for (int k = 1; k < n; ++k)
    sum += a[row * n + k];
  for (int k = 0; k < n; ++k)
    b[row * n + k] = a[row * n + k] - sum;
}

// The loop reads more: there may be no element before the first of them.
// CHECK-LABEL: {{^}}__global__ void neighbours(
// CHECK: {{^ *}}for (int k = 1 + lane; k < n; k += 32)
__global__ void neighbours(const float *__restrict__ a, float *__restrict__ b, int rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float most = a[row * n];
  for (int k = 1; k < n; ++k)
    most = fmaxf(most, fmaxf(a[row * n + k - 1], a[row * n + k]));
  for (int k = 0; k < n; ++k)
    b[row * n + k] = a[row * n + k] - most;
}

int main(int rows, char **) {
  int n = 100;
  float *a, *b;
  byFunction<<<(rows + 127) / 128, 128>>>(a, b, rows, n);
  otherRow<<<(rows + 127) / 128, 128>>>(a, b, rows, n);
  magnitude<<<(rows + 127) / 128, 128>>>(a, b, rows, n);
  total<<<(rows + 127) / 128, 128>>>(a, b, rows, n);
  neighbours<<<(rows + 127) / 128, 128>>>(a, b, rows, n);
}

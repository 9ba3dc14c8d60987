// Subscripts that are not what they seem: nothing is proved.
// RUN: cuda-l1-opt %s --rules='-*,pad-shared' --apply-all -o %t.cu -- %fake_cuda
// RUN: diff %s %t.cu

// i may be 40.
__global__ void assignedByChoice(float *a, int n) {
  __shared__ float t[32][32];
  int i = 0, j = 0;
  (n ? i : j) = 40;
  t[threadIdx.x][i] = 2;
  a[1] = t[threadIdx.x][j];
}

// x is 40, whatever i is later.
__global__ void formerValue(float *a) {
  __shared__ float t[32][32];
  int i = 40;
  int x = i;
  for (i = 0; i < 32; i++)
    t[threadIdx.x][x] = a[i];
  a[1] = t[0][0];
}

// i goes on below zero.
__global__ void wraps(float *a) {
  __shared__ float t[32][32];
  for (unsigned char i = 31; i >= 0; i--) {
    t[threadIdx.x][i] = a[i];
    if (i == 200)
      break;
  }
  a[1] = t[0][0];
}

int main() {
  float *a;
  cudaMalloc(&a, 4096);
  dim3 block(32, 32);
  assignedByChoice<<<1, block>>>(a, 1);
  formerValue<<<1, block>>>(a);
  wraps<<<1, block>>>(a);
}

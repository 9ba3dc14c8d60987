// Accesses that cannot be moved together; all are left alone.
// RUN: cuda-l1-opt %s --rules='-*,vectorize-access' --apply-all --needs-check -o %t.cu -- %fake_cuda
// RUN: diff %s %t.cu

// The short is a part of a[1] where i is 0.
__global__ void otherElementType(float *__restrict__ a,
                                 float *__restrict__ out) {
  int i = threadIdx.x;
  float x = a[2 * i];
  ((short *)a)[2 * i + 3] = 7;
  float y = a[2 * i + 1];
  out[i] = x + y;
}

// Arguments are computed in no certain order.
__global__ void sideEffects(int *__restrict__ a, int k) {
  int i = threadIdx.x;
  a[4 * i + 3] = k++;
  a[4 * i + 2] = k++;
  a[4 * i + 1] = k++;
  a[4 * i] = k++;
}
__global__ void assignment(int *__restrict__ a, int k) {
  int i = threadIdx.x;
  a[2 * i + 1] = (k = 5) + 1;
  a[2 * i] = k;
}

// The second value is ready when the flag is set.
__global__ void flag(float *__restrict__ a, float *__restrict__ out,
                     volatile int *f) {
  int i = threadIdx.x;
  float x = a[2 * i];
  while (*f == 0)
    ;
  float y = a[2 * i + 1];
  out[i] = x + y;
}

// x is 5, whatever i is later.
__global__ void formerValue(const float *__restrict__ a,
                            float *__restrict__ out, int n) {
  int i = 5;
  int x = i;
  for (i = 0; i < n; i++) {
    float u = a[2 * i];
    float v = a[2 * x + 1];
    out[i] = u + v;
  }
}

// j is 0 or 1: a[j] may be misaligned.
__global__ void assignedByChoice(const float *__restrict__ a,
                                 float *__restrict__ out, int n) {
  int i = 0, j = 0;
  (n ? i : j) += 1;
  out[threadIdx.x] = a[j] + a[j + 1];
  (n, i) = 1;
  (int &)i = 1;
  out[n] = a[i] + a[i + 1];
}

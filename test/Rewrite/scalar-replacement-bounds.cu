// Loops and indices that are not what they seem; all are left alone.
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement' --apply-all --needs-check -o %t.cu -- %fake_cuda
// RUN: diff %s %t.cu

// Whether the loop ran cannot be asked after it.
__global__ void startChanges(const float *__restrict__ A, float *__restrict__ C,
                             int n, int s) {
  for (int k = s; k < n; k++) {
    C[threadIdx.x] += A[k];
    s += 100;
  }
}
__global__ void startHasEffects(const float *__restrict__ A,
                                float *__restrict__ C, int n, int s) {
  for (int k = s++; k < n; k++)
    C[threadIdx.x] += A[k];
}
__global__ void startIsItself(const float *__restrict__ A,
                              float *__restrict__ C, int n, int k) {
  for (k = k + 1; k < n; k++)
    C[threadIdx.x] += A[k];
}
__global__ void boundHasOtherName(const float *__restrict__ A,
                                  float *__restrict__ C, int n) {
  int m = n;
  int *q = &m;
  for (int k = 0; k < m; k++) {
    C[threadIdx.x] += A[k];
    *q = 0;
  }
}

// -1 is not below 10u: C and A are never touched.
__global__ void comparedWithoutSign(const float *__restrict__ A,
                                    float *__restrict__ C) {
  for (int k = -1; k < 10u; ++k)
    C[threadIdx.x] += A[k + 1];
}

// x is 5, whatever i is later.
__global__ void formerValue(const float *__restrict__ A, float *__restrict__ C,
                            int n) {
  int i = 5;
  int x = i;
  float *p = C + i;
  for (i = 0; i < n; i++)
    for (int k = 0; k < 16; k++) {
      C[x] += A[k];
      C[i] += A[k];
      p[0] += A[k];
    }
}

// One name, other bytes.
struct Point {
  float x, y;
};
struct Turned {
  float y, x;
};
__global__ void otherRecord(const float *__restrict__ A,
                            Point *__restrict__ C) {
  for (int k = 0; k < 16; k++) {
    C[threadIdx.x].x += A[k];
    ((Turned *)C)[threadIdx.x].x += A[k];
    ((Turned *)C)[threadIdx.x].y *= A[k];
  }
}

// case 1 passes the guard by, and the store.
__global__ void buriedCase(const float *__restrict__ A, float *__restrict__ C,
                           int n, int m) {
  switch (n) {
  case 0: {
    C[threadIdx.x] = 1;
    if (m <= 0)
      return;
  case 1:;
    for (int k = 0; k < m; k++)
      if (A[k] > 0)
        C[threadIdx.x] += A[k];
    for (int k = 0; k < m; k++)
      C[threadIdx.x] *= A[k];
  }
  }
}

// No function of CUDA's: another unit defines it.
__device__ void make_step(float *c);
__global__ void ownName(const float *__restrict__ A, float *__restrict__ C) {
  for (int k = 0; k < 8; k++) {
    C[threadIdx.x] += A[k];
    make_step(C);
  }
}

// What scalar-replacement must leave alone.
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement' --apply-all --needs-check -o %t.cu -- %fake_cuda
// RUN: diff %s %t.cu

// Other threads see C at the barrier.
__global__ void barrier(const float *__restrict__ A, float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++) {
    C[i] += A[k];
    __syncthreads();
  }
}

// Other threads see C at the fence; the warp at the shuffle.
__global__ void fence(const float *__restrict__ A, float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++) {
    C[i] += A[k];
    __threadfence();
  }
  for (int k = 0; k < 8; k++)
    C[i] += __shfl_down_sync(~0u, A[k], 1);
}

__global__ void isVolatile(const float *__restrict__ A,
                           volatile float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++)
    C[i] += A[k];
}

// An atomic update is not the thread's own.
__global__ void isAtomic(const int *__restrict__ A, int *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++) {
    atomicAdd(&C[0], A[k]);
    C[i] += A[k];
  }
}

// The address changes: by the loop, by a variable, by an index in memory that
// is written.
__global__ void moving(int *__restrict__ C, int *__restrict__ at, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < n; k++)
    C[i + k] += k;
  for (int k = 0; k < n; k++) {
    C[i] += k;
    i++;
  }
  for (int k = 0; k < n; k++)
    at[at[0]] += k;
}

// Another index of the same array may be the same element, or a neighbour's.
__global__ void sameArray(float *__restrict__ C, int n, int d) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++)
    C[i] += C[k];
  for (int k = 0; k < 8; k++)
    C[i] += C[i + d];
  for (int k = 0; k < 8; k++)
    C[i] += C[i + 1];
}

// A store where no iteration may store: another thread may own the element.
__global__ void conditional(const float *__restrict__ A,
                            float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++)
    if (A[k] > i)
      C[0] += A[k];
  for (int k = 0; k < 8; k++) {
    if (A[k] < i)
      continue;
    C[1] += A[k];
  }
  for (int k = 0; k < 8; k++)
    for (int j = 0; j < k; j++)
      if (A[j] > 0)
        C[2] += A[j];
}

// A load that the original makes only under a condition may be out of bounds.
__global__ void conditionalLoad(const float *__restrict__ A,
                                float *__restrict__ C, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++)
    C[k * 32 + i] = i > 0 ? A[i - 1] : 0.0f;
  for (int k = 0; k < 8; k++)
    C[k * 32 + i] = i < n && A[i + 1] > 0;
}

// The store would be missed.
__global__ void leaves(const float *__restrict__ A, float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++) {
    C[i] += A[k];
    if (A[k] > 100)
      return;
  }
}

// A loop that waits for what another thread writes.
__global__ void waits(int *flag, float *__restrict__ C) {
  int i = threadIdx.x;
  C[i] = 0;
  while (flag[0] == 0)
    C[i] += 1;
  for (;;) {
    C[i] += 1;
    if (flag[1])
      break;
  }
}

// The element's address goes elsewhere, or the element has another name.
__device__ void update(float *p, float v);
__device__ void bump(float &p) { p += 1; }
__global__ void named(const float *__restrict__ A, float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++) {
    C[i] += A[k];
    update(&C[i], A[k]);
  }
  for (int k = 0; k < 8; k++) {
    C[i] += A[k];
    bump(C[i]);
  }
  for (int k = 0; k < 8; k++) {
    float &c = C[i];
    c += A[k];
    C[i] *= 2;
  }
}

// Another configuration of the program has another loop body.
__global__ void configured(const float *__restrict__ A,
                           float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++) {
#ifdef SCALE
    C[i] += A[k] * SCALE;
#else
    C[i] += A[k];
#endif
  }
}

// The element is named in a macro's body only.
#define ADD(v) C[i] += (v)
__global__ void inMacro(const float *__restrict__ A, float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++)
    ADD(A[k]);
}

// The compiler does this itself: the loop writes no memory.
__global__ void needless(const float *__restrict__ A, float *__restrict__ C,
                         int n) {
  float s = 0;
  for (int k = 0; k < n; k++)
    s += A[0];
  C[threadIdx.x] = s;
}

// The type behind the pointer differs from the element's.
__global__ void punned(float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++) {
    C[i] += 1;
    reinterpret_cast<int *>(C)[i] ^= k;
  }
}

// The init writes whether the loop runs or not.
__global__ void init(const float *__restrict__ A, float *__restrict__ C,
                     int n) {
  int i = threadIdx.x, k;
  for (C[i] = 0, k = 0; k < n; k++)
    C[i] += A[k];
}

// A declaration would be jumped over; an earlier case is not executed before.
__global__ void cases(const float *__restrict__ A, float *__restrict__ C,
                      int which) {
  int i = threadIdx.x;
  switch (which) {
  case 0:
    C[i + 64] = 1;
    C[i] = 0;
    for (int k = 0; k < 8; k++)
      C[i] += A[k];
    break;
  case 1:
    for (int k = 0; k < which; k++)
      if (A[k] > 0)
        C[i] += A[k];
    break;
  }
}

// A bit-field narrows what is stored; an array in a record; a flag.
struct Record {
  int small : 3;
  float part[2];
};
__global__ void records(const int *__restrict__ A, Record *__restrict__ r,
                        volatile int *__restrict__ flag,
                        int *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 0; k < 8; k++)
    r[i].small += A[k];
  for (int k = 0; k < 8; k++) {
    r[i].part[1] += A[k];
    r[i + 1].part[0] += A[k];
  }
  for (int k = 0; k < 8; k++) {
    C[i] += A[k];
    flag[i] = k;
  }
}

// A comparison of unsigned values: from -1 on the loop does not run.
__global__ void wraps(const float *__restrict__ A, float *__restrict__ C) {
  int i = threadIdx.x, from = i - 1;
  for (int k = from; k < from + 4u; k++)
    C[i] += A[k];
}

// In one instantiation the loop may not run.
template <int N>
__global__ void counted(const float *__restrict__ A, float *__restrict__ C) {
  int i = threadIdx.x;
  for (int k = 1; k < N; k++)
    C[i] += A[k];
}
template __global__ void counted<8>(const float *, float *);
template __global__ void counted<0>(const float *, float *);

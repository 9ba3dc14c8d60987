// Quotients and remainders that a loop can count.
// RUN: cuda-l1-opt %s --rules='-*,strength-reduction' --apply-all --needs-check -o %t.cu -- %fake_cuda
// RUN: grep -v CHECK %t.cu | FileCheck %s --match-full-lines --strict-whitespace
// RUN: cuda-l1-opt %t.cu --rules='-*,strength-reduction' --apply-all --needs-check -o %t.again.cu -- %fake_cuda
// RUN: diff %t.cu %t.again.cu
// RUN: cuda-l1-opt %s --rules='-*,strength-reduction' --list-sites --needs-check -- %fake_cuda | FileCheck %s --check-prefix=SITES

// By one, from zero, without signs: nothing to confirm.
// SITES: count `i / n` and `i % n` along with the loop over i
// SITES-NOT: is positive
//      CHECK:__global__ void counted(float *out, unsigned n, unsigned m) {
// CHECK-NEXT:  unsigned int iQuotient = 0, iRemainder = 0;
// CHECK-NEXT:  for (unsigned i = 0; i < m; i++) {
// CHECK-NEXT:    out[iQuotient * 7 + iRemainder] += 1.0f;
// CHECK-NEXT:    if (++iRemainder == n) {
// CHECK-NEXT:      iRemainder = 0;
// CHECK-NEXT:      ++iQuotient;
// CHECK-NEXT:    }
// CHECK-NEXT:  }
__global__ void counted(float *out, unsigned n, unsigned m) {
  for (unsigned i = 0; i < m; i++) {
    out[i / n * 7 + i % n] += 1.0f;
  }
}

// SITES: count `i % n` along with the loop over i
// SITES: `n` is positive
//      CHECK:__global__ void remainderOnly(float *out, int n, int m, int from) {
// CHECK-NEXT:  int iRemainder = 0;
// CHECK-NEXT:  for (int i = 0; i < m; ++i) {
// CHECK-NEXT:    out[iRemainder] += 1.0f;
// CHECK-NEXT:    if (++iRemainder == n) {
// CHECK-NEXT:      iRemainder = 0;
// CHECK-NEXT:    }
// CHECK-NEXT:  }
//      CHECK:  for (int j = from; j < m; ++j)
// CHECK-NEXT:    out[j % n] += 1.0f;
__global__ void remainderOnly(float *out, int n, int m, int from) {
  for (int i = 0; i < m; ++i)
    out[i % n] += 1.0f;
  // The start may be negative.
  for (int j = from; j < m; ++j)
    out[j % n] += 1.0f;
}

// Threads that stride over a tile; every launch passes 48 columns.
// SITES: count `i / cols` and `i % cols` along with the loop over i
// SITES: `cols` is positive: at least 48
//      CHECK:__global__ void strided(float *out, const float *in, int cols, int pitch) {
// CHECK-NEXT:  if (pitch > cols) {
// CHECK-NEXT:    int iQuotient = (int)threadIdx.x / cols, iRemainder = (int)threadIdx.x % cols;
// CHECK-NEXT:    const int iStepQuotient = (int)blockDim.x / cols, iStepRemainder = (int)blockDim.x % cols;
// CHECK-NEXT:    for (int i = threadIdx.x; i < 32 * 48; i += blockDim.x) {
// CHECK-NEXT:      out[i] = in[iQuotient * pitch + iRemainder];
// CHECK-NEXT:      iQuotient += iStepQuotient;
// CHECK-NEXT:      if (iRemainder >= cols - iStepRemainder) {
// CHECK-NEXT:        iRemainder -= cols - iStepRemainder;
// CHECK-NEXT:        ++iQuotient;
// CHECK-NEXT:      } else {
// CHECK-NEXT:        iRemainder += iStepRemainder;
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
__global__ void strided(float *out, const float *in, int cols, int pitch) {
  if (pitch > cols)
    for (int i = threadIdx.x; i < 32 * 48; i += blockDim.x)
      out[i] = in[i / cols * pitch + i % cols];
}

#define ROW(I) ((I) / n)
// What is left alone.
//      CHECK:__global__ void refused(int *out, int n, int m, unsigned u, short s) {
// CHECK-NEXT:  for (int i = 0; i < m; ++i) {
// CHECK-NEXT:    if (out[i] == 0)
// CHECK-NEXT:      continue;
// CHECK-NEXT:    out[i] = i / n;
// CHECK-NEXT:  }
// CHECK-NEXT:  for (int i = 0; i < m; ++i)
// CHECK-NEXT:    out[i] = i / 3 + i / u + i / s + ROW(i);
// CHECK-NEXT:  for (int i = 0; i < m; ++i) {
// CHECK-NEXT:    out[i] = i / n;
// CHECK-NEXT:    n += 1;
// CHECK-NEXT:  }
// CHECK-NEXT:  for (int i = m; i > 0; --i)
// CHECK-NEXT:    out[i] = i / m;
// CHECK-NEXT:  for (int i = 0; i < m; ++i) {
// CHECK-NEXT:    int w = out[i];
// CHECK-NEXT:    out[i] = i / w;
// CHECK-NEXT:  }
// CHECK-NEXT:  for (unsigned i = 0; i != m; ++i)
// CHECK-NEXT:    out[i] = i / u;
// CHECK-NEXT:  int side = 2 * 3 + 1;
// CHECK-NEXT:  for (int i = 0; i < m; ++i)
// CHECK-NEXT:    out[i] = i / side;
// CHECK-NEXT:  switch (n) {
// CHECK-NEXT:  case 0:
// CHECK-NEXT:    out[0] = 1;
// CHECK-NEXT:    for (unsigned i = 0; i < m; ++i)
// CHECK-NEXT:      out[i] = i / u;
// CHECK-NEXT:  default:
// CHECK-NEXT:    out[0] = 2;
// CHECK-NEXT:  }
// CHECK-NEXT:}
__global__ void refused(int *out, int n, int m, unsigned u, short s) {
  for (int i = 0; i < m; ++i) {
    if (out[i] == 0)
      continue;
    out[i] = i / n;
  }
  for (int i = 0; i < m; ++i)
    out[i] = i / 3 + i / u + i / s + ROW(i);
  for (int i = 0; i < m; ++i) {
    out[i] = i / n;
    n += 1;
  }
  for (int i = m; i > 0; --i)
    out[i] = i / m;
  for (int i = 0; i < m; ++i) {
    int w = out[i];
    out[i] = i / w;
  }
  for (unsigned i = 0; i != m; ++i)
    out[i] = i / u;
  int side = 2 * 3 + 1;
  for (int i = 0; i < m; ++i)
    out[i] = i / side;
  switch (n) {
  case 0:
    out[0] = 1;
    for (unsigned i = 0; i < m; ++i)
      out[i] = i / u;
  default:
    out[0] = 2;
  }
}

// In a unit without main another one might launch it too.
int main() {
  float *f;
  cudaMalloc(&f, 4096);
  const int columns = 48;
  strided<<<1, 64>>>(f, f, columns, 64);
}

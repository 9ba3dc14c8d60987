// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,keep-in-registers' --apply-all --needs-check -- %fake_cuda | diff %s -

// What is read may be what is written.
__global__ void mayOverlap(const float *in, float *out, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256)
    sum += in[i];
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[i] - sum;
}

// The second loop changes what it reads.
__global__ void inPlace(float *__restrict__ x, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256)
    sum += x[i];
  for (int i = threadIdx.x; i < n; i += 256)
    x[i] = x[i] - sum;
}

// Elements of the one loop are not those of the other.
__global__ void shifted(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256)
    sum += in[i + 1];
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[i] - sum;
}

// Other iterations: another start, another step, another end.
__global__ void otherStart(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x + 1; i < n; i += 256)
    sum += in[i];
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[i] - sum;
}
__global__ void otherStep(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 128)
    sum += in[i];
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[i] - sum;
}
__global__ void otherEnd(const float *__restrict__ in, float *__restrict__ out, int n, int m) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < m; i += 256)
    sum += in[i];
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[i] - sum;
}

// The end moves between the loops.
__global__ void endMoves(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0.0f;
  int end = n;
  for (int i = threadIdx.x; i < end; i += 256)
    sum += in[i];
  end = n / 2;
  for (int i = threadIdx.x; i < end; i += 256)
    out[i] = in[i] - sum;
}

// So does the start of the row.
__global__ void rowMoves(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0.0f;
  int row = blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += 256)
    sum += in[row + i];
  row += n;
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[row + i] - sum;
}

// The first loop does not always read the element, and may not: there may be
// no such element.
__global__ void onlySometimes(const float *__restrict__ in, float *__restrict__ out, int n, int m) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256)
    if (i < m)
      sum += in[i];
  for (int i = threadIdx.x; i < n; i += 256)
    if (i < m)
      out[i] = in[i] - sum;
}

// The first loop may end before the second does.
__global__ void endsEarly(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) {
    if (sum > 100.0f)
      break;
    sum += in[i];
  }
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[i] - sum;
}

// The first loop is not bound to run.
__global__ void underIf(const float *__restrict__ in, float *__restrict__ out, int n, bool centre) {
  float sum = 0.0f;
  if (centre) {
    for (int i = threadIdx.x; i < n; i += 256)
      sum += in[i];
  }
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[i] - sum;
}

// All threads of the block meet in each iteration.
__global__ void meets(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float all[256];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) {
    all[threadIdx.x] = in[i];
    __syncthreads();
    sum += all[(threadIdx.x + 1) % 256];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[i] - sum;
}

// One thread walks the whole row: it cannot hold it.
__global__ void alone(const float *__restrict__ in, float *__restrict__ out, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i)
    sum += in[blockIdx.x * n + i];
  for (int i = 0; i < n; ++i)
    out[blockIdx.x * n + i] = in[blockIdx.x * n + i] - sum;
}

// Others may change it meanwhile.
__global__ void mayChange(const volatile float *in, float *__restrict__ out, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256)
    sum += in[i];
  for (int i = threadIdx.x; i < n; i += 256)
    out[i] = in[i] - sum;
}

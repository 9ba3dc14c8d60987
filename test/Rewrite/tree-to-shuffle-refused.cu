// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --apply-all --fp-class=reassociate --needs-check -- %fake_cuda | diff %s -

#define SYNC __syncthreads()

// 192 threads: the last level would miss some.
__global__ void noPower(const float *in, float *out) {
  __shared__ float s[192];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// The launches disagree about the block, and the loop is right for one alone.
__global__ void twoBlocks(const float *in, float *out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// Rows of threads.
__global__ void twoDimensions(const float *in, float *out) {
  __shared__ float s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// Threads that have left take no part in a shuffle.
__global__ void leaves(const float *in, float *out, int n) {
  __shared__ float s[128];
  if (threadIdx.x >= n)
    return;
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// A tree stops at the second level.
__global__ void stopsEarly(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 1; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0] + s[1];
}

// It begins at a quarter.
__global__ void quarter(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 4; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// A difference is no sum.
__global__ void difference(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] -= s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// Nor is a weighted one.
__global__ void weighted(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += 0.5f * s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// A scan: everybody's sum is used.
__global__ void scan(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    if (threadIdx.x >= d)
      s[threadIdx.x] += s[threadIdx.x - d];
    __syncthreads();
  }
  out[threadIdx.x] = s[threadIdx.x];
}

// The partial sums are used too.
__global__ void partialSums(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  out[threadIdx.x] = s[threadIdx.x];
}

// Threads read what their neighbours have put down.
__global__ void neighbour(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x > 0)
    out[threadIdx.x] = s[threadIdx.x - 1];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// The first thread changes the result for all others.
__global__ void finished(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    s[0] = 1.0f / s[0];
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] * s[0];
}

// Half of the threads put down a value for two.
__global__ void firstLevel(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  s[threadIdx.x + 64] = 0.0f;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// Two sums in turn: the second begins with what the first has left.
__global__ void leftOver(const float *in, float *out, int n) {
  __shared__ float s[128];
  for (int k = 0; k < n; ++k) {
    if (in[k] > 0.0f)
      s[threadIdx.x] = in[threadIdx.x + k];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
      if (threadIdx.x < d)
        s[threadIdx.x] += s[threadIdx.x + d];
      __syncthreads();
    }
    if (threadIdx.x == 0)
      out[k] = s[0];
    __syncthreads();
  }
}

// By comparison: one that is no number stays, or not, as its place will have it.
__global__ void noNumber(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      if (s[threadIdx.x + d] > s[threadIdx.x])
        s[threadIdx.x] = s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// Another name, and another type, for the elements.
__global__ void otherName(const float *in, float *out) {
  __shared__ float s[128];
  int *bits = (int *)s;
  bits[threadIdx.x] = 0x3f800000;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// Nobody says who starts it.
__global__ void unlaunched(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// One of two arrays serves more, so the loop stays for both.
__global__ void oneOfTwo(const float *in, float *out) {
  __shared__ float s[128], t[128];
  s[threadIdx.x] = in[threadIdx.x];
  t[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) {
      s[threadIdx.x] += s[threadIdx.x + d];
      t[threadIdx.x] += t[threadIdx.x + d];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0] + t[0] + t[1];
}

// A level that depends on a value.
__global__ void masks(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d && s[threadIdx.x + d] > 0.0f)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

// A macro writes the barrier.
__global__ void macro(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  SYNC;
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
#ifdef WAIT
    SYNC;
#endif
    SYNC;
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = s[0];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 4000);
  cudaMalloc(&out, 4000);
  noPower<<<4, 192>>>(in, out);
  twoBlocks<<<4, 256>>>(in, out);
  twoBlocks<<<4, 128>>>(in, out);
  twoDimensions<<<4, dim3(64, 2)>>>(in, out);
  leaves<<<4, 128>>>(in, out, 100);
  stopsEarly<<<4, 128>>>(in, out);
  quarter<<<4, 128>>>(in, out);
  difference<<<4, 128>>>(in, out);
  weighted<<<4, 128>>>(in, out);
  scan<<<1, 128>>>(in, out);
  partialSums<<<1, 128>>>(in, out);
  neighbour<<<1, 128>>>(in, out);
  finished<<<1, 128>>>(in, out);
  firstLevel<<<1, 64>>>(in, out);
  leftOver<<<1, 128>>>(in, out, 9);
  oneOfTwo<<<4, 128>>>(in, out);
  noNumber<<<4, 128>>>(in, out);
  otherName<<<4, 128>>>(in, out);
  masks<<<4, 128>>>(in, out);
  macro<<<4, 128>>>(in, out);
  return 0;
}

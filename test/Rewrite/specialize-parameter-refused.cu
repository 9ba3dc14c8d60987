// What might have another value somewhere, or could not be a constant, stays.
// RUN: cuda-l1-opt %s --rules='-*,specialize-parameter' --apply-all -- %fake_cuda | diff %s -

// Known at run time only; one launch of two has another value.
__global__ void unknown(float *a, int n) { a[threadIdx.x / n] = 1.0f; }
__global__ void different(float *a, int n) { a[threadIdx.x / n] = 1.0f; }
// Variables that change after their initialiser, by name, reference or address.
__global__ void moved(float *a, int n) { a[threadIdx.x / n] = 1.0f; }
__global__ void handedOut(float *a, int n) { a[threadIdx.x / n] = 1.0f; }
__global__ void referred(float *a, int n) { a[threadIdx.x / n] = 1.0f; }
// The conversion changes the value from launch to launch.
__global__ void narrowed(float *a, unsigned char n, int m) { a[threadIdx.x / n] = m; }
// A pointer to the kernel may be launched with anything.
__global__ void pointed(float *a, int n) { a[threadIdx.x / n] = 1.0f; }
// Never launched.
__global__ void unused(float *a, int n) { a[threadIdx.x / n] = 1.0f; }
// The kernel changes it, or hands out its address.
__global__ void counted(float *a, int n) {
  while (n-- > 0)
    a[n] = 0.0f;
}
__device__ void half(int *n) { *n /= 2; }
__global__ void halved(float *a, int n) {
  half(&n);
  a[threadIdx.x / n] = 1.0f;
}
// A constant has another type.
__global__ void typed(float *a, int n) {
  decltype(n) m = 0;
  for (; m < n; ++m)
    a[m] = 0.0f;
}
// Nothing to gain: it only bounds the threads.
__global__ void guarded(float *a, int n) {
  int i = threadIdx.x;
  if (i < n)
    a[i] = 0.0f;
}
// Instantiations with different values share their text.
template <typename T> __global__ void generic(T *a, int n) { a[threadIdx.x / n] = T(1); }
// A template that an instantiation that is not seen to be launched shares.
template <typename T> __global__ void half(T *a, int n) { a[threadIdx.x / n] = T(1); }
template __global__ void half<int>(int *, int);
// The name stands in a macro.
#define COUNT int n
__global__ void hidden(float *a, COUNT) { a[threadIdx.x / n] = 1.0f; }
// A volatile parameter is read each time.
__global__ void uncertain(float *a, volatile int n) { a[threadIdx.x / n] = 1.0f; }

void parse(int *n);
void (*table[])(float *, int) = {pointed};
int global = 3;
__global__ void byGlobal(float *a, int n) { a[threadIdx.x / n] = 1.0f; }

int main(int argc, char **) {
  float *a = nullptr;
  int changed = 3, parsed = 3, bound = 3, wide = 259;
  changed = argc;
  parse(&parsed);
  int &reference = bound;
  reference = argc;
  unknown<<<1, 32>>>(a, argc);
  different<<<1, 32>>>(a, 3);
  different<<<1, 32>>>(a, 4);
  moved<<<1, 32>>>(a, changed);
  handedOut<<<1, 32>>>(a, parsed);
  referred<<<1, 32>>>(a, bound);
  narrowed<<<1, 32>>>(a, wide, 3);
  pointed<<<1, 32>>>(a, 3);
  counted<<<1, 32>>>(a, 3);
  halved<<<1, 32>>>(a, 3);
  typed<<<1, 32>>>(a, 3);
  guarded<<<1, 32>>>(a, 3);
  generic<<<1, 32>>>(a, 3);
  generic<<<1, 32>>>((int *)a, 4);
  half<<<1, 32>>>(a, 3);
  hidden<<<1, 32>>>(a, 3);
  uncertain<<<1, 32>>>(a, 3);
  byGlobal<<<1, 32>>>(a, global);
  return 0;
}

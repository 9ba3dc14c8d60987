// Buffers that must be made anew, or whose making shows.
// RUN: cuda-l1-opt %s --rules='-*,hoist-allocation' --list-sites -- %fake_cuda > %t.sites
// RUN: FileCheck %s --input-file=%t.sites --implicit-check-not='hoist-allocation:'
// Only the buffer of none() may be made once.
// CHECK: hoist-allocation-refused.cu:[[#]]: hoist-allocation:once [exact]

__global__ void work(float *a) { a[threadIdx.x] = threadIdx.x; }
int next();
int next() { return 64; }

void none(int n) {
  for (int i = 0; i < n; i++) {
    float *once;
    cudaMalloc((void **)&once, 64);
    work<<<1, 16>>>(once);
    cudaFree(once);
  }
}
// The size changes, or asking for it does something.
void sizes(int n) {
  for (int i = 0; i < n; i++) {
    float *grows, *asks, *divides;
    cudaMalloc((void **)&grows, 64 * i);
    cudaMalloc((void **)&asks, next());
    cudaMalloc((void **)&divides, 640 / n);
    work<<<1, 16>>>(grows);
    work<<<1, 16>>>(asks);
    work<<<1, 16>>>(divides);
    cudaFree(grows);
    cudaFree(asks);
    cudaFree(divides);
  }
}
// Two buffers that are never there at once.
void turns(int n) {
  for (int i = 0; i < n; i++) {
    float *first, *second;
    cudaMalloc((void **)&first, 64);
    work<<<1, 16>>>(first);
    cudaFree(first);
    cudaMalloc((void **)&second, 64);
    work<<<1, 16>>>(second);
    cudaFree(second);
  }
}
// The pointer is kept, shown or used behind the loop.
void kept(float **all, int n) {
  for (int i = 0; i < n; i++) {
    float *stored;
    cudaMalloc((void **)&stored, 64);
    all[i] = stored;
    work<<<1, 16>>>(stored);
    cudaFree(stored);
  }
}
void shown(int n) {
  for (int i = 0; i < n; i++) {
    float *printed;
    cudaMalloc((void **)&printed, 64);
    work<<<1, 16>>>(printed);
    printf("%p\n", (void *)printed);
    cudaFree(printed);
  }
}
void last(int n) {
  float *used;
  for (int i = 0; i < n; i++) {
    cudaMalloc((void **)&used, 64);
    work<<<1, 16>>>(used);
    cudaFree(used);
  }
  used = nullptr;
}
// Not always, or not in each iteration.
void leaks(int n) {
  for (int i = 0; i < n; i++) {
    float *lost;
    cudaMalloc((void **)&lost, 64);
    work<<<1, 16>>>(lost);
    if (i == 3)
      continue;
    cudaFree(lost);
  }
}
void sometimes(int n) {
  for (int i = 0; i < n; i++) {
    float *some = nullptr;
    if (i == 3)
      cudaMalloc((void **)&some, 64);
    work<<<1, 16>>>(some);
    cudaFree(some);
  }
}
void never(int n) {
  for (int i = 0; i < n; i++) {
    float *unfreed;
    cudaMalloc((void **)&unfreed, 64);
    work<<<1, 16>>>(unfreed);
  }
}
// A name that means something else outside.
void names(int n) {
  int same = n;
  for (int i = 0; i < same; i++) {
    float *same;
    cudaMalloc((void **)&same, 64);
    work<<<1, 16>>>(same);
    cudaFree(same);
  }
}
int main() {
  float *all[8];
  none(3);
  sizes(3);
  turns(3);
  kept(all, 3);
  shown(3);
  last(3);
  leaks(3);
  sometimes(3);
  never(3);
  names(3);
}

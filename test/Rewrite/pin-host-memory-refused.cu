// Memory that something else may release, keep or copy from while the host goes
// on; copies that are too few to pay.
// RUN: cuda-l1-opt %s --rules='-*,pin-host-memory' --list-sites -- %fake_cuda > %t.sites
// RUN: FileCheck %s --input-file=%t.sites --implicit-check-not='pin-host-memory:'
// CHECK: pin-host-memory-refused.cu:[[#]]: pin-host-memory:fine [exact]

__global__ void step(float *a) { a[threadIdx.x] += 1; }
float *Kept;
void keep(float *p) { Kept = p; }
void drop(float *p) { free(p); }
extern "C" void *realloc(void *, size_t) noexcept;
extern "C" void *calloc(size_t, size_t) noexcept;

void all(int n) {
  float *d;
  cudaMalloc((void **)&d, 256);
  float *fine = (float *)malloc(256);
  float *once = (float *)malloc(256), *two = (float *)malloc(256);
  float *single = (float *)malloc(256);
  float *kept = (float *)malloc(256);
  float *dropped = (float *)malloc(256);
  float *grows = (float *)malloc(256);
  float *zero = (float *)calloc(64, 4);
  float *value = new float[64]();
  float *async = (float *)malloc(256);
  float *wrong = new float[64];
  float local[64];
  keep(kept);
  cudaMemcpy(d, single, 256, cudaMemcpyHostToDevice);
  grows = (float *)realloc(grows, 512);
  for (int i = 0; i < n; i++) {
    fine[0] = once[0] = i;
    float *inner = (float *)malloc(256);
    inner[0] = kept[0] = i;
    cudaMemcpy(d, fine, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, once, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, two, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, kept, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, dropped, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, grows, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, zero, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, value, 256, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(d, async, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, inner, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, wrong, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(d, local, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    free(inner);
  }
  free(fine);
  free(once);
  free(two);
  free(single);
  drop(dropped);
  free(grows);
  free(zero);
  delete[] value;
  free(async);
  delete wrong;
  cudaFree(d);
}
// There to time the kernel, copies included.
void timed() {
  float *d, *e;
  float *again = (float *)malloc(256);
  cudaMalloc((void **)&d, 256);
  for (int run = 0; run < 5; run++)
    cudaMemcpy(d, again, 256, cudaMemcpyHostToDevice);
  free(again);
}
int main() {
  all(3);
  timed();
}

// Copies that bring something new, or that something looks at.
// RUN: cuda-l1-opt %s --rules='-*,keep-on-device' --list-sites -- %fake_cuda > %t.sites
// RUN: FileCheck %s --input-file=%t.sites --implicit-check-not='keep-on-device:'
// Only the array of kept() may stay.
// CHECK: keep-on-device-refused.cu:[[#]]: keep-on-device:fine [exact]

__global__ void step(float *a) { a[threadIdx.x] += 1; }
__global__ void blend(const float *in, float *out) {
  out[threadIdx.x] = in[threadIdx.x] * 2;
}
float *made(size_t n) {
  float *d;
  cudaMalloc((void **)&d, n);
  return d;
}
void look(const float *h) { printf("%f\n", h[0]); }
float *Stored;
void store(float *h) { Stored = h; }
void bump() { Stored[0] += 1; }

void kept(int n) {
  float *d = made(256), fine[64];
  fine[0] = 1;
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, fine, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(fine, d, 256, cudaMemcpyDeviceToHost);
  }
}
// The host reads or changes it in the loop, itself or in a function.
void looks(int n) {
  float *d = made(256), reads[64], writes[64], shows[64];
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, reads, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(reads, d, 256, cudaMemcpyDeviceToHost);
    if (reads[0] > 3)
      printf("far\n");
  }
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, writes, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(writes, d, 256, cudaMemcpyDeviceToHost);
    writes[0] = i;
  }
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, shows, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(shows, d, 256, cudaMemcpyDeviceToHost);
    look(shows);
  }
}
// Another name leads to it.
void aliased(int n) {
  float *d = made(256), *other = made(256), alias[64], global[64];
  float *p = alias;
  store(global);
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, alias, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(alias, d, 256, cudaMemcpyDeviceToHost);
    p[1] = 2;
  }
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, global, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(global, d, 256, cudaMemcpyDeviceToHost);
    bump();
  }
}
// Two arrays of the caller may be one; the loop writes memory.
void callers(float *a, float *b, int n) {
  float *d = made(256), *e = made(256);
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, a, 256, cudaMemcpyHostToDevice);
    blend<<<1, 64>>>(d, e);
    cudaMemcpy(b, e, 256, cudaMemcpyDeviceToHost);
  }
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, a, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(a, d, 256, cudaMemcpyDeviceToHost);
    b[i] = i;
  }
}
// Not the same bytes, not the same place, not every time.
void parts(int n) {
  float *d = made(256), less[64], moves[64], some[64], late[64];
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, less, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(less, d, 128, cudaMemcpyDeviceToHost);
  }
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, moves + i, 4, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(moves + i, d, 4, cudaMemcpyDeviceToHost);
  }
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, some, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    if (i % 2)
      cudaMemcpy(some, d, 256, cudaMemcpyDeviceToHost);
  }
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, late, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    if (i == 5)
      break;
    cudaMemcpy(late, d, 256, cudaMemcpyDeviceToHost);
  }
}
// The buffer is written between the copies, behind or before them.
void written(int n) {
  float *d = made(256), behind[64], before[64], shared[64];
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, behind, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(behind, d, 256, cudaMemcpyDeviceToHost);
    step<<<1, 64>>>(d);
  }
  for (int i = 0; i < n; i++) {
    cudaMemset(d, 0, 4);
    cudaMemcpy(d, before, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(before, d, 256, cudaMemcpyDeviceToHost);
  }
  float *e = d;
  float *out = made(256);
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, shared, 256, cudaMemcpyHostToDevice);
    blend<<<1, 64>>>(d, out);
    step<<<1, 64>>>(e);
    cudaMemcpy(shared + 32, out, 4, cudaMemcpyDeviceToHost);
  }
}
// What is used first in an iteration was copied in the one before.
void earlier(int n) {
  float *d = made(256), *out = made(256), first[64];
  for (int i = 0; i < n; i++) {
    blend<<<1, 64>>>(d, out);
    cudaMemcpy(d, first, 256, cudaMemcpyHostToDevice);
  }
}
// There to time the kernel, copies included.
void timed() {
  float *d = made(256), *out = made(256), again[64], back[64];
  for (int run = 0; run < 5; run++) {
    cudaMemcpy(d, again, 256, cudaMemcpyHostToDevice);
    blend<<<1, 64>>>(d, out);
    cudaMemcpy(back, out, 256, cudaMemcpyDeviceToHost);
  }
}
// Pointers change places.
void swaps(int n) {
  float *d = made(256), *e = made(256), turn[64];
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, turn, 256, cudaMemcpyHostToDevice);
    blend<<<1, 64>>>(d, e);
    cudaMemcpy(turn, d, 256, cudaMemcpyDeviceToHost);
    float *t = d;
    d = e;
    e = t;
  }
}
// Objects and functions that have dealings with the device.
struct Touch {
  float *p;
  Touch(float *p) : p(p) { cudaMemset(p, 0, 4); }
  ~Touch() { cudaMemset(p, 0, 4); }
};
void clear(float *p) { cudaMemset(p, 0, 4); }
void objects(int n, unsigned many) {
  float *d = made(256), object[64], function[64], mixed[64];
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, object, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(object, d, 256, cudaMemcpyDeviceToHost);
    Touch touch(d);
  }
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, function, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(function, d, 256, cudaMemcpyDeviceToHost);
    clear(d);
  }
  // Runs for n = -1, too.
  for (unsigned i = 0; i < n; i++) {
    cudaMemcpy(d, mixed, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(mixed, d, 256, cudaMemcpyDeviceToHost);
  }
}
int Counter;
void counted(float *mine, int n) {
  float *d = made(256);
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, mine, 256, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(mine, d, 256, cudaMemcpyDeviceToHost);
    Counter++;
  }
}
int main() {
  objects(3, 3);
  counted((float *)&Counter, 3);
  static float a[64];
  kept(3);
  looks(3);
  aliased(3);
  callers(a, a, 3);
  parts(3);
  written(3);
  earlier(3);
  timed();
  swaps(3);
}

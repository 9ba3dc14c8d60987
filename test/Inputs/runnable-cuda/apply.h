// What the programs share that run a rule's original and result: a size from
// the command line, two buffers, and what became of the second.
#ifndef CUDAL1_TEST_APPLY_H
#define CUDAL1_TEST_APPLY_H

constexpr int BufferElements = 4096;
constexpr size_t BufferBytes = BufferElements * sizeof(float);

inline int number(const char *text) {
  int value = 0;
  while (*text)
    value = value * 10 + (*text++ - '0');
  return value;
}

inline void fill(float *device) {
  static float host[BufferElements];
  for (int i = 0; i < BufferElements; ++i)
    host[i] = ((i * 37 % 101) - 50) / 8.0f;
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
}

inline void show(const float *device, int n) {
  static float host[BufferElements];
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", (double)host[0], (double)host[n]);
}

#endif // CUDAL1_TEST_APPLY_H

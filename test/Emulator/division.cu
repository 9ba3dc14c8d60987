// A division of integers by zero ends nothing: the quotient is all ones, the
// remainder the dividend, as an H200 answers. It is told, once per kernel and
// place.
// REQUIRES: emulator
// RUN: not %emulate %s 2>%t.findings | FileCheck %s
// RUN: FileCheck --check-prefix=FINDING %s < %t.findings
// RUN: %emulate --checks=none %s 2>&1 | FileCheck %s

template <typename T> __global__ void divide(T a, T b, T *to) {
  // FINDING: division.cu:[[#@LINE+2]]:{{[0-9]+}}: division-by-zero: an integer
  // FINDING-NEXT: in kernel void divide<int>(int, int, int*)
  to[0] = a / b;
  to[1] = a % b;
}

template <typename T> void show(const char *name, T a, T b) {
  T *to, result[2];
  cudaMalloc(&to, sizeof result);
  divide<<<1, 1>>>(a, b, to);
  cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
  printf("%s: %lld %lld %d\n", name, (long long)result[0], (long long)result[1],
         (int)cudaDeviceSynchronize());
}

int main() {
  // CHECK: int: -1 7 0
  show<int>("int", 7, 0);
  // CHECK: int: -1 -7 0
  show<int>("int", -7, 0);
  // CHECK: unsigned: 4294967295 3000000000 0
  show<unsigned>("unsigned", 3000000000u, 0);
  // CHECK: short: -1 -7 0
  show<short>("short", -7, 0);
  // CHECK: char: 255 7 0
  show<unsigned char>("char", 7, 0);
  // Of 64 bits, numbers without an upper half are divided as 32 bits.
  // CHECK: long: 4294967295 7 0
  show<long long>("long", 7, 0);
  // CHECK: long: -1 -5 0
  show<long long>("long", -5, 0);
  // CHECK: unsigned long: -1 1099511627776 0
  show<unsigned long long>("unsigned long", 1ull << 40, 0);
  // The least number divided by -1 is itself; a CPU has a fault for that, too.
  // CHECK: least int: -2147483648 0 0
  show<int>("least int", -2147483647 - 1, -1);
  // CHECK: least long: -9223372036854775808 0 0
  show<long long>("least long", -9223372036854775807ll - 1, -1);
  // CHECK: plain: -3 -1 0
  show<int>("plain", -7, 2);
  // CHECK: plain: 7 0 0
  show<int>("plain", -7, -1);
}

//===- HostBufferSwapTest.cpp - Double buffering and arrays of buffers ----===//

#include "HostPointersTest.h"

using namespace cudal1;
using namespace cudal1::testing;

namespace {

TEST(HostBufferSwap, BuffersThatAreOnlySwappedStayDisjoint) {
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(x, y);
  std::swap(x, y); } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(x, y);
  float *t = x; x = y; y = t; } })");
  EXPECT_DISJOINT(R"(float *x, *y; static float *t; int main() {
  cudaMalloc(&x, 4); cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) {
  k<<<1, 1>>>(x, y); t = x; x = y; y = t; } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y, *z; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); cudaMalloc(&z, 4); for (int i = 0; i < 9; ++i) {
  k<<<1, 1>>>(x, z); float *t = x; x = y; y = z; z = t; } })");
  EXPECT_DISJOINT(R"(
void swap(float **a, float **b) { float *t = *a; *a = *b; *b = t; }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  k<<<1, 1>>>(x, y); swap(&x, &y); k<<<1, 1>>>(x, y); })");
}

TEST(HostBufferSwap, CopiesThatLookLikeSwaps) {
  // Half a swap.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *t = x; x = y; k<<<1, 1>>>(x, y); y = t; })");
  // The temporary is passed.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y, *t = 0; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); t = x; x = y; y = t; k<<<1, 1>>>(t, y); })");
  // Launched in the middle.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *t = x; x = y; k<<<1, 1>>>(x, y); y = t;
  k<<<1, 1>>>(x, y); })");
  // A copy taken before the swap.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *old = x; std::swap(x, y); k<<<1, 1>>>(old, y); })");
  // A lambda's own copy.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); auto f = [x, &y] { k<<<1, 1>>>(x, y); };
  std::swap(x, y); f(); })");
  // A function named swap that does not.
  EXPECT_NOT_DISJOINT(R"(
void swap(float **a, float **b) { float *t = *a; *a = *b; *b = *a; }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  swap(&x, &y); k<<<1, 1>>>(x, y); })");
  // By value: nothing is exchanged, but nothing is shared either.
  EXPECT_DISJOINT(R"(
void swap(float *a, float *b) { float *t = a; a = b; b = t; }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  swap(x, y); k<<<1, 1>>>(x, y); })");
}

TEST(HostBufferSwap, LocalNamesForBuffersThatAreSwapped) {
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in = x, *out = y;
  for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(in, out); std::swap(in, out); } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in, *out; in = x; out = y;
  for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(in, out); std::swap(in, out); } })");
  // The inner name starts anew while the outer one is swapped.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in = x; for (int i = 0; i < 9; ++i) {
  float *out = y; k<<<1, 1>>>(in, out); std::swap(in, out); } })");
  // Set again after a swap.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in = x, *out = y; std::swap(in, out); in = x;
  k<<<1, 1>>>(in, out); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in = x, *out = x;
  for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(in, out); std::swap(in, out); } })");
  // A loop made of jumps sets them again.
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *x, *y, *in, *out;
  cudaMalloc(&x, 4); cudaMalloc(&y, 4); out = y;
  again: in = x; k<<<1, 1>>>(in, out); std::swap(in, out);
  if (n--) goto again; })");
}

TEST(HostBufferSwap, ChosenByParity) {
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i)
  k<<<1, 1>>>(i % 2 ? x : y, i % 2 ? y : x); })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) {
  float *in = i % 2 ? x : y; float *out = i % 2 ? y : x;
  k<<<1, 1>>>(in, out); } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y, *in, *out; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) {
  if (i & 1) { in = x; out = y; } else { in = y; out = x; }
  k<<<1, 1>>>(in, out); } })");
  EXPECT_NOT_DISJOINT(
      R"(int main() { float *x, *y, *in, *out; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) {
  if (i & 1) { in = x; } else { in = y; out = x; }
  k<<<1, 1>>>(in, out); } })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); int i = 0;
  k<<<1, 1>>>(i++ % 2 ? x : y, i++ % 2 ? y : x); })");
  // The condition changes between the two.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); int i = 0; float *in = i ? x : y; i = 1;
  float *out = i ? y : x; k<<<1, 1>>>(in, out); })");
}

TEST(HostBufferSwap, ArraysOfBuffers) {
  EXPECT_DISJOINT(R"(int main() { float *d[2]; cudaMalloc(&d[0], 4);
  cudaMalloc(&d[1], 4); k<<<1, 1>>>(d[0], d[1]); })");
  EXPECT_DISJOINT(R"(int main() { float *d[2]; for (int i = 0; i < 2; ++i)
  cudaMalloc(&d[i], 4); int c = 0; for (int i = 0; i < 9; ++i) {
  k<<<1, 1>>>(d[c], d[1 - c]); c ^= 1; k<<<1, 1>>>(d[c], d[c ^ 1]);
  k<<<1, 1>>>(d[i % 2], d[(i + 1) % 2]); k<<<1, 1>>>(d[c], d[!c]); } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *d[2] = {x, y}; for (int i = 0; i < 9; ++i)
  k<<<1, 1>>>(d[i & 1], d[(i + 1) & 1]); })");
  EXPECT_DISJOINT(R"(int main(int n, char **) { float *a[4], *b[4];
  for (int i = 0; i < 4; ++i) { cudaMalloc(&a[i], 4); cudaMalloc(&b[i], 4); }
  k<<<1, 1>>>(a[n], b[n]); })");
}

TEST(HostBufferSwap, ArrayElementsThatMayBeOne) {
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4);
  k<<<1, 1>>>(d[n], d[n * 2]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4);
  k<<<1, 1>>>(d[n % 3], d[(n + 3) % 3]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { unsigned u = n; float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4);
  k<<<1, 1>>>(d[u % 3], d[(u + 1) % 3]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4); d[1] = d[0];
  k<<<1, 1>>>(d[0], d[1]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4); refill(d);
  k<<<1, 1>>>(d[0], d[1]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *x; cudaMalloc(&x, 4);
  float *d[2] = {x, x + 1}; k<<<1, 1>>>(d[0], d[1]); })");
  EXPECT_NOT_DISJOINT(
      R"(int main(int n, char **) { volatile int i = 0; float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4);
  k<<<1, 1>>>(d[i], d[1 - i]); })");
}

} // namespace

//===- HostObjectsTest.cpp - Pointers in fields and containers ------------===//

#include "HostPointersTest.h"

using namespace cudal1;
using namespace cudal1::testing;

namespace {

constexpr char Buffer[] = R"(
#include <library.h>
__global__ void k(float *a, float *b) { a[0] = b[0]; }
struct Buffer {
  float *p = nullptr;
  explicit Buffer(int n) { cudaMalloc(&p, n); }
  ~Buffer() { cudaFree(p); }
  Buffer(const Buffer &) = delete;
  float *get() const { return p; }
};
)";

TEST(HostObjects, FieldsOfOneStruct) {
  EXPECT_DISJOINT(R"(
struct State { float *a, *b; int n; };
void init(State *s) { cudaMalloc(&s->a, 4); cudaMalloc((void **)&s->b, 4); }
void step(State &s) { k<<<1, 1>>>(s.a, s.b); std::swap(s.a, s.b); }
int main() { State s; init(&s); for (int i = 0; i < 9; ++i) step(s); })");
  EXPECT_DISJOINT(R"(
class Solver { float *a, *b; public:
  Solver() { cudaMalloc(&a, 4); cudaMalloc(&b, 4); }
  void step() { k<<<1, 1>>>(a, b); float *t = a; a = b; b = t; } };
int main() { Solver s; s.step(); })");
  // Copied before the buffers are swapped in one of the copies.
  EXPECT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); State t = s;
  std::swap(t.a, t.b); k<<<1, 1>>>(t.a, t.b); })");
}

TEST(HostObjects, FieldsThatMayShare) {
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); State t = s;
  std::swap(t.a, t.b); k<<<1, 1>>>(s.a, t.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); State t = s;
  std::swap(t.a, s.b); k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
void other(State *);
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); other(&s);
  k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
void other(State &);
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); other(s);
  k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4);
  float **p = (float **)&s; p[1] = p[0]; k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4);
  float *State::*m = &State::b; s.*m = s.a; k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { float *x; cudaMalloc(&x, 4); State s{x, x + 1};
  k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { union { float *a; float *c; }; float *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); s.c = s.b;
  k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
void fill(State *s);
State *make();
int main() { State *s = make(); cudaMalloc(&s->a, 4); k<<<1, 1>>>(s->a, s->b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4);
  auto &[u, v] = s; v = u; k<<<1, 1>>>(s.a, s.b); })");
}

TEST(HostObjects, ObjectsThatOwnTheirBuffer) {
  EXPECT_DISJOINT("int main() { Buffer x(1), y(1); k<<<1, 1>>>(x.p, y.p); }",
                  Buffer);
  EXPECT_NOT_DISJOINT(
      "int main() { Buffer x(1); Buffer &y = x; k<<<1, 1>>>(x.p, y.p); }",
      Buffer);
  EXPECT_NOT_DISJOINT(R"(
void run(Buffer &x, Buffer &y) { k<<<1, 1>>>(x.p, y.p); }
int main() { Buffer x(1); run(x, x); })",
                      Buffer);
  EXPECT_DISJOINT(R"(
void run(Buffer &x, Buffer &y) { k<<<1, 1>>>(x.p, y.p); }
int main() { Buffer x(1), y(1); run(x, y); run(y, x); })",
                  Buffer);
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); } };
int main() { Shallow x; Shallow y = x; k<<<1, 1>>>(x.p, y.p); })");
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); } };
int main() { Shallow x, y; y = x; k<<<1, 1>>>(x.p, y.p); })");
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); }
  Shallow(const Shallow &o) : p(o.p) {} };
int main() { Shallow x; Shallow y(x); k<<<1, 1>>>(x.p, y.p); })");
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); } };
int main() { Shallow x, y; memcpy(&y, &x, sizeof x); k<<<1, 1>>>(x.p, y.p); })");
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); } };
int main() { std::vector<Shallow> v(1); v.push_back(v[0]); Shallow x;
  k<<<1, 1>>>(v[0].p, v[1].p); })");
}

TEST(HostObjects, Containers) {
  EXPECT_DISJOINT(R"(int main() { thrust::device_vector<float> x(4), y(4);
  k<<<1, 1>>>(thrust::raw_pointer_cast(x.data()), y.data().get()); })");
  EXPECT_DISJOINT(R"(int main() { thrust::device_vector<float> x(4), y(4);
  for (int i = 0; i < 9; ++i) { x.swap(y);
  k<<<1, 1>>>(thrust::raw_pointer_cast(x.data() + 1), y.data().get()); } })");
  EXPECT_DISJOINT(R"(int main() { std::vector<float> x(4), y(4);
  float *p = x.data(), *q = &y[0]; k<<<1, 1>>>(p, q); })");
  EXPECT_NOT_DISJOINT(R"(int main() { std::vector<float> x(4), y(4);
  float *p = x.data(); x.swap(y); k<<<1, 1>>>(p, y.data()); })");
  EXPECT_NOT_DISJOINT(R"(int main() { std::vector<float *> x(4), y(4);
  x[0] = y[0]; k<<<1, 1>>>(x[0], y[0]); })");
  EXPECT_NOT_DISJOINT(R"(int main() { thrust::device_vector<float> x(4);
  auto &y = x; k<<<1, 1>>>(x.data().get(), y.data().get()); })");
  EXPECT_NOT_DISJOINT(R"(
float *pool;
template <class T> struct PoolAllocator { };
int main() { std::vector<float, PoolAllocator<float>> x(4), y(4);
  k<<<1, 1>>>(x.data(), y.data()); })");
  EXPECT_NOT_DISJOINT(R"(
void run(std::vector<float> &x, std::vector<float> &y) {
  k<<<1, 1>>>(x.data(), y.data()); }
int main() { std::vector<float> x(4); run(x, x); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { std::vector<float> x[2];
  k<<<1, 1>>>(x[n].data(), x[n * 2].data()); })");
}

} // namespace

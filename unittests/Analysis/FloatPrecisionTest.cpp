//===- FloatPrecisionTest.cpp ---------------------------------------------===//

#include "cudal1/Analysis/FloatPrecision.h"
#include "../ParseCuda.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

using namespace cudal1;

namespace {

/// Whether `d` holds floats in a kernel with \p Body.
bool holdsFloats(const std::string &Body) {
  auto P = cudal1::testing::parseCuda(
      "__device__ float expf(float);\n"
      "__device__ double sqrt(double);\n"
      "__device__ double atomicAdd(double *, double);\n"
      "__device__ void elsewhere(double *);\n"
      "__global__ void kernel(const float *in, float *out, double *d, "
      "const double *e, int n) {\n" +
      Body + "\n}\n");
  if (!P) {
    ADD_FAILURE() << Body;
    return false;
  }
  auto A = ProgramAnalysis::analyze(*P);
  const Kernel &K = *A->kernels().front();
  return holdsFloatPrecision(K, K.Parameters[2]);
}

TEST(FloatPrecision, ComputedFloatsKeepTheirPrecisionInDoubles) {
  for (const char *Body :
       {"d[0] = in[0] * in[1];", "d[0] = (double)(in[0] + 1.0f) / n;",
        "d[0] += expf(in[0]);", "atomicAdd(d, (double)(in[0] * in[1]) / n);",
        "atomicAdd(&d[3], expf(in[0]));",
        "out[0] = expf(in[0]); atomicAdd(d, (double)out[0] / n);",
        "double s = 0; for (int i = 0; i < n; ++i) s += in[i] * in[i]; "
        "d[0] = s;",
        "float x = 0; x += in[1]; d[0] = x;", "d[0] = -(in[0] * in[1]) + 1.0;",
        "d[0] = (in[0] * in[1]) * e[0];",
        "double s = 0; s = s + expf(in[0]); d[0] = s; d[1] = 2 * s;"})
    EXPECT_TRUE(holdsFloats(Body)) << Body;
}

TEST(FloatPrecision, TrueDoublesAreNotTakenForFloats) {
  for (const char *Body :
       {"d[0] = in[0];", "d[0] = (double)in[0] * in[1];",
        "double s = 0; for (int i = 0; i < n; ++i) s += in[i]; d[0] = s;",
        "d[0] = e[0] + in[0] * in[1];", "d[0] = e[0];",
        "d[0] = in[0] * in[1]; d[1] = e[0];", "elsewhere(d);",
        "d[0] = in[0] * in[1]; elsewhere(d);",
        "double *q = d; *q = in[0] * in[1];", "float x = in[0]; d[0] = x;",
        "double s = e[0]; s += in[0] * in[1]; d[0] = s;",
        "if (d[0] > 0) out[0] = 1;", "d++; d[0] = in[0] * in[1];",
        "d[0] = 1.0;"})
    EXPECT_FALSE(holdsFloats(Body)) << Body;
}

TEST(FloatPrecision, OtherTypesHaveNone) {
  auto P = cudal1::testing::parseCuda("__global__ void kernel(float *f, int "
                                      "*i) { f[0] = 2 * f[1]; i[0] = 1; }");
  auto A = ProgramAnalysis::analyze(*P);
  for (const KernelParameter &Parameter : A->kernels().front()->Parameters)
    EXPECT_FALSE(holdsFloatPrecision(*A->kernels().front(), Parameter));
}

} // namespace

//===- DeviceMath.cpp - Approximations, extremes, integral values ---------===//

#include "DeviceLibrary.h"
#include "FloatBits.h"
#include <bit>

using namespace cudal1::emulator;

namespace {

float reciprocal(float A) { return 1.0f / A; }
float reciprocalRoot(float A) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(A)));
}

/// div.approx: for a divisor beyond 2^126 the GPU gives 0 (PTX ISA, div).
float divideApproximately(float A, float B) {
  if (std::fabs(B) > 0x1p126f && std::isfinite(B))
    return std::isinf(A) ? std::numeric_limits<float>::quiet_NaN()
                         : std::copysign(0.0f, A) * std::copysign(1.0f, B);
  return A / B;
}

/// rcp.approx.ftz.f64 and its like use the upper 32 bits only, of operand and
/// result.
double upperHalf(double Value) {
  if (std::isnan(Value))
    return Value;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(Value) &
                               ~uint64_t(0xffffffff));
}

/// A smaller zero is the negative one; NaN counts only where both are.
template <typename T> T smaller(T A, T B) {
  if (A == B)
    return std::signbit(A) ? A : B;
  return std::fmin(A, B);
}
template <typename T> T larger(T A, T B) {
  if (A == B)
    return std::signbit(A) ? B : A;
  return std::fmax(A, B);
}

float nanOr(float A, float B, float Otherwise) {
  return std::isnan(A) || std::isnan(B) ? std::bit_cast<float>(0x7fffffffu)
                                        : Otherwise;
}

/// `.xorsign.abs`: of the magnitudes, with the product's sign.
float xorSign(float A, float B, float Magnitude) {
  return std::copysign(Magnitude,
                       std::signbit(A) != std::signbit(B) ? -1.0f : 1.0f);
}

} // namespace

#define APPROXIMATE(Name, Function)                                            \
  float cudal1_nvvm_##Name##_approx_f(float A) { return Function(A); }         \
  float cudal1_nvvm_##Name##_approx_ftz_f(float A) {                           \
    return flush(Function(flush(A)));                                          \
  }
APPROXIMATE(ex2, std::exp2)
APPROXIMATE(lg2, std::log2)
APPROXIMATE(sin, std::sin)
APPROXIMATE(cos, std::cos)
APPROXIMATE(tanh, std::tanh)
APPROXIMATE(rcp, reciprocal)
APPROXIMATE(rsqrt, reciprocalRoot)
APPROXIMATE(sqrt, std::sqrt)

float cudal1_nvvm_ex2_approx_f32(float A) { return std::exp2(A); }
float cudal1_nvvm_ex2_approx_ftz_f32(float A) {
  return flush(std::exp2(flush(A)));
}
float cudal1_nvvm_tanh_approx_f32(float A) { return std::tanh(A); }
double cudal1_nvvm_ex2_approx_d(double A) { return std::exp2(A); }
double cudal1_nvvm_lg2_approx_d(double A) { return std::log2(A); }
double cudal1_nvvm_rsqrt_approx_d(double A) { return 1.0 / std::sqrt(A); }
double cudal1_nvvm_rsqrt_approx_ftz_d(double A) {
  return upperHalf(1.0 / std::sqrt(upperHalf(A)));
}
double cudal1_nvvm_rcp_approx_ftz_d(double A) {
  return upperHalf(1.0 / upperHalf(A));
}
float cudal1_nvvm_div_approx_f(float A, float B) {
  return divideApproximately(A, B);
}
float cudal1_nvvm_div_approx_ftz_f(float A, float B) {
  return flush(divideApproximately(flush(A), flush(B)));
}
float cudal1_nvvm_div_full(float A, float B) { return A / B; }
float cudal1_nvvm_div_full_ftz(float A, float B) {
  return flush(flush(A) / flush(B));
}

#define EXTREME(Name, Function)                                                \
  float cudal1_nvvm_##Name##_f(float A, float B) { return Function(A, B); }    \
  double cudal1_nvvm_##Name##_d(double A, double B) { return Function(A, B); } \
  float cudal1_nvvm_##Name##_nan_f(float A, float B) {                         \
    return nanOr(A, B, Function(A, B));                                        \
  }                                                                            \
  float cudal1_nvvm_##Name##_xorsign_abs_f(float A, float B) {                 \
    return xorSign(A, B, Function(std::fabs(A), std::fabs(B)));                \
  }                                                                            \
  float cudal1_nvvm_##Name##_nan_xorsign_abs_f(float A, float B) {             \
    return nanOr(A, B, cudal1_nvvm_##Name##_xorsign_abs_f(A, B));              \
  }                                                                            \
  float cudal1_nvvm_##Name##_ftz_f(float A, float B) {                         \
    return cudal1_nvvm_##Name##_f(flush(A), flush(B));                         \
  }                                                                            \
  float cudal1_nvvm_##Name##_ftz_nan_f(float A, float B) {                     \
    return cudal1_nvvm_##Name##_nan_f(flush(A), flush(B));                     \
  }                                                                            \
  float cudal1_nvvm_##Name##_ftz_xorsign_abs_f(float A, float B) {             \
    return cudal1_nvvm_##Name##_xorsign_abs_f(flush(A), flush(B));             \
  }                                                                            \
  float cudal1_nvvm_##Name##_ftz_nan_xorsign_abs_f(float A, float B) {         \
    return cudal1_nvvm_##Name##_nan_xorsign_abs_f(flush(A), flush(B));         \
  }
EXTREME(fmin, smaller)
EXTREME(fmax, larger)

#define TO_INTEGRAL(Name, Function)                                            \
  float cudal1_nvvm_##Name##_f(float A) { return Function(A); }                \
  float cudal1_nvvm_##Name##_ftz_f(float A) { return Function(flush(A)); }     \
  double cudal1_nvvm_##Name##_d(double A) { return Function(A); }
TO_INTEGRAL(ceil, std::ceil)
TO_INTEGRAL(floor, std::floor)
TO_INTEGRAL(trunc, std::trunc)
TO_INTEGRAL(round, std::nearbyint) // PTX's cvt.rni: ties to even

float cudal1_nvvm_saturate_f(float A) { return saturate(A); }
float cudal1_nvvm_saturate_ftz_f(float A) { return saturate(flush(A)); }
double cudal1_nvvm_saturate_d(double A) { return saturate(A); }
float cudal1_nvvm_fabs_f32(float A) { return std::fabs(A); }
float cudal1_nvvm_fabs_ftz_f32(float A) { return std::fabs(flush(A)); }
double cudal1_nvvm_fabs_f64(double A) { return std::fabs(A); }
float cudal1_nvvm_sqrt_f(float A) { return std::sqrt(A); }

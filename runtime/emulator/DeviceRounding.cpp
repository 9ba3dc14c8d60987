//===- DeviceRounding.cpp - Arithmetic in a given rounding mode -----------===//
///
/// \file
/// Every operation is done by the CPU in the mode asked for: IEEE defines the
/// result, so it has the GPU's bits. This file is compiled with
/// -frounding-math, and operands and results pass through volatile objects, so
/// that nothing moves across the change of mode.
///
//===----------------------------------------------------------------------===//

#include "DeviceLibrary.h"
#include "FloatBits.h"
#include <bit>
#include <cfenv>
#include <type_traits>

using namespace cudal1::emulator;

namespace {

enum Mode {
  rn = FE_TONEAREST,
  rz = FE_TOWARDZERO,
  rm = FE_DOWNWARD,
  rp = FE_UPWARD
};

/// The rounding mode while it lives.
template <Mode M> class Rounding {
public:
  Rounding() {
    if (M != rn)
      std::fesetround(M);
  }
  ~Rounding() {
    if (M != rn)
      std::fesetround(FE_TONEAREST);
  }
};

template <Mode M, typename T> __attribute__((noinline)) T add(T Left, T Right) {
  volatile T A = Left, B = Right, Result;
  Rounding<M> Scope;
  Result = A + B;
  return Result;
}

template <Mode M, typename T> __attribute__((noinline)) T mul(T Left, T Right) {
  volatile T A = Left, B = Right, Result;
  Rounding<M> Scope;
  Result = A * B;
  return Result;
}

template <Mode M, typename T> __attribute__((noinline)) T div(T Left, T Right) {
  volatile T A = Left, B = Right, Result;
  Rounding<M> Scope;
  Result = A / B;
  return Result;
}

template <Mode M, typename T>
__attribute__((noinline)) T fma(T Left, T Right, T Addend) {
  volatile T A = Left, B = Right, C = Addend, Result;
  Rounding<M> Scope;
  Result = std::fma(static_cast<T>(A), static_cast<T>(B), static_cast<T>(C));
  return Result;
}

template <Mode M, typename T> __attribute__((noinline)) T root(T Value) {
  volatile T A = Value, Result;
  Rounding<M> Scope;
  Result = std::sqrt(static_cast<T>(A));
  return Result;
}

template <Mode M> __attribute__((noinline)) float narrow(double Value) {
  volatile double A = Value;
  volatile float Result;
  Rounding<M> Scope;
  Result = static_cast<float>(A);
  return Result;
}

/// \p Magnitude rounded to \p To's precision. CPUs have no such conversion for
/// all integer types, and compilers put it together in ways that assume
/// rounding to nearest.
template <Mode M, typename To>
To fromMagnitude(uint64_t Magnitude, bool Minus) {
  constexpr int Digits = std::numeric_limits<To>::digits;
  int Extra = 64 - std::countl_zero(Magnitude | 1) - Digits;
  if (Extra > 0) {
    uint64_t Unit = uint64_t(1) << Extra, Rest = Magnitude & (Unit - 1);
    Magnitude -= Rest;
    bool Up = M == rn
                  ? Rest > Unit / 2 || (Rest == Unit / 2 && (Magnitude & Unit))
              : M == rz ? false
              : M == rm ? Minus && Rest
                        : !Minus && Rest;
    To Value = std::ldexp(static_cast<To>((Magnitude >> Extra) + Up), Extra);
    return Minus ? -Value : Value;
  }
  To Value = static_cast<To>(static_cast<int64_t>(Magnitude));
  return Minus ? -Value : Value;
}

template <Mode M, typename To, typename From> To fromInteger(From Value) {
  bool Minus = std::is_signed_v<From> && Value < 0;
  auto Wide = static_cast<uint64_t>(Value);
  return fromMagnitude<M, To>(Minus ? 0 - Wide : Wide, Minus);
}

/// To an integer, clamped to its range. NaN gives 0, or the sign bit alone
/// where either type has 64 bits (PTX ISA, cvt).
template <Mode M, typename To, typename From> To toInteger(From Value) {
  if (std::isnan(Value))
    return sizeof(To) == 8 || sizeof(From) == 8
               ? static_cast<To>(std::make_unsigned_t<To>(1)
                                 << (8 * sizeof(To) - 1))
               : 0;
  From Whole = M == rn   ? std::nearbyint(Value)
               : M == rz ? std::trunc(Value)
               : M == rm ? std::floor(Value)
                         : std::ceil(Value);
  // The first value above the range is a power of two, hence exact.
  From Limit = std::ldexp(From(1), std::numeric_limits<To>::digits);
  if (Whole >= Limit)
    return std::numeric_limits<To>::max();
  if (Whole < (std::is_signed_v<To> ? -Limit : From(0)))
    return std::numeric_limits<To>::min();
  return static_cast<To>(Whole);
}

} // namespace

#define FLOATS_2(Name, Mode)                                                   \
  float cudal1_nvvm_##Name##_##Mode##_f(float A, float B) {                    \
    return Name<Mode>(A, B);                                                   \
  }                                                                            \
  float cudal1_nvvm_##Name##_##Mode##_ftz_f(float A, float B) {                \
    return flush(Name<Mode>(flush(A), flush(B)));                              \
  }                                                                            \
  double cudal1_nvvm_##Name##_##Mode##_d(double A, double B) {                 \
    return Name<Mode>(A, B);                                                   \
  }

#define INTEGERS(Name, Type, Mode)                                             \
  float cudal1_nvvm_##Name##2f_##Mode(Type A) {                                \
    return fromInteger<Mode, float>(A);                                        \
  }                                                                            \
  double cudal1_nvvm_##Name##2d_##Mode(Type A) {                               \
    return fromInteger<Mode, double>(A);                                       \
  }                                                                            \
  Type cudal1_nvvm_f2##Name##_##Mode(float A) {                                \
    return toInteger<Mode, Type>(A);                                           \
  }                                                                            \
  Type cudal1_nvvm_f2##Name##_##Mode##_ftz(float A) {                          \
    return toInteger<Mode, Type>(flush(A));                                    \
  }                                                                            \
  Type cudal1_nvvm_d2##Name##_##Mode(double A) {                               \
    return toInteger<Mode, Type>(A);                                           \
  }

#define EACH_MODE(Mode)                                                        \
  FLOATS_2(add, Mode)                                                          \
  FLOATS_2(mul, Mode)                                                          \
  FLOATS_2(div, Mode)                                                          \
  float cudal1_nvvm_add_##Mode##_sat_f(float A, float B) {                     \
    return saturate(add<Mode>(A, B));                                          \
  }                                                                            \
  float cudal1_nvvm_add_##Mode##_ftz_sat_f(float A, float B) {                 \
    return saturate(flush(add<Mode>(flush(A), flush(B))));                     \
  }                                                                            \
  float cudal1_nvvm_fma_##Mode##_f(float A, float B, float C) {                \
    return fma<Mode>(A, B, C);                                                 \
  }                                                                            \
  float cudal1_nvvm_fma_##Mode##_ftz_f(float A, float B, float C) {            \
    return flush(fma<Mode>(flush(A), flush(B), flush(C)));                     \
  }                                                                            \
  float cudal1_nvvm_fma_##Mode##_sat_f(float A, float B, float C) {            \
    return saturate(fma<Mode>(A, B, C));                                       \
  }                                                                            \
  float cudal1_nvvm_fma_##Mode##_ftz_sat_f(float A, float B, float C) {        \
    return saturate(flush(fma<Mode>(flush(A), flush(B), flush(C))));           \
  }                                                                            \
  double cudal1_nvvm_fma_##Mode##_d(double A, double B, double C) {            \
    return fma<Mode>(A, B, C);                                                 \
  }                                                                            \
  float cudal1_nvvm_rcp_##Mode##_f(float A) { return div<Mode>(1.0f, A); }     \
  float cudal1_nvvm_rcp_##Mode##_ftz_f(float A) {                              \
    return flush(div<Mode>(1.0f, flush(A)));                                   \
  }                                                                            \
  double cudal1_nvvm_rcp_##Mode##_d(double A) { return div<Mode>(1.0, A); }    \
  float cudal1_nvvm_sqrt_##Mode##_f(float A) { return root<Mode>(A); }         \
  float cudal1_nvvm_sqrt_##Mode##_ftz_f(float A) {                             \
    return flush(root<Mode>(flush(A)));                                        \
  }                                                                            \
  double cudal1_nvvm_sqrt_##Mode##_d(double A) { return root<Mode>(A); }       \
  float cudal1_nvvm_d2f_##Mode(double A) { return narrow<Mode>(A); }           \
  float cudal1_nvvm_d2f_##Mode##_ftz(double A) {                               \
    return flush(narrow<Mode>(A));                                             \
  }                                                                            \
  INTEGERS(i, int32_t, Mode)                                                   \
  INTEGERS(ui, uint32_t, Mode)                                                 \
  INTEGERS(ll, int64_t, Mode)                                                  \
  INTEGERS(ull, uint64_t, Mode)

EACH_MODE(rn)
EACH_MODE(rz)
EACH_MODE(rm)
EACH_MODE(rp)

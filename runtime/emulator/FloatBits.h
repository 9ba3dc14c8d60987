//===- FloatBits.h - Zeros, NaNs and limits as PTX has them -----*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_FLOATBITS_H
#define CUDAL1_RUNTIME_EMULATOR_FLOATBITS_H

#include <cmath>
#include <limits>

namespace cudal1::emulator {

/// `.ftz`: a subnormal number counts as a zero of its sign.
inline float flush(float Value) {
  return std::fabs(Value) < std::numeric_limits<float>::min()
             ? std::copysign(0.0f, Value)
             : Value;
}

/// `.sat`: clamped to [0, 1]; NaN gives 0.
template <typename T> T saturate(T Value) {
  if (!(Value > 0))
    return 0;
  return Value < 1 ? Value : T(1);
}

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_FLOATBITS_H

//===- DeviceNan.cpp - nan() and nanf() of device code --------------------===//

#include "DeviceLibrary.h"
#include <bit>
#include <cstdlib>

namespace {

/// The number that \p Tag spells as in C++ source: all ones if it is too large,
/// 0 if it is no number, as in CUDA's libdevice.
uint64_t payload(const char *Tag) {
  if (!Tag || *Tag < '0' || *Tag > '9')
    return 0;
  char *End = nullptr;
  // Too large a number is ULLONG_MAX.
  uint64_t Value = std::strtoull(Tag, &End, /*base=*/0);
  return *End ? 0 : Value;
}

} // namespace

double cudal1_device_nan(const char *Tag) {
  constexpr uint64_t Quiet = 0x7ff8000000000000, Mantissa = 0xfffffffffffff;
  return std::bit_cast<double>((payload(Tag) & Mantissa) | Quiet);
}

float cudal1_device_nanf(const char *Tag) {
  constexpr uint32_t Quiet = 0x7fc00000, Payload = 0x3fffff;
  return std::bit_cast<float>((static_cast<uint32_t>(payload(Tag)) & Payload) |
                              Quiet);
}

//===- Magnitudes.cpp - How large the values of a buffer are --------------===//

#include "Magnitudes.h"
#include <algorithm>
#include <cstring>

using namespace cudal1;

namespace {

constexpr unsigned ExponentShift = 52;
constexpr uint64_t SignBit = uint64_t(1) << 63;
/// One value in so many may be smaller than the scale.
constexpr uint64_t SmallerShare = 10;

} // namespace

void Magnitudes::add(double Value) {
  uint64_t Bits;
  std::memcpy(&Bits, &Value, sizeof(Bits));
  Bits &= ~SignBit;
  size_t Exponent = Bits >> ExponentShift;
  if (Bits != 0 && Exponent != Bins - 1) // neither 0, infinity nor NaN
    add(Exponent, 1, Bits, Bits);
}

void Magnitudes::add(size_t Index, uint64_t Count, uint64_t SmallestBits,
                     uint64_t LargestBits) {
  Bin &B = All[Index];
  B.Count += Count;
  B.Smallest = std::min(B.Smallest, SmallestBits);
  B.Largest = std::max(B.Largest, LargestBits);
}

double Magnitudes::scale() const {
  uint64_t Total = 0;
  for (const Bin &B : All)
    Total += B.counted();
  uint64_t Smaller = 0;
  for (const Bin &B : All) {
    Smaller += B.counted();
    if (!B.counted() || Smaller * SmallerShare <= Total)
      continue;
    double Value;
    std::memcpy(&Value, &B.Smallest, sizeof(Value));
    return Value;
  }
  return 0;
}

//===- Magnitudes.h - How large the values of a buffer are ------*- C++ -*-===//
///
/// \file
/// The scale by which small floating-point values are compared: a sum of large
/// terms leaves small ones over, whose error is that of the terms. The scale
/// stands for these terms, so it must not be larger than what most of the data
/// are like: one sentinel of 1e30 would hide every other fault.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_MEASURE_MAGNITUDES_H
#define CUDAL1_LIB_MEASURE_MAGNITUDES_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace cudal1 {

/// Counts finite values other than 0 by their power of two. What is the same
/// value again and again (a sentinel, a fill) counts as nothing.
class Magnitudes {
public:
  /// One for each exponent of a double.
  static constexpr size_t Bins = 2048;

  void add(double Value);
  /// \p Count values of one bin, between these two (their absolute values'
  /// bits).
  void add(size_t Bin, uint64_t Count, uint64_t SmallestBits,
           uint64_t LargestBits);

  /// A magnitude that nine of ten values reach; 0 if all are alike.
  double scale() const;

private:
  struct Bin {
    uint64_t Count = 0;
    uint64_t Smallest = ~uint64_t(0), Largest = 0;
    uint64_t counted() const {
      return Count == 1 || Smallest != Largest ? Count : 0;
    }
  };
  std::array<Bin, Bins> All;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_MAGNITUDES_H

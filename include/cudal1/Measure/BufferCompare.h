//===- BufferCompare.h - Compare two buffers by value -----------*- C++ -*-===//

#ifndef CUDAL1_MEASURE_BUFFERCOMPARE_H
#define CUDAL1_MEASURE_BUFFERCOMPARE_H

#include "cudal1/Measure/ElementType.h"
#include "cudal1/Measure/Measurement.h"
#include "cudal1/Support/FpClass.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace cudal1 {

/// How far a floating-point value may lie from the original's.
struct Tolerance {
  /// The tolerance of a class.
  Tolerance(FpClass Class = FpClass::Exact, double OriginalNoise = 0,
            std::optional<double> Relative = std::nullopt)
      : Class(Class), OriginalNoise(OriginalNoise), Relative(Relative) {}

  FpClass Class;
  /// What the original itself differs by from run to run, in the measure of
  /// relativeLimit(). Above zero, `exact` means no more than bit-identical
  /// could mean for this program.
  double OriginalNoise;
  /// What the user allows in place of the limits of the class, for every
  /// element type, in the measure of relativeLimit(). `exact` stays exact.
  std::optional<double> Relative;

  /// The largest allowed |variant − original| ÷ max(|original|, scale of the
  /// buffer) for values of this type. 0 means bit-identical. The scale makes
  /// room for small values that a sum of large ones left over; nine of ten
  /// values of the buffer reach it, not counting zeros and what is the same
  /// value again and again.
  double relativeLimit(ElementType Type) const;
};

/// A part of both buffers, Offset bytes from their start.
struct BufferPart {
  uint64_t Offset;
  llvm::StringRef Original;
  llvm::StringRef Variant; ///< of the same size
};

/// What comparing two buffers found.
struct BufferComparison {
  ErrorFigures Figures;
  /// The largest |variant − original| ÷ max(|original|, scale) that was seen,
  /// of all finite values; infinity if a value that must be exact differs.
  double MaxScaled = 0;
  bool OriginalHasNan = false;
  /// "element 17 (float): 1.5 became 2.5"; empty if all is within limits.
  std::string FirstMismatch;

  bool equal() const { return Figures.Mismatches == 0; }
};

/// Compares buffers whose elements are laid out as \p Layout, again and again
/// from \p Phase bytes before their start. An empty layout is bytes.
///
/// NaN: equal to any NaN, never to a number. Infinities must be the same.
/// Integers and bytes must be the same. With FpClass::Exact and no noise,
/// floating-point values must have the same bits.
BufferComparison compareBuffers(llvm::ArrayRef<BufferPart> Parts,
                                const ElementLayout &Layout, uint64_t Phase,
                                const Tolerance &Limits);

} // namespace cudal1

#endif // CUDAL1_MEASURE_BUFFERCOMPARE_H

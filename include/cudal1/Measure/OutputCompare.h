//===- OutputCompare.h - Compare what programs print ------------*- C++ -*-===//
///
/// \file
/// Text outputs are compared word by word: words exactly, numbers by the
/// tolerance, the amount of white space not at all. Numbers
/// that the program prints differently each time, and numbers that are times or
/// rates, are left out and counted.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_MEASURE_OUTPUTCOMPARE_H
#define CUDAL1_MEASURE_OUTPUTCOMPARE_H

#include "cudal1/Measure/BufferCompare.h"
#include "cudal1/Measure/Measurement.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudal1 {

/// One word of a text.
struct OutputToken {
  enum class Kind {
    Word,    ///< letters, or punctuation
    Integer, ///< an optional sign and digits
    Real,    ///< with a point or an exponent, or nan or inf
    LineEnd,
  };
  Kind What;
  llvm::StringRef Text;
  double Value = 0; ///< of numbers
};

/// Splits \p Text, which the tokens point into. `12.5ms` gives `12.5` and
/// `ms`; the digits of `sm_90`, `v2` and `0x1f` stay in their word.
std::vector<OutputToken> tokenizeOutput(llvm::StringRef Text);

/// What comparing two texts found.
struct OutputComparison {
  /// "line 3: '0.5' became '0.7'"; empty if they agree.
  std::string FirstDifference;
  ErrorFigures Figures;
  uint64_t IgnoredTimes = 0;   ///< numbers left out since they look like times
  uint64_t IgnoredVarying = 0; ///< numbers left out since they vary

  bool equal() const { return FirstDifference.empty(); }
};

/// The output of the original program, learnt from several runs of it.
class ReferenceOutput {
public:
  explicit ReferenceOutput(std::string FirstRun);

  /// Adds the output of another run of the same program.
  void addRun(llvm::StringRef Text);

  /// True if the words differ between runs, or their number: then the output
  /// cannot be compared at all.
  bool structureVaries() const { return StructureVaries; }
  /// Numbers that differ between runs and do not look like times.
  uint64_t varyingNumbers() const;
  /// True if a NaN was printed.
  bool hasNan() const;

  /// Compares the output of a variant.
  OutputComparison compare(llvm::StringRef Variant,
                           const Tolerance &Limits) const;

private:
  std::string Text;
  std::vector<OutputToken> Tokens; ///< point into Text
  std::vector<bool> Varies;        ///< per token
  std::vector<bool> SometimesNan;  ///< per token
  std::vector<bool> IsTime;        ///< per token
  std::vector<bool> IsErrorFigure; ///< per token
  bool StructureVaries = false;

public:
  ReferenceOutput(const ReferenceOutput &) = delete;
  ReferenceOutput &operator=(const ReferenceOutput &) = delete;
};

} // namespace cudal1

#endif // CUDAL1_MEASURE_OUTPUTCOMPARE_H

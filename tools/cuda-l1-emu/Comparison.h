//===- Comparison.h - Two versions of a program, emulated -------*- C++ -*-===//

#ifndef CUDAL1_EMU_COMPARISON_H
#define CUDAL1_EMU_COMPARISON_H

#include "cudal1/Emulator/EmulatedProgram.h"
#include "cudal1/Measure/Measurement.h"
#include "cudal1/Support/FpClass.h"

namespace cudal1 {

/// Two main files of one program, and how far their results may differ.
struct ComparisonSpec {
  /// How the first is built; the second stands in its place.
  EmulationSpec Original;
  std::string VariantFile;
  std::vector<std::string> Arguments;
  FpClass Class = FpClass::Exact;
  /// Existing folder for programs and runs.
  std::string WorkFolder;
};

/// Runs both in several orders and compares what they print, what they copy
/// from the device and which faults they show. An Error when the original
/// cannot be emulated or the variant not be read.
llvm::Expected<Measurement> compareEmulated(const ComparisonSpec &Spec);

} // namespace cudal1

#endif // CUDAL1_EMU_COMPARISON_H

//===- Sanitizers.h - NVIDIA's checker on a whole program -------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_SANITIZERS_H
#define CUDAL1_LIB_MEASURE_SANITIZERS_H

#include "cudal1/Measure/ProgramRunner.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudal1 {

/// How compute-sanitizer is run.
struct SanitizerSetup {
  ProgramRunner &Runner;
  std::string Sanitizer;                 ///< full path
  llvm::ArrayRef<std::string> Arguments; ///< of the program
  std::chrono::milliseconds TimeLimit;   ///< of one tool
  const std::atomic<bool> *StopFlag = nullptr;
};

/// Runs \p Variant under memcheck, racecheck, synccheck and initcheck. A
/// finding makes it `wrong-result`, unless the same tool finds the original at
/// fault. What was found, or not run to its end, is added to the evidence.
void checkBySanitizers(const SanitizerSetup &Setup,
                       const BuiltProgram &Original,
                       const BuiltProgram &Variant, Measurement &M);

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_SANITIZERS_H

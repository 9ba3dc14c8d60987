//===- Cases.h - Which launches of a kernel stand for all -------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_CASES_H
#define CUDAL1_LIB_MEASURE_REPLAY_CASES_H

#include "cudal1/Measure/ReplayEngine.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include "cudal1/Measure/Trace.h"

namespace cudal1 {

/// One launch that stands for all of its shape.
struct ReplayCase {
  replay::Target Where;
  trace::Launch Launch;  ///< as the trace has it
  uint64_t Launches = 0; ///< of this shape
  double TotalUs = 0;    ///< of these together, in the traced run
};

/// The launches of one kernel, the most expensive shape first.
struct KernelCases {
  std::vector<ReplayCase> Cases;
  /// Share of the kernel's time (of its launches, where there are no times)
  /// that the cases stand for.
  double Covered = 1;
  /// Why there are none.
  std::string Problem;
};

/// Chooses from a traced run of the original. \p Kernel is the driver's name.
KernelCases chooseCases(llvm::ArrayRef<Trace> Traces, llvm::StringRef Kernel,
                        const LaunchChoice &Choice);

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_CASES_H

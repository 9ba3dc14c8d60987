//===- EmulatorEngine.h - Verify without a GPU ------------------*- C++ -*-===//

#ifndef CUDAL1_MEASURE_EMULATORENGINE_H
#define CUDAL1_MEASURE_EMULATORENGINE_H

#include "cudal1/Measure/ElementType.h"
#include "cudal1/Measure/Engine.h"
#include "cudal1/Measure/ProgramRunner.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

namespace cudal1 {

/// Makes an emulated program of the unit with \p Sources in place, at
/// \p OutputPath. Returns the constructs that it cannot run; an Error when
/// there is no program.
using EmulationBuild = std::function<llvm::Expected<std::vector<std::string>>(
    llvm::ArrayRef<SourceReplacement> Sources, const std::string &OutputPath)>;

/// What the emulator engine needs to know.
struct EmulatorEngineOptions {
  EmulationBuild Build;
  /// Makes the original do each access that its source makes. Asked for when a
  /// variant shows a fault that the original does not: the optimiser may have
  /// hidden it there. Empty: such a fault is the variant's.
  EmulationBuild BuildAsWritten;
  RunSpec Run;
  /// What the kernels' pointers point to; see ProgramEngineOptions.
  KernelParameterTable Parameters;
  /// See ProgramEngineOptions.
  std::optional<double> RelativeTolerance;
  /// Existing folder for programs and runs; what is made in it is removed.
  std::string WorkFolder;
  /// In which blocks and threads take turns, as runtime/emulator names them.
  /// The original and every variant run once in each.
  std::vector<std::string> Orders = {"forward", "reverse", "random:1"};
  /// Limit for one run of the original. Emulation is slow: a problem made for
  /// a GPU may take hours.
  std::chrono::milliseconds OriginalTimeLimit{120000};
  /// A variant may take this many times as long, and this much more.
  double VariantTimeFactor = 10;
  std::chrono::milliseconds VariantTimeConstant{10000};
  /// When it turns true, what is running is killed and measure() returns soon.
  const std::atomic<bool> *StopFlag = nullptr;
};

/// Engine 3 of the design: runs the program on the CPU, in several orders, and
/// watches its accesses to memory. It times nothing: the best verdict is
/// `verified`. A variant is wrong if its results differ from the original's, as
/// the program engine compares them, or if it shows a fault (a race, an access
/// out of bounds, ...) in a function where the original shows none of its kind,
/// not even as written.
std::unique_ptr<MeasureEngine>
makeEmulatorEngine(EmulatorEngineOptions Options);

} // namespace cudal1

#endif // CUDAL1_MEASURE_EMULATORENGINE_H

//===- ProgramEngine.h - Measure by running the whole program ---*- C++ -*-===//

#ifndef CUDAL1_MEASURE_PROGRAMENGINE_H
#define CUDAL1_MEASURE_PROGRAMENGINE_H

#include "cudal1/Measure/ElementType.h"
#include "cudal1/Measure/Engine.h"
#include "cudal1/Measure/ProgramBuilder.h"
#include "cudal1/Measure/ProgramRunner.h"
#include "cudal1/Measure/Statistics.h"
#include <chrono>
#include <functional>
#include <memory>

namespace cudal1 {

/// What the program engine needs to know.
struct ProgramEngineOptions {
  BuildSpec Build;
  RunSpec Run;
  InjectionSpec Injection;
  /// The user's own test, run by /bin/sh where the program runs (`{program}`
  /// is the program). Must succeed for the original, then for every variant.
  std::string TestCommand;
  /// What the kernels' pointers point to; without it copies of floating-point
  /// buffers can only be compared as bytes.
  KernelParameterTable Parameters;
  /// Existing folder for builds and runs; what is made in it is removed again.
  std::string WorkFolder;
  /// Parallel builds.
  unsigned Jobs = 1;

  /// NVIDIA's compute-sanitizer, to be run on what confirm() finds faster;
  /// empty: not installed.
  std::string Sanitizer;

  double SanitizerTimeFactor = 20;
  std::chrono::milliseconds SanitizerTimeConstant{20000};

  /// How far results of rewrites that are not exact may lie from the
  /// original's, in place of the limits of their fp class (see Tolerance).
  std::optional<double> RelativeTolerance;

  StoppingRule Stopping;
  /// What a run took by the wall clock; tests have a clock of their own.
  std::function<double(const ProcessResult &Run)> WallMs =
      [](const ProcessResult &Run) { return Run.WallMs; };
  /// Timing of one variant ends after this, with what is known then.
  std::chrono::milliseconds TimingBudget{20000};
  /// Timed runs of the original in prepare(), for the profile and its noise.
  unsigned BaselineRuns = 3;
  /// Further runs of the original when a variant looks wrong, to see whether
  /// the difference is one that the original itself shows now and then.
  unsigned Rechecks = 2;
  /// Limit for the original.
  std::chrono::milliseconds OriginalTimeLimit{600000};
  /// A variant may take this many times as long as the original, and this much
  /// more for starting up.
  double VariantTimeFactor = 10;
  std::chrono::milliseconds VariantTimeConstant{10000};

  /// GpuInfo::Uuid; pairs of runs wait until no other process times on it.
  std::string GpuUuid;
  /// When it turns true, what is running is killed and measure() returns soon.
  const std::atomic<bool> *StopFlag = nullptr;
};

/// An engine that has the original built and traced, for others to go on from.
class WholeProgramEngine : public MeasureEngine {
public:
  /// After prepare(): the original, and its first traced run.
  virtual const BuiltProgram &original() const = 0;
  virtual const ProgramRun &tracedRun() const = 0;
};

/// Engine 2 of the design: builds and runs the whole program, as the user does.
///
/// prepare() builds the original, runs it twice under the injection library to
/// learn what varies from run to run, and times it. measure() builds a variant,
/// runs it once to compare exit code, stdout, output files, device-to-host
/// copies, kernel runs and failed calls with the original's; times both in
/// alternation (the sum of the touched kernels' times decides; the whole GPU
/// time and the wall clock must not get worse); and compares a faster one once
/// more. A variant of which the compiler makes a program that was measured
/// before, or the original, is not run again.
std::unique_ptr<WholeProgramEngine>
makeProgramEngine(ProgramEngineOptions Options);

} // namespace cudal1

#endif // CUDAL1_MEASURE_PROGRAMENGINE_H

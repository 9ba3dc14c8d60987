//===- VariantTiming.h - The pairs of runs behind a verdict -----*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_VARIANTTIMING_H
#define CUDAL1_LIB_MEASURE_VARIANTTIMING_H

#include "cudal1/Measure/Measurement.h"
#include "cudal1/Measure/Statistics.h"
#include <functional>
#include <vector>

namespace cudal1 {

/// Collects pairs of timed runs of the original and one variant. The kernels
/// that the variant touched decide, or the span of the GPU's work where the
/// variant changes what the host does; the GPU's time of the whole program and
/// the wall clock must not get worse. A variant that loads a library does so
/// once a run, which the wall clock of a short run shows and a long one hides:
/// there it is told and does not decide.
class VariantTiming {
public:
  /// \p TouchedMs gives the milliseconds of the kernels that decide where \p
  /// Part says that kernels do.
  VariantTiming(StoppingRule Rule, TimedPart Part,
                std::function<double(const RunTimes &)> TouchedMs,
                bool LoadsLibrary = false)
      : Rule(Rule), Part(Part), TouchedMs(std::move(TouchedMs)),
        LoadsLibrary(LoadsLibrary), Touched(Rule), Gpu(Rule), Wall(Rule) {}

  size_t pairs() const { return Original.size(); }

  /// False if the touched kernels did not run, so that nothing can be timed.
  bool addPair(RunTimes Before, RunTimes After);

  /// True once the speedup surely lies below \p Speedup.
  bool staysBelow(double Speedup) const;

  /// The verdict of the touched kernels, once there is one.
  std::optional<Verdict> decide(bool TimeIsUp) const;

  /// Sets the verdict and the figures of \p M. A gain is taken back if the
  /// whole program lost.
  void conclude(Verdict OfTouched, Measurement &M) const;

private:
  double decidingMs(const RunTimes &Times) const;
  llvm::StringRef decidingPart() const;
  /// What decides holds all of the GPU's own time. That a kernel takes longer
  /// when another follows it at once is then no loss.
  bool holdsGpuTime() const { return Part == TimedPart::GpuSpan; }
  void describeLibrary(Measurement &M) const;
  void demoteIfWorse(const PairedComparison &Whole, llvm::StringRef Name,
                     Measurement &M) const;

  StoppingRule Rule;
  TimedPart Part;
  std::function<double(const RunTimes &)> TouchedMs;
  bool LoadsLibrary;
  PairedComparison Touched, Gpu, Wall;
  std::vector<RunTimes> Original, Variant;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_VARIANTTIMING_H

//===- Measurement.h - What measuring one Variant found ---------*- C++ -*-===//
///
/// \file
/// The plain data that an engine hands back: a verdict, and the figures and
/// sentences behind it.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_MEASURE_MEASUREMENT_H
#define CUDAL1_MEASURE_MEASUREMENT_H

#include "cudal1/Measure/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// The time that one kernel took in one run of the program.
struct KernelTime {
  std::string Name;        ///< mangled, as the driver knows it
  std::string DisplayName; ///< demangled, for people
  uint64_t Launches = 0;
  double TotalMs = 0;  ///< sum over its launches
  double MedianMs = 0; ///< median over its launches
  double ShortestMs = 0;
  double LongestMs = 0;

  /// What its launches take together when nothing disturbs them: the median
  /// for each where all are alike (a cold first launch or one disturbed by
  /// others does not count), else the sum.
  double undisturbedMs() const;
};

/// The times of a program, each the median over the timed runs.
struct RunTimes {
  /// Longest total first.
  std::vector<KernelTime> Kernels;
  /// Time during which at least one kernel or memset ran, on any stream. The
  /// union of intervals: work moved to another stream still counts.
  double KernelMs = 0;
  double CopyMs = 0;    ///< the same for copies
  double GpuBusyMs = 0; ///< the same for kernels, memsets and copies together
  /// First start to last end of any of them, what the host does in between
  /// included, and the time of calls before and after that make and release
  /// what they need (memory, streams, graphs).
  double GpuSpanMs = 0;
  double WallMs = 0; ///< the whole process, by the wall clock
};

/// Each figure's median over several runs of one program. Kernels are those of
/// the first run.
RunTimes medianOf(llvm::ArrayRef<RunTimes> Runs);

/// How far the values of a variant lie from the original's.
struct ErrorFigures {
  uint64_t ValuesCompared = 0;
  uint64_t Mismatches = 0; ///< values outside the tolerance
  uint64_t Differing = 0;  ///< values not bit-identical
  double MaxAbsolute = 0;
  double MaxRelative = 0;
  double MaxUlp = 0; ///< in units in the last place of the element type

  /// Adds the figures of another comparison.
  void merge(const ErrorFigures &Other);
};

/// The time that a speedup compares.
enum class TimedPart {
  Kernels, ///< RunTimes::KernelMs, or of the kernels that were touched
  GpuSpan  ///< RunTimes::GpuSpanMs: the Variant changed what the host does
};

/// The outcome of measuring one Variant.
struct Measurement {
  Verdict Outcome = Verdict::Unsupported;
  /// Which engine stands behind the figures, e.g. `program`.
  std::string Engine;
  /// Absent if nothing was timed. A time is never guessed.
  std::optional<RunTimes> Original;
  std::optional<RunTimes> Variant;
  /// What Speedup is the speedup of.
  TimedPart Part = TimedPart::Kernels;
  /// Original time ÷ variant time, and its 95 % confidence interval.
  std::optional<double> Speedup;
  std::optional<double> SpeedupLow;
  std::optional<double> SpeedupHigh;
  /// Pairs of runs behind the speedup.
  unsigned Pairs = 0;
  ErrorFigures Errors;
  /// Sentences a person can check: what was compared, what differed where,
  /// the compiler's first error, …
  std::vector<std::string> Evidence;
};

/// A measurement as a JSON object, times in milliseconds, absent figures left
/// out. Infinity and NaN, for which JSON has no numbers, are strings.
llvm::json::Value toJSON(const Measurement &M);
llvm::json::Value toJSON(const RunTimes &T);

/// The inverse of toJSON. False, with the place at \p Path, if \p Value is no
/// such object; \p M is undefined then.
bool fromJSON(const llvm::json::Value &Value, Measurement &M,
              llvm::json::Path Path);
bool fromJSON(const llvm::json::Value &Value, RunTimes &T,
              llvm::json::Path Path);

} // namespace cudal1

#endif // CUDAL1_MEASURE_MEASUREMENT_H

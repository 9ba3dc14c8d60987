//===- Report.h - What one run of the optimiser found -----------*- C++ -*-===//
///
/// \file
/// Plain data, made by the tool, printed as JSON (docs/report.md) or for
/// people. A figure that was not measured is absent; none is ever guessed.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_REPORT_REPORT_H
#define CUDAL1_REPORT_REPORT_H

#include "cudal1/Measure/Engine.h"
#include "cudal1/Search/Search.h"
#include "llvm/Support/JSON.h"

namespace cudal1 {

/// What became of one unit.
enum class UnitResult {
  Faster,        ///< Rewritten; measured and confirmed.
  NothingBetter, ///< Searched; the original text stays.
  NotTimed,      ///< Rewritten or not, without any measuring.
  Judged,        ///< Versions of the user's own were measured.
  Verified,      ///< The same, and found right by emulation.
  NotRun,        ///< It could not be measured; the original text stays.
  NotParsed,     ///< Clang refused it; the original text stays.
  Failed         ///< No result; UnitReport::Messages says why.
};
/// "faster", "nothing-better", "judged", "not-timed", "verified", "not-run",
/// "not-parsed", "failed".
llvm::StringRef toString(UnitResult R);

/// One kernel before and after.
struct KernelReport {
  std::string Name;
  uint64_t Launches = 0;
  /// Milliseconds over all launches of one run.
  std::optional<double> OriginalMs;
  std::optional<double> BestMs;
  /// Of the time of all kernels of the original, 0 to 1.
  std::optional<double> Share;
};

/// One Variant that was measured.
struct VariantReport {
  std::vector<std::string> Rewrites;
  /// The engine that gave the verdict.
  std::string Engine;
  Verdict Outcome = Verdict::Unsupported;
  std::optional<double> Speedup;
  std::optional<double> SpeedupLow, SpeedupHigh;
  unsigned Pairs = 0; ///< of runs or launches behind the speedup
  /// Why it was not taken, one clause; empty for the one that was.
  std::string Reason;
  /// The engine's sentences behind the verdict.
  std::vector<std::string> Evidence;
};

/// One main file.
struct UnitReport {
  std::string File;
  /// Where the result was written; empty for stdout and for none.
  std::vector<std::string> Written;
  UnitResult Result = UnitResult::Failed;
  /// The engine behind the figures; empty without any.
  std::string Engine;
  std::optional<RunTimes> Original;
  std::optional<RunTimes> Best;
  std::optional<double> Speedup;
  std::optional<double> SpeedupLow, SpeedupHigh;
  /// What Speedup is the speedup of.
  TimedPart SpeedupOf = TimedPart::Kernels;
  /// What the whole program's GPU time (kernels and copies) should gain, by the
  /// touched kernels' share and speedup, and what it did gain.
  std::optional<double> PredictedGpuSpeedup, MeasuredGpuSpeedup;
  std::vector<Rewrite> Rewrites;
  std::vector<KernelReport> Kernels;
  std::vector<VariantReport> Variants;
  unsigned VariantsTried = 0;
  double SearchSeconds = 0;
  /// Why the search ended, one clause; empty without a search.
  std::string SearchEnd;
  /// Sentences that the user should read: what differs from run to run, why
  /// nothing was timed, what was left aside.
  std::vector<std::string> Messages;
};

struct Report {
  std::string ToolVersion;
  /// Name of the GPU; empty without one.
  std::string Gpu;
  std::vector<UnitReport> Units;
};

/// Schema: docs/report.md.
llvm::json::Value toJSON(const Report &R);

/// Fills Kernels from the two profiles, longest first.
std::vector<KernelReport> compareKernels(const std::optional<RunTimes> &Before,
                                         const std::optional<RunTimes> &After);

/// Amdahl's law: what the GPU time of \p Program gains when the kernels of
/// \p Before become as fast relative to it as \p After says. Absent where the
/// program has none of them.
std::optional<double> predictGpuSpeedup(const RunTimes &Program,
                                        const RunTimes &Before,
                                        const RunTimes &After);

/// The sentence of an engine's evidence that says most of a failed Variant;
/// empty without any.
llvm::StringRef mainFinding(const Measurement &M);

/// Every attempt with the reason why it is not the result.
std::vector<VariantReport> explainAttempts(llvm::ArrayRef<Attempt> Attempts,
                                           const Attempt *Taken);

} // namespace cudal1

#endif // CUDAL1_REPORT_REPORT_H

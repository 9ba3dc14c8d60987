//===- Comparison.cpp - Which of two Variants is faster -------------------===//

#include "cudal1/Search/Comparison.h"
#include <cmath>
#include <set>

using namespace cudal1;

/// Half the width of a 95 % interval, in standard errors.
static constexpr double HalfWidth95 = 1.96;
/// The standard error of a speedup that came without an interval, as a share.
static constexpr double UnknownError = 0.005;
/// Differences below this are called `same`, as the engines do.
static constexpr double SmallestGain = 0.01;

LogSpeedup cudal1::logSpeedup(const Measurement &M) {
  LogSpeedup Result;
  if (!M.Speedup || *M.Speedup <= 0)
    return Result;
  Result.Mean = std::log(*M.Speedup);
  Result.StandardError = UnknownError;
  if (M.SpeedupLow && M.SpeedupHigh && *M.SpeedupLow > 0)
    Result.StandardError =
        std::log(*M.SpeedupHigh / *M.SpeedupLow) / (2 * HalfWidth95);
  return Result;
}

/// Milliseconds of kernel \p Name in \p Times; nothing where it was not timed.
static std::optional<double> msOf(const std::optional<RunTimes> &Times,
                                  llvm::StringRef Name) {
  if (!Times)
    return std::nullopt;
  double Sum = 0;
  bool Found = false;
  for (const KernelTime &K : Times->Kernels)
    if (K.Name == Name) {
      Sum += K.undisturbedMs();
      Found = true;
    }
  return Found ? std::optional(Sum) : std::nullopt;
}

/// The log speedup of \p A over the kernels of \p Names. An engine may time
/// only the kernels that a Variant touches: what \p A left alone takes as long
/// as in the original, for which \p Other has the figure.
static LogSpeedup logSpeedupOver(const Attempt &A, const Attempt &Other,
                                 const std::set<std::string> &Names) {
  LogSpeedup Result = logSpeedup(A.Result);
  if (A.Result.Part == TimedPart::Kernels &&
      std::set(A.Kernels.begin(), A.Kernels.end()) == Names)
    return Result;
  double Before = 0, After = 0;
  for (const std::string &Name : Names) {
    std::optional<double> Original = msOf(A.Result.Original, Name);
    if (!Original)
      Original = msOf(Other.Result.Original, Name);
    double Ms = Original.value_or(0);
    Before += Ms;
    After += msOf(A.Result.Variant, Name).value_or(Ms);
  }
  if (Before > 0 && After > 0)
    Result.Mean = std::log(Before / After);
  return Result;
}

/// The steps on host code, in order.
static std::vector<std::string> hostSteps(const Variant &V) {
  std::vector<std::string> Result;
  for (const Rewrite &R : V.Rewrites)
    if (R.Kernel.empty())
      Result.push_back(R.Rule + "\n" + R.Subject + "\n" + toString(R.Params));
  return Result;
}

/// The log speedup of \p A over a span of the GPU's work that takes \p SpanMs
/// in the original. What was measured of kernels alone saves there what the
/// kernels save: where the GPU waits for the host that counts for little.
static LogSpeedup logSpeedupOfSpan(const Attempt &A, double SpanMs) {
  LogSpeedup Result = logSpeedup(A.Result);
  const Measurement &M = A.Result;
  if (M.Part == TimedPart::GpuSpan || SpanMs <= 0 || !M.Original || !M.Variant)
    return Result;
  // Where all kernels count, those of a library count too.
  double Saved =
      A.Kernels.empty() ? M.Original->KernelMs - M.Variant->KernelMs : 0;
  for (const KernelTime &K : M.Original->Kernels)
    if (llvm::is_contained(A.Kernels, K.Name))
      Saved += K.undisturbedMs() - msOf(M.Variant, K.Name).value_or(0);
  if (Saved < SpanMs)
    Result.Mean = std::log(SpanMs / (SpanMs - Saved));
  return Result;
}

/// The span of the original, as the one measured that has it.
static double originalSpanMs(const Attempt &A, const Attempt &B) {
  for (const Attempt *Each : {&A, &B})
    if (Each->Result.Part == TimedPart::GpuSpan && Each->Result.Original)
      return Each->Result.Original->GpuSpanMs;
  return 0;
}

LogSpeedup cudal1::logGain(const Attempt &New, const Attempt *Old) {
  if (!Old)
    return logSpeedup(New.Result);
  // Where the host does the same in both, the kernels tell them apart best.
  if (hostSteps(New.What) != hostSteps(Old->What)) {
    double SpanMs = originalSpanMs(New, *Old);
    LogSpeedup N = logSpeedupOfSpan(New, SpanMs);
    LogSpeedup O = logSpeedupOfSpan(*Old, SpanMs);
    return {N.Mean - O.Mean, std::hypot(N.StandardError, O.StandardError)};
  }
  std::set<std::string> Union(New.Kernels.begin(), New.Kernels.end());
  Union.insert(Old->Kernels.begin(), Old->Kernels.end());
  // An attempt without names speaks for all kernels, and so does the union.
  if (New.Kernels.empty() || Old->Kernels.empty())
    for (const Attempt *A : {&New, Old})
      for (const auto &Times : {A->Result.Original, A->Result.Variant})
        if (Times)
          for (const KernelTime &K : Times->Kernels)
            Union.insert(K.Name);
  LogSpeedup N = logSpeedupOver(New, *Old, Union),
             O = logSpeedupOver(*Old, New, Union);
  return {N.Mean - O.Mean, std::hypot(N.StandardError, O.StandardError)};
}

bool cudal1::isBetter(const Attempt &New, const Attempt *Old) {
  if (New.Result.Outcome != Verdict::Faster)
    return false;
  if (!Old)
    return true;
  LogSpeedup Gain = logGain(New, Old);
  return Gain.Mean > SmallestGain &&
         Gain.Mean > HalfWidth95 * Gain.StandardError;
}

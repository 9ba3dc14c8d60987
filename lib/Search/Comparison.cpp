//===- Comparison.cpp - Which of two Variants is faster -------------------===//

#include "cudal1/Search/Comparison.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

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

/// Milliseconds in the kernels of \p Names; in all kernels when it is empty.
static double totalMs(const RunTimes &Times, const llvm::StringSet<> &Names) {
  double Sum = 0;
  for (const KernelTime &K : Times.Kernels)
    if (Names.empty() || Names.contains(K.Name))
      Sum += K.undisturbedMs();
  return Sum;
}

/// The log speedup of \p A over other kernels than its own.
static LogSpeedup logSpeedupOver(const Attempt &A,
                                 const llvm::StringSet<> &Names) {
  LogSpeedup Result = logSpeedup(A.Result);
  llvm::StringSet<> Own;
  for (const std::string &Name : A.Kernels)
    Own.insert(Name);
  bool SameSet = Own.size() == Names.size() &&
                 llvm::all_of(Own.keys(), [&](llvm::StringRef Name) {
                   return Names.contains(Name);
                 });
  if (SameSet || !A.Result.Original || !A.Result.Variant)
    return Result;
  double Before = totalMs(*A.Result.Original, Names);
  double After = totalMs(*A.Result.Variant, Names);
  if (Before > 0 && After > 0)
    Result.Mean = std::log(Before / After);
  return Result;
}

LogSpeedup cudal1::logGain(const Attempt &New, const Attempt *Old) {
  if (!Old)
    return logSpeedup(New.Result);
  llvm::StringSet<> Union;
  // An attempt without names speaks for all kernels, and so does the union.
  if (!New.Kernels.empty() && !Old->Kernels.empty()) {
    for (const std::string &Name : New.Kernels)
      Union.insert(Name);
    for (const std::string &Name : Old->Kernels)
      Union.insert(Name);
  }
  LogSpeedup N = logSpeedupOver(New, Union), O = logSpeedupOver(*Old, Union);
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

//===- Measurement.cpp - What measuring one Variant found -----------------===//

#include "cudal1/Measure/Measurement.h"
#include "cudal1/Measure/Statistics.h"
#include <algorithm>

using namespace cudal1;

void ErrorFigures::merge(const ErrorFigures &Other) {
  ValuesCompared += Other.ValuesCompared;
  Mismatches += Other.Mismatches;
  Differing += Other.Differing;
  MaxAbsolute = std::max(MaxAbsolute, Other.MaxAbsolute);
  MaxRelative = std::max(MaxRelative, Other.MaxRelative);
  MaxUlp = std::max(MaxUlp, Other.MaxUlp);
}

/// Launches that differ by no more than this factor do the same work.
static constexpr double AlikeLaunches = 1.5;

double KernelTime::undisturbedMs() const {
  bool Alike = ShortestMs > 0 && LongestMs <= AlikeLaunches * ShortestMs;
  return Alike ? double(Launches) * MedianMs : TotalMs;
}

RunTimes cudal1::medianOf(llvm::ArrayRef<RunTimes> Runs) {
  if (Runs.empty())
    return {};
  auto MedianBy = [&](auto Field) {
    std::vector<double> Values;
    for (const RunTimes &Run : Runs)
      Values.push_back(Field(Run));
    return median(std::move(Values));
  };
  RunTimes Result;
  Result.KernelMs = MedianBy([](const RunTimes &R) { return R.KernelMs; });
  Result.CopyMs = MedianBy([](const RunTimes &R) { return R.CopyMs; });
  Result.GpuBusyMs = MedianBy([](const RunTimes &R) { return R.GpuBusyMs; });
  Result.GpuSpanMs = MedianBy([](const RunTimes &R) { return R.GpuSpanMs; });
  Result.WallMs = MedianBy([](const RunTimes &R) { return R.WallMs; });
  for (KernelTime Kernel : Runs.front().Kernels) {
    auto Find = [&](const RunTimes &R) {
      for (const KernelTime &K : R.Kernels)
        if (K.Name == Kernel.Name)
          return K;
      return KernelTime();
    };
    Kernel.TotalMs =
        MedianBy([&](const RunTimes &R) { return Find(R).TotalMs; });
    Kernel.MedianMs =
        MedianBy([&](const RunTimes &R) { return Find(R).MedianMs; });
    Kernel.ShortestMs =
        MedianBy([&](const RunTimes &R) { return Find(R).ShortestMs; });
    Kernel.LongestMs =
        MedianBy([&](const RunTimes &R) { return Find(R).LongestMs; });
    Result.Kernels.push_back(std::move(Kernel));
  }
  return Result;
}

llvm::json::Value cudal1::toJSON(const RunTimes &T) {
  llvm::json::Array Kernels;
  for (const KernelTime &K : T.Kernels)
    Kernels.push_back(llvm::json::Object{{"name", K.Name},
                                         {"displayName", K.DisplayName},
                                         {"launches", K.Launches},
                                         {"totalMs", K.TotalMs},
                                         {"medianMs", K.MedianMs}});
  return llvm::json::Object{{"kernels", std::move(Kernels)},
                            {"kernelMs", T.KernelMs},
                            {"copyMs", T.CopyMs},
                            {"gpuBusyMs", T.GpuBusyMs},
                            {"gpuSpanMs", T.GpuSpanMs},
                            {"wallMs", T.WallMs}};
}

llvm::json::Value cudal1::toJSON(const Measurement &M) {
  llvm::json::Object Result{{"verdict", toString(M.Outcome)},
                            {"engine", M.Engine},
                            {"pairs", M.Pairs},
                            {"evidence", llvm::json::Array(M.Evidence)}};
  if (M.Original)
    Result["original"] = toJSON(*M.Original);
  if (M.Variant)
    Result["variant"] = toJSON(*M.Variant);
  if (M.Speedup)
    Result["speedup"] = *M.Speedup;
  if (M.SpeedupLow && M.SpeedupHigh)
    Result["speedupInterval"] =
        llvm::json::Array{*M.SpeedupLow, *M.SpeedupHigh};
  Result["errors"] =
      llvm::json::Object{{"valuesCompared", M.Errors.ValuesCompared},
                         {"mismatches", M.Errors.Mismatches},
                         {"differing", M.Errors.Differing},
                         {"maxAbsolute", M.Errors.MaxAbsolute},
                         {"maxRelative", M.Errors.MaxRelative},
                         {"maxUlp", M.Errors.MaxUlp}};
  return Result;
}

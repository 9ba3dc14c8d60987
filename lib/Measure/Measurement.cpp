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

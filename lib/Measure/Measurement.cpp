//===- Measurement.cpp - What measuring one Variant found -----------------===//

#include "cudal1/Measure/Measurement.h"
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

//===- Timings.cpp - The pairs of launches behind a verdict ---------------===//

#include "Timings.h"
#include "llvm/Demangle/Demangle.h"
#include <map>

using namespace cudal1;

namespace {
constexpr double MsPerUs = 1e-3;
} // namespace

void ReplayTimings::add(llvm::ArrayRef<std::vector<TimedPair>> ByCase) {
  size_t Count = ByCase.front().size();
  for (size_t I = 0; I < Count; ++I) {
    double Original = 0, Variant = 0;
    for (size_t C = 0; C < Cases.size(); ++C) {
      double Weight = double(Cases[C]->Launches);
      Original += Weight * ByCase[C][I].OriginalUs;
      Variant += Weight * ByCase[C][I].VariantUs;
      Samples[C].push_back(ByCase[C][I]);
    }
    Comparison.addPair(Original, Variant);
    ++Pairs;
  }
}

std::optional<Verdict> ReplayTimings::decide(bool TimeIsUp) const {
  std::optional<Verdict> Decided = Comparison.decide();
  if (TimeIsUp && !Decided && Pairs >= Rule.MinPairs)
    return Comparison.decideNow();
  return Decided;
}

bool ReplayTimings::staysBelow(double Speedup) const {
  return Pairs >= Rule.MinPairs && Comparison.estimate().High < Speedup;
}

double ReplayTimings::variantUs(size_t Case) const {
  std::vector<double> Us;
  for (const TimedPair &Pair : Samples[Case])
    Us.push_back(Pair.VariantUs);
  return median(Us);
}

RunTimes ReplayTimings::timesOf(double TimedPair::*Which) const {
  RunTimes Times;
  for (size_t C = 0; C < Cases.size(); ++C) {
    std::vector<double> Ms;
    for (const TimedPair &Pair : Samples[C])
      Ms.push_back(MsPerUs * Pair.*Which);
    const std::string &Name = Cases[C]->Where.Kernel;
    auto Entry = llvm::find_if(
        Times.Kernels, [&](const KernelTime &T) { return T.Name == Name; });
    if (Entry == Times.Kernels.end()) {
      KernelTime New;
      New.Name = Name;
      New.DisplayName = llvm::demangle(Name);
      New.ShortestMs = std::numeric_limits<double>::infinity();
      Entry = Times.Kernels.insert(Times.Kernels.end(), New);
    }
    double Middle = median(Ms);
    Entry->Launches += Cases[C]->Launches;
    Entry->TotalMs += Middle * double(Cases[C]->Launches);
    Entry->MedianMs = Entry->TotalMs / double(Entry->Launches);
    Entry->ShortestMs = std::min(Entry->ShortestMs, *llvm::min_element(Ms));
    Entry->LongestMs = std::max(Entry->LongestMs, *llvm::max_element(Ms));
  }
  for (const KernelTime &T : Times.Kernels)
    Times.KernelMs += T.TotalMs;
  Times.GpuBusyMs = Times.GpuSpanMs = Times.KernelMs;
  return Times;
}

void ReplayTimings::conclude(Verdict Decided, Measurement &M) const {
  SpeedupEstimate Estimate = Comparison.estimate();
  M.Outcome = Decided;
  M.Original = timesOf(&TimedPair::OriginalUs);
  M.Variant = timesOf(&TimedPair::VariantUs);
  M.Speedup = Estimate.Speedup;
  if (Estimate.Pairs - Estimate.Outliers >= 2) {
    M.SpeedupLow = Estimate.Low;
    M.SpeedupHigh = Estimate.High;
  }
  M.Pairs = Estimate.Pairs;
  if (Estimate.Outliers)
    M.Evidence.push_back(std::to_string(Estimate.Outliers) + " of " +
                         std::to_string(Estimate.Pairs) +
                         " pairs of launches were outliers and left out");
}

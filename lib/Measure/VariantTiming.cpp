//===- VariantTiming.cpp - The pairs of runs behind a verdict -------------===//

#include "VariantTiming.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace cudal1;

namespace {

/// A whole program whose mean speedup is below this is looked at again, until
/// there are this many pairs.
constexpr double WorseWholeSpeedup = 0.97;
constexpr size_t PairsForTheWhole = 6;

bool looksWorse(const PairedComparison &Whole) {
  return Whole.estimate().Speedup < WorseWholeSpeedup;
}

} // namespace

double VariantTiming::decidingMs(const RunTimes &Times) const {
  return Part == TimedPart::GpuSpan ? Times.GpuSpanMs : TouchedMs(Times);
}

llvm::StringRef VariantTiming::decidingPart() const {
  return Part == TimedPart::GpuSpan
             ? "the time from the first to the last work on the GPU is less"
             : "the touched kernels are faster";
}

bool VariantTiming::addPair(RunTimes Before, RunTimes After) {
  double TouchedBefore = decidingMs(Before), TouchedAfter = decidingMs(After);
  if (TouchedBefore <= 0 || TouchedAfter <= 0)
    return false;
  Touched.addPair(TouchedBefore, TouchedAfter);
  Gpu.addPair(Before.GpuBusyMs, After.GpuBusyMs);
  Wall.addPair(Before.WallMs, After.WallMs);
  Original.push_back(std::move(Before));
  Variant.push_back(std::move(After));
  return true;
}

bool VariantTiming::staysBelow(double Speedup) const {
  return pairs() >= Rule.MinPairs && Touched.estimate().High < Speedup;
}

std::optional<Verdict> VariantTiming::decide(bool TimeIsUp) const {
  std::optional<Verdict> Decided = Touched.decide();
  // One pair has no interval: a slow program gets MinPairs whatever they take.
  if (TimeIsUp && (Decided || pairs() >= Rule.MinPairs))
    return Decided ? *Decided : Touched.decideNow();
  // Two pairs may settle the kernels, but not the whole program, whose time is
  // noisier. Look longer where it seems to lose.
  bool WholeLooksWorse = (!holdsGpuTime() && looksWorse(Gpu)) ||
                         (!LoadsLibrary && looksWorse(Wall));
  if (Decided == Verdict::Faster && WholeLooksWorse &&
      pairs() < PairsForTheWhole)
    return std::nullopt;
  return Decided;
}

void VariantTiming::describeLibrary(Measurement &M) const {
  // Kernels and the rest of the span, which holds the start of the library.
  double Before = M.Original->GpuSpanMs - M.Original->GpuBusyMs;
  double After = M.Variant->GpuSpanMs - M.Variant->GpuBusyMs;
  std::string Text;
  llvm::raw_string_ostream(Text)
      << "the speedup is that of the kernels, the library's included. The "
         "library is loaded once a run: while the GPU waits, "
      << llvm::format("%.1f ms pass, %.1f in the original", After, Before)
      << llvm::format("; the whole run takes %.0f ms, %.0f in the original",
                      M.Variant->WallMs, M.Original->WallMs);
  M.Evidence.push_back(Text);
}

void VariantTiming::demoteIfWorse(const PairedComparison &Whole,
                                  llvm::StringRef Name, Measurement &M) const {
  SpeedupEstimate Estimate = Whole.estimate(Rule.DecisionConfidence);
  if (Estimate.High >= 1 / (1 + Rule.Margin))
    return;
  M.Outcome = Verdict::Slower;
  std::string Text;
  llvm::raw_string_ostream(Text)
      << decidingPart() << ", but " << Name << " is slower: "
      << llvm::format("%.3f [%.3f, %.3f]", Estimate.Speedup, Estimate.Low,
                      Estimate.High);
  M.Evidence.push_back(Text);
}

void VariantTiming::conclude(Verdict OfTouched, Measurement &M) const {
  SpeedupEstimate Estimate = Touched.estimate();
  M.Outcome = OfTouched;
  M.Part = Part;
  if (Part == TimedPart::GpuSpan)
    M.Evidence.push_back("the speedup is that of the time from the program's "
                         "first to its last work on the GPU, with what the "
                         "host does in between and the calls that make and "
                         "release memory, streams and graphs");
  M.Original = medianOf(Original);
  M.Variant = medianOf(Variant);
  M.Speedup = Estimate.Speedup;
  if (Estimate.Pairs - Estimate.Outliers >= 2) {
    M.SpeedupLow = Estimate.Low;
    M.SpeedupHigh = Estimate.High;
  }
  M.Pairs = Estimate.Pairs;
  if (Estimate.Outliers)
    M.Evidence.push_back(std::to_string(Estimate.Outliers) + " of " +
                         std::to_string(Estimate.Pairs) +
                         " pairs of runs were outliers and left out");
  if (M.Outcome == Verdict::Faster && !holdsGpuTime())
    demoteIfWorse(Gpu, "the GPU's time of the whole program", M);
  if (LoadsLibrary)
    describeLibrary(M);
  else if (M.Outcome == Verdict::Faster)
    demoteIfWorse(Wall, "the whole program by the wall clock", M);
}

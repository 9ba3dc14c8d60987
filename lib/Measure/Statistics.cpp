//===- Statistics.cpp - Is one program faster than another? ---------------===//

#include "cudal1/Measure/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace cudal1;

namespace {

/// Values this many scaled median deviations from the median are outliers.
constexpr double OutlierDistance = 5;
/// Median absolute deviation → standard deviation, for normal noise.
constexpr double DeviationPerMad = 1.4826;
/// Nothing is called an outlier among fewer values.
constexpr size_t MinValuesForOutliers = 8;
/// At most this share is left out: more is no outlier but the way it is.
constexpr double MaxOutlierShare = 0.25;

/// When no more pairs can be had, an interval within this many margins and a
/// mean within one are as good as the same.
constexpr double LateMargins = 2;

/// Continued fraction of the incomplete beta function (the modified
/// Lentz method).
double betaFraction(double A, double B, double X) {
  constexpr int MaxSteps = 300;
  constexpr double Precision = 1e-14;
  constexpr double Tiny = 1e-300;
  auto AwayFromZero = [](double Value) {
    return std::abs(Value) < Tiny ? Tiny : Value;
  };
  double C = 1, D = 1 / AwayFromZero(1 - (A + B) * X / (A + 1)), H = D;
  for (int M = 1; M <= MaxSteps; ++M) {
    double Even = M * (B - M) * X / ((A + 2 * M - 1) * (A + 2 * M));
    D = 1 / AwayFromZero(1 + Even * D);
    C = AwayFromZero(1 + Even / C);
    H *= D * C;
    double Odd = -(A + M) * (A + B + M) * X / ((A + 2 * M) * (A + 2 * M + 1));
    D = 1 / AwayFromZero(1 + Odd * D);
    C = AwayFromZero(1 + Odd / C);
    H *= D * C;
    if (std::abs(D * C - 1) < Precision)
      break;
  }
  return H;
}

double incompleteBeta(double A, double B, double X) {
  if (X <= 0 || X >= 1)
    return X <= 0 ? 0 : 1;
  double Front = std::exp(std::lgamma(A + B) - std::lgamma(A) - std::lgamma(B) +
                          A * std::log(X) + B * std::log1p(-X));
  return X < (A + 1) / (A + B + 2) ? Front * betaFraction(A, B, X) / A
                                   : 1 - Front * betaFraction(B, A, 1 - X) / B;
}

/// The values without outliers.
std::vector<double> withoutOutliers(const std::vector<double> &Values,
                                    double MinDeviation) {
  if (Values.size() < MinValuesForOutliers)
    return Values;
  double Middle = median(Values);
  std::vector<double> Distances;
  Distances.reserve(Values.size());
  for (double Value : Values)
    Distances.push_back(std::abs(Value - Middle));
  double Limit = OutlierDistance *
                 std::max(DeviationPerMad * median(Distances), MinDeviation);
  std::vector<double> Kept;
  for (double Value : Values)
    if (std::abs(Value - Middle) <= Limit)
      Kept.push_back(Value);
  bool TooMany = double(Values.size() - Kept.size()) >
                 MaxOutlierShare * double(Values.size());
  return TooMany ? Values : Kept;
}

} // namespace

double cudal1::median(std::vector<double> Values) {
  if (Values.empty())
    return 0;
  auto Half = ptrdiff_t(Values.size() / 2);
  std::nth_element(Values.begin(), Values.begin() + Half, Values.end());
  double Upper = Values[Half];
  if (Values.size() % 2)
    return Upper;
  return (Upper + *std::max_element(Values.begin(), Values.begin() + Half)) / 2;
}

MeanAndDeviation cudal1::meanAndDeviation(llvm::ArrayRef<double> Values) {
  if (Values.empty())
    return {};
  double Count = double(Values.size());
  double Mean = std::accumulate(Values.begin(), Values.end(), 0.0) / Count;
  double Squares = 0;
  for (double Value : Values)
    Squares += (Value - Mean) * (Value - Mean);
  return {Mean, Count > 1 ? std::sqrt(Squares / (Count - 1)) : 0};
}

double cudal1::studentQuantile(double Confidence, unsigned DegreesOfFreedom) {
  double Freedom = DegreesOfFreedom;
  auto OutsideOf = [&](double T) {
    return incompleteBeta(Freedom / 2, 0.5, Freedom / (Freedom + T * T));
  };
  double Low = 0, High = 1;
  while (OutsideOf(High) > 1 - Confidence)
    High *= 2;
  constexpr int Bisections = 80;
  for (int I = 0; I < Bisections; ++I) {
    double Middle = (Low + High) / 2;
    (OutsideOf(Middle) > 1 - Confidence ? Low : High) = Middle;
  }
  return (Low + High) / 2;
}

void PairedComparison::addPair(double OriginalTime, double VariantTime) {
  Logs.push_back(std::log(OriginalTime / VariantTime));
}

PairedComparison::Interval PairedComparison::interval(double Confidence) const {
  std::vector<double> Kept = withoutOutliers(Logs, Rule.MinDeviation);
  MeanAndDeviation Stats = meanAndDeviation(Kept);
  if (Kept.size() < 2)
    return {-std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::infinity(), Stats.Mean,
            unsigned(Kept.size())};
  double Deviation = std::max(Stats.Deviation, Rule.MinDeviation);
  double Half = studentQuantile(Confidence, Kept.size() - 1) * Deviation /
                std::sqrt(double(Kept.size()));
  return {Stats.Mean - Half, Stats.Mean + Half, Stats.Mean,
          unsigned(Kept.size())};
}

std::optional<Verdict> PairedComparison::decideBy(double Confidence) const {
  Interval I = interval(Confidence);
  double Margin = std::log1p(Rule.Margin);
  if (I.Low > Margin)
    return Verdict::Faster;
  if (I.High < -Margin)
    return Verdict::Slower;
  if (I.Low > -Margin && I.High < Margin)
    return Verdict::Same;
  return std::nullopt;
}

std::optional<Verdict> PairedComparison::decide() const {
  if (!Logs.empty() && Logs.front() < -std::log(Rule.GiveUpRatio) &&
      (Logs.size() == 1 || Logs.back() < -std::log(Rule.GiveUpRatio)))
    return Verdict::Slower;
  if (Logs.size() < Rule.MinPairs)
    return std::nullopt;
  // No gain can come of pairs that all lose clearly; the interval of few pairs
  // would need more of them to say so.
  if (llvm::all_of(
          Logs, [&](double Log) { return Log < -std::log(Rule.LosingRatio); }))
    return Verdict::Slower;
  // An odd number of pairs would not cancel a drift.
  if (Logs.size() % 2 == 0)
    if (std::optional<Verdict> Early = decideBy(Rule.DecisionConfidence))
      return Early;
  if (Logs.size() < Rule.MaxPairs)
    return std::nullopt;
  return decideNow();
}

Verdict PairedComparison::decideNow() const {
  if (std::optional<Verdict> V = decideBy(Rule.ReportConfidence))
    return *V;
  // Nothing that matters was seen, and nothing large can hide in the noise.
  Interval I = interval(Rule.ReportConfidence);
  double Margin = std::log1p(Rule.Margin);
  if (std::abs(I.Mean) < Margin && I.Low > -LateMargins * Margin &&
      I.High < LateMargins * Margin)
    return Verdict::Same;
  return Verdict::Ambiguous;
}

SpeedupEstimate PairedComparison::estimate(double Confidence) const {
  Interval I = interval(Confidence);
  SpeedupEstimate Result;
  Result.Speedup = std::exp(I.Mean);
  Result.Low = std::exp(I.Low);
  Result.High = std::exp(I.High);
  Result.Pairs = unsigned(Logs.size());
  Result.Outliers = Result.Pairs - I.Kept;
  return Result;
}

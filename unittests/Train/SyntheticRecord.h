//===- SyntheticRecord.h - A made-up record for tests -----------*- C++ -*-===//
///
/// \file
/// No measurements: kernels whose speedups follow a simple law, so that a test
/// can tell whether something was learnt. Never used to train what is shipped.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_UNITTESTS_SYNTHETICRECORD_H
#define CUDAL1_UNITTESTS_SYNTHETICRECORD_H

#include "RecordJson.h"
#include "cudal1/Train/Random.h"
#include <cmath>
#include <set>

namespace cudal1 {

/// The law: each step gains what its rule and parameter are worth for the
/// kernel's features; gains of different rules add up. `advice` does not know
/// the features.
class SyntheticKernel {
public:
  SyntheticKernel(std::string Family, unsigned Number)
      : R(Random::of(99, Family, Number, 0)) {
    K.Family = Family;
    K.Program = Family + "/k" + std::to_string(Number);
    K.Kernel = "kernel" + std::to_string(Number);
    Strided = static_cast<double>(R.below(6));
    Loops = static_cast<double>(R.below(4));
    Blocks = std::exp2(static_cast<double>(R.below(8)) - 3);
    BestFactor = int64_t(1) << (1 + R.below(4));
    for (int64_t Factor : {2, 4, 8, 16})
      Steps.push_back({"unroll-loop", "k", {{"factor", Factor}}});
    for (int64_t X : {64, 128, 512})
      Steps.push_back({"block-size", "", {{"x", X}}});
    Steps.push_back({"swap-thread-indices", "", {}});
    Steps.push_back({"split-work", "", {{"parts", 4}}});
    Steps.push_back({"fast-math", "", {}});
    Steps.push_back({"const-restrict", "", {}});
    Steps.push_back({"stage-shared", "a", {{"tile", 16}}});
  }

  /// Nodes of at most \p Depth steps.
  RecordedKernel make(unsigned Depth) {
    K.Root = nameOf({});
    add({}, Depth);
    return K;
  }

private:
  using Set = std::set<size_t>;

  /// Log speedup of one step; nothing when it fails.
  std::optional<double> gain(size_t I) const {
    const StepKey &S = Steps[I];
    if (S.Rule == "unroll-loop") {
      double Off =
          std::abs(std::log2(static_cast<double>(S.Params.at("factor"))) -
                   std::log2(static_cast<double>(BestFactor)));
      return (0.4 - 0.25 * Off) * (Loops > 0 ? 1 : 0.1);
    }
    if (S.Rule == "block-size")
      return S.Params.at("x") == 128 ? 0.08 : -0.15;
    if (S.Rule == "swap-thread-indices")
      return 0.3 * Strided - 0.4;
    if (S.Rule == "split-work")
      return Blocks < 1 ? 1.2 : -0.6;
    if (S.Rule == "stage-shared")
      return Loops > 2 ? std::nullopt : std::optional(0.05);
    return S.Rule == "fast-math" ? 0.01 : 0.0;
  }
  static std::string nameOf(const Set &Done) {
    uint64_t Bits = 1;
    for (size_t I : Done)
      Bits |= uint64_t(2) << I;
    char Buffer[17];
    std::snprintf(Buffer, sizeof Buffer, "%016llx",
                  static_cast<unsigned long long>(Bits));
    return Buffer;
  }
  bool has(const Set &Done, const std::string &Rule) const {
    for (size_t I : Done)
      if (Steps[I].Rule == Rule)
        return true;
    return false;
  }
  double total(const Set &Done) const {
    double Sum = 0;
    for (size_t I : Done)
      Sum += gain(I).value_or(0);
    return Sum;
  }
  void add(const Set &Done, unsigned Left) {
    std::string Name = nameOf(Done);
    if (K.Nodes.count(Name) || Left == 0)
      return;
    RecordedNode N;
    for (size_t I : Done)
      N.Applied.push_back(Steps[I]);
    N.LogSpeedup = total(Done);
    N.State = {{"strided", Strided},
               {"loops", Loops},
               {"blocksPerMultiprocessor", Blocks},
               {"occupancy", 0.5},
               {"statements", 10.0 + static_cast<double>(Done.size())}};
    for (size_t I = 0; I < Steps.size(); ++I)
      if (!has(Done, Steps[I].Rule))
        N.Actions.push_back(action(Done, I));
    K.Nodes[Name] = N;
    for (size_t I = 0; I < Steps.size(); ++I)
      if (!has(Done, Steps[I].Rule) && gain(I)) {
        Set More = Done;
        More.insert(I);
        add(More, Left - 1);
      }
  }
  RecordedAction action(const Set &Done, size_t I) const {
    RecordedAction A;
    A.Step.Key = Steps[I];
    A.Step.Features = {{"advice", 0.1}, {"exact", 1}};
    Set More = Done;
    More.insert(I);
    A.To = nameOf(More);
    if (!gain(I)) {
      A.Verdict = Outcome::WrongResult;
      return A;
    }
    A.LogSpeedup = total(More);
    A.Low = A.LogSpeedup - 0.005;
    A.High = A.LogSpeedup + 0.005;
    A.Verdict = *gain(I) > 0.01    ? Outcome::Faster
                : *gain(I) < -0.01 ? Outcome::Slower
                                   : Outcome::Same;
    return A;
  }

  Random R;
  RecordedKernel K;
  double Strided, Loops, Blocks;
  int64_t BestFactor;
  std::vector<StepKey> Steps;
};

inline std::string syntheticLines(unsigned PerFamily) {
  std::string Result = nlohmann::json{{"format", RecordFormat},
                                      {"version", RecordVersion},
                                      {"gpu", {{"name", "none: synthetic"}}}}
                           .dump() +
                       "\n";
  for (const char *Family : {"alpha", "beta", "gamma", "delta"})
    for (unsigned N = 0; N < PerFamily; ++N) {
      RecordedKernel K = SyntheticKernel(Family, N).make(3);
      for (const auto &[Name, Node] : K.Nodes)
        Result += toJson(K, Name, Node).dump() + "\n";
    }
  return Result;
}

inline constexpr const char *SyntheticFamilies =
    "[family.alpha]\nheld_out = false\n[family.beta]\nheld_out = false\n"
    "[family.gamma]\nheld_out = false\n[family.delta]\nheld_out = true\n";

} // namespace cudal1

#endif // CUDAL1_UNITTESTS_SYNTHETICRECORD_H

//===- Evaluation.cpp - The policy against what needs no training ---------===//

#include "cudal1/Train/Evaluation.h"
#include <cmath>
#include <functional>
#include <numbers>

using namespace cudal1;

/// A proposal counts as slower, or as faster, from these log speedups on.
static const double SlowerFrom = std::log(0.98);
static const double FasterFrom = std::log(1.01);
/// The share of the best known that For90 asks for.
static constexpr double EnoughShare = 0.9;

using SearchOf =
    std::function<SearchCurve(RecordedEnvironment &, unsigned Repetition)>;

static SearchFigures figuresOf(const std::string &Name, unsigned Repetitions,
                               std::vector<RecordedEnvironment> &Kernels,
                               const TrainConfig &C, const SearchOf &Search) {
  size_t Points = C.Episode.Measurements + 1;
  SearchFigures F;
  F.Name = Name;
  F.Share.assign(Points, 0);
  F.Speedup.assign(Points, 0);
  double Counted = 0, All = 0;
  for (RecordedEnvironment &E : Kernels)
    for (unsigned N = 0; N < Repetitions; ++N) {
      SearchCurve Curve = Search(E, N);
      bool Counts = E.bestKnown() / std::numbers::ln2 >= C.Data.SmallestBest;
      for (size_t I = 0; I < Points; ++I) {
        F.Speedup[I] += Curve[I];
        if (Counts)
          F.Share[I] += Curve[I] / E.bestKnown();
      }
      Counted += Counts;
      ++All;
    }
  for (size_t I = 0; I < Points; ++I) {
    F.Share[I] /= std::max(1.0, Counted);
    F.Speedup[I] = std::exp(F.Speedup[I] / std::max(1.0, All));
    if (F.For90 == 0 && F.Share[I] >= EnoughShare)
      F.For90 = static_cast<unsigned>(I);
  }
  return F;
}

static ProposalFigures proposalsOf(const NamedScorer &Policy,
                                   std::vector<RecordedEnvironment> &Kernels,
                                   const TrainConfig &C) {
  ProposalFigures F;
  F.Name = Policy.Name;
  F.Kernels = Kernels.size();
  double Sum = 0, Share = 1.0 / static_cast<double>(Kernels.size());
  for (RecordedEnvironment &E : Kernels) {
    bool Failed = false;
    double Speedup = propose(*Policy.S, E, C.Episode.MaxSteps,
                             Policy.ProposalStopFrom, Failed);
    F.Refused += Failed;
    F.NotSlower += Speedup >= SlowerFrom ? Share : 0;
    F.Faster += Speedup > FasterFrom ? Share : 0;
    Sum += Speedup * Share;
  }
  F.Speedup = std::exp(Sum);
  return F;
}

EvaluationReport
cudal1::evaluatePolicies(const std::vector<NamedScorer> &Policies,
                         std::vector<RecordedEnvironment> &Kernels,
                         const TrainConfig &C) {
  EvaluationReport Report;
  Report.Kernels = Kernels.size();
  for (RecordedEnvironment &E : Kernels)
    Report.WithSomething +=
        E.bestKnown() / std::numbers::ln2 >= C.Data.SmallestBest;
  AdviceScorer Advice;
  std::vector<NamedScorer> All = Policies;
  All.push_back({"greedy by advice", &Advice});
  for (const NamedScorer &Policy : All) {
    Report.Searches.push_back(figuresOf(
        Policy.Name, 1, Kernels, C, [&](RecordedEnvironment &E, unsigned) {
          return searchWith(*Policy.S, E, C.Episode);
        }));
    Report.Proposals.push_back(proposalsOf(Policy, Kernels, C));
  }
  auto Chance = [&](RecordedEnvironment &E, unsigned N) {
    return Random::of(C.Seed, E.name(), N, 0);
  };
  Report.Searches.push_back(figuresOf("evolutionary", RandomSeeds, Kernels, C,
                                      [&](RecordedEnvironment &E, unsigned N) {
                                        Random R = Chance(E, N);
                                        return searchByEvolution(
                                            E, C.Episode.Measurements, R);
                                      }));
  Report.Searches.push_back(figuresOf("random", RandomSeeds, Kernels, C,
                                      [&](RecordedEnvironment &E, unsigned N) {
                                        Random R = Chance(E, N);
                                        return searchRandomly(
                                            E, C.Episode.Measurements, R);
                                      }));
  return Report;
}

//===- Searches.cpp - How well a kernel is optimised in N measurements ----===//

#include "cudal1/Train/Searches.h"
#include "cudal1/Train/Proposal.h"
#include <algorithm>
#include <set>

using namespace cudal1;

/// As in RandomSearch of the optimiser.
static constexpr size_t MaxRandomSteps = 4;
static constexpr unsigned MaxStaleDraws = 50;
/// Of the evolutionary search: those that may be parents, and how often the
/// original is one.
static constexpr size_t Population = 4;
static constexpr double FromOriginal = 0.2;

static void fill(SearchCurve &Curve, unsigned Measurements) {
  Curve.resize(Measurements + 1, Curve.back());
}

SearchCurve cudal1::searchWith(const Scorer &S, Environment &E,
                               EpisodeRules Rules) {
  Rules.Reopen = true;
  SearchEpisode Episode(E, Rules);
  SearchCurve Curve{0};
  while (!Episode.isOver()) {
    std::vector<double> Choices = S.choices(Episode.decision());
    Episode.choose(bestChoice(Choices, Episode.mayStop(), StopFrom));
    if (Episode.measured() == Curve.size())
      Curve.push_back(Episode.best());
  }
  fill(Curve, Rules.Measurements);
  return Curve;
}

SearchCurve cudal1::searchRandomly(Environment &E, unsigned Measurements,
                                   Random &R) {
  SearchCurve Curve{0};
  std::set<NodeId> Measured{E.root()};
  unsigned Stale = 0;
  while (Curve.size() <= Measurements && Stale++ < MaxStaleDraws) {
    NodeId From = NoNode, At = E.root();
    size_t Action = 0;
    for (size_t Left = 1 + R.below(MaxRandomSteps); Left; --Left) {
      const NodeView &View = E.node(At);
      if (View.Actions.empty())
        break;
      size_t A = R.below(View.Actions.size());
      NodeId To = E.lead(At, A);
      if (To == NoNode)
        break;
      From = At;
      Action = A;
      At = To;
    }
    if (From == NoNode || !Measured.insert(At).second)
      continue;
    Stale = 0;
    StepResult Result = E.measure(From, Action);
    double Speedup = isFailure(Result.Verdict) ? 0 : Result.LogSpeedup;
    Curve.push_back(std::max(Curve.back(), Speedup));
  }
  fill(Curve, Measurements);
  return Curve;
}

SearchCurve cudal1::searchByEvolution(Environment &E, unsigned Measurements,
                                      Random &R) {
  SearchCurve Curve{0};
  std::set<NodeId> Measured{E.root()};
  std::vector<std::pair<double, NodeId>> Parents{{0, E.root()}};
  unsigned Stale = 0;
  while (Curve.size() <= Measurements && Stale++ < MaxStaleDraws) {
    std::vector<double> Weights;
    for (size_t I = 0; I < std::min(Population, Parents.size()); ++I)
      Weights.push_back(1.0 / static_cast<double>(I + 1));
    NodeId From = R.unit() < FromOriginal ? E.root()
                                          : Parents[R.weighted(Weights)].second;
    const NodeView &View = E.node(From);
    if (View.Actions.empty())
      continue;
    size_t A = R.below(View.Actions.size());
    NodeId To = E.lead(From, A);
    if (To == NoNode || !Measured.insert(To).second)
      continue;
    Stale = 0;
    StepResult Result = E.measure(From, A);
    if (isFailure(Result.Verdict)) {
      Curve.push_back(Curve.back());
      continue;
    }
    Curve.push_back(std::max(Curve.back(), Result.LogSpeedup));
    Parents.emplace_back(Result.LogSpeedup, To);
    std::sort(Parents.begin(), Parents.end(), std::greater<>());
  }
  fill(Curve, Measurements);
  return Curve;
}

double cudal1::propose(const Scorer &S, Environment &E, unsigned MaxSteps,
                       double StopFrom, bool &Failed) {
  ProposalWalk Walk(E, MaxSteps, {});
  while (!Walk.isOver())
    Walk.choose(bestChoice(S.choices(Walk.decision()), true, StopFrom));
  std::optional<StepResult> End = Walk.measure();
  Failed = End && isFailure(End->Verdict);
  return End && !Failed ? End->LogSpeedup : 0;
}

//===- Episode.cpp - A search for one kernel, decision by decision --------===//

#include "cudal1/Train/Episode.h"
#include <algorithm>

using namespace cudal1;

/// A node that is not better than what it was made from is looked at after
/// that: it stands by this much (log speedup) behind.
static constexpr double SideStep = 0.02;

SearchEpisode::SearchEpisode(Environment &E, const EpisodeRules &Rules)
    : E(E), Rules(Rules) {
  Places[E.root()] = {};
  findCurrent();
}

void SearchEpisode::addKnown(NodeId From, size_t Action,
                             const StepResult &Result, double LogStep) {
  if (Places.count(Result.To))
    return;
  addExample(From, Action, Result, LogStep);
  addPlace(From, Result);
  findCurrent();
}

void SearchEpisode::addPlace(NodeId From, const StepResult &Result) {
  Place P;
  P.Order = Places.size();
  P.LogSpeedup = Result.LogSpeedup;
  P.Open = !isFailure(Result.Verdict);
  // The parent of a known measurement may itself be unknown: then the original
  // stands for it.
  auto Parent = Places.find(From);
  double Above = Parent == Places.end() ? 0 : Parent->second.Rank;
  P.Rank = Result.LogSpeedup >= Above + SmallestGain
               ? Result.LogSpeedup
               : std::min(Result.LogSpeedup, Above) - SideStep;
  if (P.Open)
    Best = std::max(Best, Result.LogSpeedup);
  Places[Result.To] = P;
}

void SearchEpisode::addExample(NodeId From, size_t Action,
                               const StepResult &Result, double LogStep) {
  const NodeView &View = E.node(From);
  MeasuredExample M;
  M.Rewrites = View.Applied;
  M.Rewrites.push_back(View.Actions[Action].Key);
  M.Failed = isFailure(Result.Verdict);
  if (!M.Failed) {
    M.LogSpeedup = Result.LogSpeedup;
    M.LogStep = LogStep;
  }
  Examples.push_back(std::move(M));
}

void SearchEpisode::listOffered(NodeId Node) {
  Offered.clear();
  const NodeView &View = E.node(Node);
  if (View.Applied.size() >= Rules.MaxSteps)
    return;
  for (size_t I = 0; I < View.Actions.size(); ++I) {
    NodeId To = E.lead(Node, I);
    if (To != NoNode && !Places.count(To))
      Offered.push_back(I);
  }
}

void SearchEpisode::findCurrent() {
  Current = NoNode;
  if (Measured >= Rules.Measurements)
    return;
  while (true) {
    std::pair<const NodeId, Place> *Top = nullptr;
    for (auto &Entry : Places)
      if (Entry.second.Open && (!Top || Entry.second.Rank > Top->second.Rank ||
                                (Entry.second.Rank == Top->second.Rank &&
                                 Entry.second.Order < Top->second.Order)))
        Top = &Entry;
    if (!Top && !reopen())
      return;
    if (!Top)
      continue;
    listOffered(Top->first);
    if (!Offered.empty()) {
      Current = Top->first;
      return;
    }
    Top->second.Open = false;
  }
}

/// Opens what the policy closed, once; false when there is nothing to open.
bool SearchEpisode::reopen() {
  if (!Rules.Reopen || Reopened)
    return false;
  Reopened = true;
  for (auto &[Node, P] : Places)
    P.Open = P.Open || P.Stopped;
  return true;
}

std::vector<NodeId> SearchEpisode::open() const {
  std::vector<NodeId> Result;
  for (const auto &[Node, P] : Places)
    if (P.Open)
      Result.push_back(Node);
  return Result;
}

Decision SearchEpisode::decision() {
  const NodeView &View = E.node(Current);
  Decision D;
  D.State = View.State;
  D.Applied = View.Applied;
  D.Actions.reserve(Offered.size());
  for (size_t I : Offered)
    D.Actions.push_back(View.Actions[I]);
  size_t Shown = std::min<size_t>(Examples.size(), Rules.MaxExamples);
  D.Examples.assign(Examples.end() - static_cast<std::ptrdiff_t>(Shown),
                    Examples.end());
  return D;
}

ChoiceReport SearchEpisode::choose(std::optional<size_t> Choice) {
  ChoiceReport Report;
  Report.From = Current;
  if (!Choice) {
    Places[Current].Open = false;
    Places[Current].Stopped = true;
    findCurrent();
    return Report;
  }
  size_t Action = Offered[*Choice];
  StepResult Result = E.measure(Current, Action);
  double Before = Best;
  // The edit could not be made, or gives a text that was measured already.
  if (Result.To == NoNode || Places.count(Result.To)) {
    findCurrent();
    return Report;
  }
  ++Measured;
  Report.Measured = Result;
  if (!isFailure(Result.Verdict))
    Report.LogStep = Result.LogSpeedup - Places[Current].LogSpeedup;
  addExample(Current, Action, Result, Report.LogStep);
  addPlace(Current, Result);
  Report.Gain = Best - Before;
  findCurrent();
  return Report;
}

//===- Proposal.cpp - A Variant proposed without measuring ----------------===//

#include "cudal1/Train/Proposal.h"

using namespace cudal1;

ProposalWalk::ProposalWalk(Environment &E, unsigned MaxSteps,
                           std::vector<MeasuredExample> Examples)
    : E(E), MaxSteps(MaxSteps), Examples(std::move(Examples)),
      Visited{E.root()}, Current(E.root()) {
  listOffered();
}

void ProposalWalk::listOffered() {
  Offered.clear();
  const NodeView &View = E.node(Current);
  if (View.Applied.size() >= MaxSteps)
    return;
  for (size_t I = 0; I < View.Actions.size(); ++I) {
    NodeId To = E.lead(Current, I);
    if (To != NoNode && !Visited.count(To))
      Offered.push_back(I);
  }
}

Decision ProposalWalk::decision() {
  const NodeView &View = E.node(Current);
  Decision D;
  D.State = View.State;
  D.Applied = View.Applied;
  for (size_t I : Offered)
    D.Actions.push_back(View.Actions[I]);
  D.Examples = Examples;
  return D;
}

void ProposalWalk::choose(std::optional<size_t> Choice) {
  if (!Choice) {
    Offered.clear();
    return;
  }
  size_t Step = Offered[*Choice];
  NodeId To = E.walk(Current, Step);
  Offered.clear();
  if (To == NoNode || !Visited.insert(To).second)
    return; // no such Variant: the walk ends where it is
  From = Current;
  Action = Step;
  Current = To;
  listOffered();
}

std::optional<StepResult> ProposalWalk::measure() {
  if (From == NoNode)
    return std::nullopt;
  StepResult Result = E.measure(From, Action);
  return Result.To == NoNode ? std::nullopt : std::optional(Result);
}

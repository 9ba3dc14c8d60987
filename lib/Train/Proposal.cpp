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
  From = Current;
  Action = Offered[*Choice];
  Current = E.lead(From, Action);
  Visited.insert(Current);
  listOffered();
}

std::optional<StepResult> ProposalWalk::measure() {
  if (From == NoNode)
    return std::nullopt;
  return E.measure(From, Action);
}

//===- Proposal.h - A Variant proposed without measuring --------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_PROPOSAL_H
#define CUDAL1_TRAIN_PROPOSAL_H

#include "cudal1/Train/Environment.h"
#include <set>

namespace cudal1 {

/// A walk from the original: the policy is asked at each node until it stops.
/// The exemplars are those known before; nothing is measured on the way.
class ProposalWalk {
public:
  ProposalWalk(Environment &E, unsigned MaxSteps,
               std::vector<MeasuredExample> Examples);

  bool isOver() const { return Offered.empty(); }
  Decision decision();
  /// As SearchEpisode::choose().
  void choose(std::optional<size_t> Choice);

  NodeId current() const { return Current; }
  const std::vector<size_t> &offered() const { return Offered; }
  /// Measures where the walk ended; nothing when that is the original.
  std::optional<StepResult> measure();

private:
  void listOffered();

  Environment &E;
  unsigned MaxSteps;
  std::vector<MeasuredExample> Examples;
  std::set<NodeId> Visited;
  NodeId Current;
  /// The step that led to Current.
  NodeId From = NoNode;
  size_t Action = 0;
  std::vector<size_t> Offered;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_PROPOSAL_H

//===- Environment.h - One kernel, its Variants and their times -*- C++ -*-===//
///
/// \file
/// What an episode walks on: the record of measurements, or an optimiser that
/// measures now. A node is a source text of the kernel, named by a number.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_TRAIN_ENVIRONMENT_H
#define CUDAL1_TRAIN_ENVIRONMENT_H

#include "cudal1/Train/Record.h"

namespace cudal1 {

using NodeId = int;
inline constexpr NodeId NoNode = -1;
/// Where a step leads is not known before it is made.
inline constexpr NodeId UnknownNode = -2;

/// A node as a policy is asked about it.
struct NodeView {
  std::vector<StepKey> Applied;
  NamedValues State;
  std::vector<CandidateStep> Actions;
};

/// What measuring a step gave.
struct StepResult {
  NodeId To = NoNode;
  Outcome Verdict = Outcome::Same;
  /// ln(original ÷ Variant), 0 for failures.
  double LogSpeedup = 0;
  double Low = 0, High = 0;
};

class Environment {
public:
  virtual ~Environment();

  /// Of the kernel, for logs.
  virtual std::string name() const = 0;
  virtual NodeId root() const = 0;
  /// Valid until the environment goes. A node without steps: only stopping is
  /// possible there.
  virtual const NodeView &node(NodeId Node) = 0;
  /// Where a step leads, as far as that is known; NoNode when its edit cannot
  /// be made, or UnknownNode.
  virtual NodeId lead(NodeId Node, size_t Action) = 0;
  /// The same, for certain: makes the edit, measures nothing.
  virtual NodeId walk(NodeId Node, size_t Action) { return lead(Node, Action); }
  /// To is NoNode when the edit cannot be made.
  virtual StepResult measure(NodeId Node, size_t Action) = 0;
};

/// An edge of the record.
struct RecordedStep {
  NodeId From;
  size_t Action;
  StepResult Result;
  /// Against the node it was made from.
  double LogStep;
};

/// Episodes over the record: only steps of known outcome are there. A node that
/// has no line of its own has no steps.
class RecordedEnvironment : public Environment {
public:
  /// Keeps nothing of \p K.
  explicit RecordedEnvironment(const RecordedKernel &K);

  std::string name() const override { return Name; }
  NodeId root() const override { return 0; }
  const NodeView &node(NodeId Node) override { return Nodes[Node].View; }
  NodeId lead(NodeId Node, size_t Action) override {
    return Nodes[Node].Results[Action].To;
  }
  StepResult measure(NodeId Node, size_t Action) override {
    return Nodes[Node].Results[Action];
  }

  const std::string &family() const { return Family; }
  size_t nodes() const { return Nodes.size(); }
  double logSpeedup(NodeId Node) const { return Nodes[Node].LogSpeedup; }
  bool isFailed(NodeId Node) const { return Nodes[Node].Failed; }
  /// Every measured step, in order of nodes.
  const std::vector<RecordedStep> &steps() const { return Steps; }
  /// The largest log speedup of a right Variant, at least 0.
  double bestKnown() const { return Best; }
  /// The largest log speedup among \p Node and what at most \p More steps make
  /// of it; More <= Horizon.
  double bestWithin(NodeId Node, unsigned More) const {
    return Nodes[Node].BestWithin[More];
  }
  static constexpr unsigned Horizon = 4;

private:
  struct Entry {
    NodeView View;
    double LogSpeedup = 0;
    bool Failed = false;
    std::vector<StepResult> Results; ///< in step with View.Actions
    double BestWithin[Horizon + 1] = {};
  };

  NodeId idOf(const std::string &Node);
  void addNode(const RecordedNode &N, NodeId Id);
  void lookAhead();

  std::string Name, Family;
  std::map<std::string, NodeId> Ids;
  std::vector<Entry> Nodes;
  std::vector<RecordedStep> Steps;
  double Best = 0;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_ENVIRONMENT_H

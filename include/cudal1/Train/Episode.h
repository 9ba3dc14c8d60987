//===- Episode.h - A search for one kernel, decision by decision -*- C++ -*-==//
///
/// \file
/// The walk that the learned policy is trained for, and that the optimiser
/// makes with it: the node looked at is the best one still open; the policy
/// names a step there, which is measured and becomes an exemplar, or stops,
/// which closes the node.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_TRAIN_EPISODE_H
#define CUDAL1_TRAIN_EPISODE_H

#include "cudal1/Train/Environment.h"

namespace cudal1 {

struct EpisodeRules {
  /// Variants that may be measured.
  unsigned Measurements = 16;
  /// Longest sequence of Rewrites in a Variant.
  unsigned MaxSteps = 8;
  /// Exemplars that a decision shows; the latest ones when there are more.
  unsigned MaxExamples = 16;
  /// When every node is closed and measurements are left, those that were
  /// stopped at are opened again; stopping is no choice from then on.
  bool Reopen = false;
};

/// A child counts as better than its parent from this log speedup on; the
/// engines call less `same`.
inline constexpr double SmallestGain = 0.00995; // ln 1.01

/// What one choice did.
struct ChoiceReport {
  /// Nothing: stopped, or the edit could not be made.
  std::optional<StepResult> Measured;
  NodeId From = NoNode;
  /// Rise of the best log speedup so far, at least 0.
  double Gain = 0;
  /// Log speedup against the node it was made from; 0 for failures.
  double LogStep = 0;
};

class SearchEpisode {
public:
  SearchEpisode(Environment &E, const EpisodeRules &Rules);

  /// A measurement from before: counts as an exemplar, its node is open.
  /// \p LogStep: against \p From.
  void addKnown(NodeId From, size_t Action, const StepResult &Result,
                double LogStep);

  bool isOver() const { return Current == NoNode; }
  /// False once nodes were opened again.
  bool mayStop() const { return !Reopened; }
  /// The question at the current node. Call only when not over.
  Decision decision();
  /// \p Choice: an index into decision().Actions, or nothing to stop here.
  ChoiceReport choose(std::optional<size_t> Choice);

  NodeId current() const { return Current; }
  /// Which of node(current()).Actions are offered, as decision() lists them.
  const std::vector<size_t> &offered() const { return Offered; }
  /// ln of the best right Variant's speedup, at least 0.
  double best() const { return Best; }
  unsigned measured() const { return Measured; }
  /// The nodes that may still be walked from, the current one included.
  std::vector<NodeId> open() const;
  bool isKnown(NodeId Node) const { return Places.count(Node) != 0; }

private:
  struct Place {
    double LogSpeedup = 0;
    /// What the node promises: see addPlace().
    double Rank = 0;
    bool Open = true;
    bool Stopped = false; ///< the policy closed it
    size_t Order = 0;
  };

  void addPlace(NodeId From, const StepResult &Result);
  void addExample(NodeId From, size_t Action, const StepResult &Result,
                  double LogStep);
  void findCurrent();
  bool reopen();
  void listOffered(NodeId Node);

  Environment &E;
  EpisodeRules Rules;
  std::map<NodeId, Place> Places; ///< measured nodes and the root
  std::vector<MeasuredExample> Examples;
  std::vector<size_t> Offered;
  NodeId Current = NoNode;
  double Best = 0;
  unsigned Measured = 0;
  bool Reopened = false;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_EPISODE_H

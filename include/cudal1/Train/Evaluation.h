//===- Evaluation.h - The policy against what needs no training -*- C++ -*-===//

#ifndef CUDAL1_TRAIN_EVALUATION_H
#define CUDAL1_TRAIN_EVALUATION_H

#include "cudal1/Train/Corpus.h"
#include "cudal1/Train/Searches.h"

namespace cudal1 {

/// One way to search, over all kernels.
struct SearchFigures {
  std::string Name;
  /// After 0, 1, … measurements: mean over the kernels of best ÷ best known,
  /// both as log speedups.
  std::vector<double> Share;
  /// The same: geometric mean of the speedups.
  std::vector<double> Speedup;
  /// The fewest measurements from which Share is at least 0.9; 0: never.
  unsigned For90 = 0;
};

/// What is proposed without any measurement.
struct ProposalFigures {
  std::string Name;
  size_t Kernels = 0;
  double NotSlower = 0; ///< share that is not slower by more than 2 %
  double Faster = 0;    ///< share that is faster by more than 1 %
  double Speedup = 1;   ///< geometric mean
  size_t Refused = 0;   ///< would have failed verification: the original stays
};

struct EvaluationReport {
  std::vector<SearchFigures> Searches;
  std::vector<ProposalFigures> Proposals;
  size_t Kernels = 0;       ///< all that were looked at
  size_t WithSomething = 0; ///< those whose best known is large enough to count
};

/// A policy to compare; the name stands in the tables.
struct NamedScorer {
  std::string Name;
  const Scorer *S;
  /// Above this probability of stopping a proposal ends.
  double ProposalStopFrom = StopFrom;
};

/// Random searches are repeated with this many seeds and averaged.
inline constexpr unsigned RandomSeeds = 20;

/// The first of \p Policies is the one that is judged. Advice, random and
/// evolutionary search are added.
EvaluationReport evaluatePolicies(const std::vector<NamedScorer> &Policies,
                                  std::vector<RecordedEnvironment> &Kernels,
                                  const TrainConfig &C);

std::string toMarkdown(const EvaluationReport &Report);
std::string toJson(const EvaluationReport &Report);
std::string toSvg(const EvaluationReport &Report);

} // namespace cudal1

#endif // CUDAL1_TRAIN_EVALUATION_H

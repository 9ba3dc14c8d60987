//===- PriorKnowledge.cpp - Exemplars that an episode begins with ---------===//

#include "PriorKnowledge.h"
#include <numbers>

using namespace cudal1;

std::vector<size_t> cudal1::drawPrior(const std::vector<RecordedStep> &Known,
                                      const TrainConfig &C, Random &R) {
  if (C.PriorExemplars == 0 || Known.empty() || R.below(2) == 0)
    return {};
  std::vector<double> Log2Speedups;
  Log2Speedups.reserve(Known.size());
  for (const RecordedStep &S : Known)
    Log2Speedups.push_back(S.Result.LogSpeedup / std::numbers::ln2);
  return sampleExemplars(Log2Speedups, 1 + R.below(C.PriorExemplars),
                         C.Exemplars, R);
}

std::vector<MeasuredExample>
cudal1::examplesOf(Environment &E, const std::vector<RecordedStep> &Known,
                   const std::vector<size_t> &Drawn) {
  std::vector<MeasuredExample> Examples;
  for (size_t I : Drawn) {
    const RecordedStep &S = Known[I];
    const NodeView &View = E.node(S.From);
    MeasuredExample M;
    M.Rewrites = View.Applied;
    M.Rewrites.push_back(View.Actions[S.Action].Key);
    M.Failed = isFailure(S.Result.Verdict);
    M.LogSpeedup = S.Result.LogSpeedup;
    M.LogStep = S.LogStep;
    Examples.push_back(std::move(M));
  }
  return Examples;
}

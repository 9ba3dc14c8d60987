//===- GreedySearch.cpp - Keep what is faster, go on from there -----------===//

#include "cudal1/Search/GreedySearch.h"
#include "StepSearch.h"

using namespace cudal1;

/// Variants compiled at once before the first of them is measured. Enough to
/// keep a pool of cores busy, few enough that the order of the policy counts.
static constexpr size_t BatchSize = 12;

/// One round: batches in the order of the policy, until one holds a winner.
static bool round(StepSearch &S, const Policy &P) {
  while (!S.run().isOver()) {
    std::vector<RankedStep> Steps = S.nextBatch(P, BatchSize);
    if (Steps.empty())
      return false;
    std::vector<Attempt> Winners = S.measure(S.make(Steps));
    if (!Winners.empty())
      return S.take(Winners);
  }
  return false;
}

SearchOutcome GreedySearch::run(SearchProblem &P, const SearchContext &C) {
  StepSearch S(P, C);
  while (!S.run().isOver() && round(S, ThePolicy))
    ;
  return S.run().finish();
}

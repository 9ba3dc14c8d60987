//===- RandomSearch.cpp - Random sequences of rewrites --------------------===//

#include "cudal1/Search/RandomSearch.h"
#include "RandomSteps.h"

using namespace cudal1;

/// Draws in a row that give nothing new before the space counts as exhausted.
static constexpr unsigned MaxStaleDraws = 50;

SearchOutcome RandomSearch::run(SearchProblem &P, const SearchContext &C) {
  SearchRun Run(P, C);
  std::mt19937_64 Random(C.Seed);
  Variant Start = P.current();
  unsigned Stale = 0;
  while (Stale < MaxStaleDraws && !Run.isOver()) {
    ++Stale;
    Variant V = randomSteps(Run, Random);
    if (textKey(V) != textKey(Start) && !P.isMeasured(V)) {
      Stale = 0;
      std::optional<Attempt> A = Run.measure(V);
      if (A && isBetter(*A, Run.best() ? &*Run.best() : nullptr))
        Run.setBest(*A);
    }
    if (!Run.advance(Start))
      break;
  }
  return Run.finish();
}

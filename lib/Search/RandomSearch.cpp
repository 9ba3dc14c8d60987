//===- RandomSearch.cpp - Random sequences of rewrites --------------------===//

#include "cudal1/Search/RandomSearch.h"
#include "SearchRun.h"
#include <random>

using namespace cudal1;

/// Longest sequence of steps in one Variant.
static constexpr uint64_t MaxSteps = 4;
/// Draws in a row that give nothing new before the space counts as exhausted.
static constexpr unsigned MaxStaleDraws = 50;

/// An even draw below \p Bound. std::uniform_int_distribution differs between
/// standard libraries, which would make seeds mean different things.
static uint64_t draw(std::mt19937_64 &Random, uint64_t Bound) {
  return Random() % Bound;
}

/// One random step from the current Variant, or nothing.
static std::optional<Variant> randomStep(SearchRun &Run,
                                         std::mt19937_64 &Random) {
  std::vector<const Site *> Sites;
  for (const Site &S : Run.problem().sites())
    if (Run.matters(S))
      Sites.push_back(&S);
  if (Sites.empty())
    return std::nullopt;
  const Site &S = *Sites[draw(Random, Sites.size())];
  const RewriteParams &Params = S.Choices[draw(Random, S.Choices.size())];
  llvm::Expected<Variant> V = Run.problem().apply(S, Params);
  if (V)
    return std::move(*V);
  llvm::consumeError(V.takeError());
  return std::nullopt;
}

SearchOutcome RandomSearch::run(SearchProblem &P, const SearchContext &C) {
  SearchRun Run(P, C);
  std::mt19937_64 Random(C.Seed);
  Variant Start = P.current();
  unsigned Stale = 0;
  while (Stale < MaxStaleDraws && !Run.isOver()) {
    ++Stale;
    Variant V = Start;
    for (uint64_t Left = 1 + draw(Random, MaxSteps); Left; --Left) {
      std::optional<Variant> Next = randomStep(Run, Random);
      if (!Next)
        break;
      V = std::move(*Next);
      if (Left > 1 && !Run.advance(V))
        break;
    }
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

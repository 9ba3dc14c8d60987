//===- RandomSteps.cpp - Random sequences of steps ------------------------===//

#include "RandomSteps.h"

using namespace cudal1;

/// Longest sequence of steps in one Variant.
static constexpr uint64_t MaxSteps = 4;

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

Variant cudal1::randomSteps(SearchRun &Run, std::mt19937_64 &Random) {
  Variant V = Run.problem().current();
  for (uint64_t Left = 1 + draw(Random, MaxSteps); Left; --Left) {
    std::optional<Variant> Next = randomStep(Run, Random);
    if (!Next)
      break;
    V = std::move(*Next);
    if (Left > 1 && !Run.advance(V))
      break;
  }
  return V;
}

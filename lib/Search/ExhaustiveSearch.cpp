//===- ExhaustiveSearch.cpp - Every Variant, shortest first ---------------===//

#include "cudal1/Search/ExhaustiveSearch.h"
#include "SearchRun.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

using namespace cudal1;

/// Variants compiled at once.
static constexpr size_t BatchSize = 16;

/// All new Variants one step from the current one.
static std::vector<Variant> expand(SearchRun &Run, llvm::StringSet<> &Seen) {
  std::vector<Variant> Result;
  for (const Site &S : Run.problem().sites()) {
    if (!Run.matters(S))
      continue;
    for (const RewriteParams &Params : S.Choices)
      if (std::optional<Variant> V = Run.makeNew(S, Params))
        if (Seen.insert(textKey(*V)).second)
          Result.push_back(std::move(*V));
  }
  return Result;
}

SearchOutcome ExhaustiveSearch::run(SearchProblem &P, const SearchContext &C) {
  SearchRun Run(P, C);
  llvm::StringSet<> Seen;
  std::deque<Variant> Frontier{P.current()};
  Seen.insert(textKey(P.current()));
  while (!Frontier.empty() && !Run.isOver()) {
    Variant Parent = std::move(Frontier.front());
    Frontier.pop_front();
    if (!Run.advance(Parent))
      continue;
    std::vector<Variant> Children = expand(Run, Seen);
    for (size_t I = 0; I < Children.size() && !Run.isOver(); ++I) {
      if (I % BatchSize == 0)
        Run.compileAhead(llvm::ArrayRef(Children).slice(
            I, std::min(BatchSize, Children.size() - I)));
      std::optional<Attempt> A = Run.measure(Children[I]);
      if (A && isBetter(*A, Run.best() ? &*Run.best() : nullptr))
        Run.setBest(*A);
      if (A && isRight(A->Result.Outcome))
        Frontier.push_back(std::move(Children[I]));
    }
  }
  return Run.finish();
}

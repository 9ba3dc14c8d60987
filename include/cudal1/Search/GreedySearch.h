//===- GreedySearch.h - Keep what is faster, go on from there ---*- C++ -*-===//

#ifndef CUDAL1_SEARCH_GREEDYSEARCH_H
#define CUDAL1_SEARCH_GREEDYSEARCH_H

#include "cudal1/Search/Search.h"

namespace cudal1 {

/// In each round the policy orders all steps from the current Variant; they
/// are measured in batches. As soon as a batch holds a faster Variant, the best
/// of it becomes the current one, or all winners together where that is faster
/// still, and the next round begins. Ends when a round finds nothing faster.
class GreedySearch : public Search {
public:
  explicit GreedySearch(const Policy &P) : ThePolicy(P) {}
  llvm::StringRef name() const override { return "greedy"; }
  SearchOutcome run(SearchProblem &P, const SearchContext &C) override;

private:
  const Policy &ThePolicy;
};

} // namespace cudal1

#endif // CUDAL1_SEARCH_GREEDYSEARCH_H

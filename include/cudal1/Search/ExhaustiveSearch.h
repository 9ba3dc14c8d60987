//===- ExhaustiveSearch.h - Every Variant, shortest first -------*- C++ -*-===//

#ifndef CUDAL1_SEARCH_EXHAUSTIVESEARCH_H
#define CUDAL1_SEARCH_EXHAUSTIVESEARCH_H

#include "cudal1/Search/Search.h"

namespace cudal1 {

/// Measures all Variants of one rewrite, then all of two, and so on. A Variant
/// that was wrong or did not compile is not built upon; the same text is never
/// measured twice. For small units and for judging other searches.
class ExhaustiveSearch : public Search {
public:
  llvm::StringRef name() const override { return "exhaustive"; }
  SearchOutcome run(SearchProblem &P, const SearchContext &C) override;
};

} // namespace cudal1

#endif // CUDAL1_SEARCH_EXHAUSTIVESEARCH_H

//===- RandomSearch.h - Random sequences of rewrites ------------*- C++ -*-===//

#ifndef CUDAL1_SEARCH_RANDOMSEARCH_H
#define CUDAL1_SEARCH_RANDOMSEARCH_H

#include "cudal1/Search/Search.h"

namespace cudal1 {

/// Measures Variants of one to four random steps, each drawn evenly from the
/// sites (and then from the choices) of the Variant before it, in kernels that
/// matter. The baseline that every policy has to beat at equal budget.
class RandomSearch : public Search {
public:
  llvm::StringRef name() const override { return "random"; }
  SearchOutcome run(SearchProblem &P, const SearchContext &C) override;
};

} // namespace cudal1

#endif // CUDAL1_SEARCH_RANDOMSEARCH_H

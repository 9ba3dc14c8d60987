//===- BanditSearch.h - Several ways to propose, by their success -*- C++
//-*-===//

#ifndef CUDAL1_SEARCH_BANDITSEARCH_H
#define CUDAL1_SEARCH_BANDITSEARCH_H

#include "cudal1/Search/Search.h"

namespace cudal1 {

/// Rounds of a few Variants, each proposed by one of
///   - the learned policy, steps from the best so far (where there is one),
///   - the advisor's table, the same,
///   - random sequences of steps from the original,
///   - mutations of the best: one of its rewrites left out, or with other
///     parameters.
/// Whose proposals gained most is asked more often, and each again and again:
/// never worse than random search but for a constant share. Every outcome is
/// shown to both policies. Ends when neither finds a step worth trying and the
/// others have gained nothing for some rounds.
class BanditSearch : public Search {
public:
  /// \p Learned may be null.
  BanditSearch(const Policy *Learned, const Policy &Table)
      : Learned(Learned), Table(Table) {}
  llvm::StringRef name() const override { return "bandit"; }
  SearchOutcome run(SearchProblem &P, const SearchContext &C) override;

private:
  const Policy *Learned;
  const Policy &Table;
};

} // namespace cudal1

#endif // CUDAL1_SEARCH_BANDITSEARCH_H

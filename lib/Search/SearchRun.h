//===- SearchRun.h - Bookkeeping that every search shares -------*- C++ -*-===//

#ifndef CUDAL1_LIB_SEARCH_SEARCHRUN_H
#define CUDAL1_LIB_SEARCH_SEARCHRUN_H

#include "cudal1/Search/Comparison.h"
#include "cudal1/Search/Search.h"

namespace cudal1 {

/// One run of a search: its budget, what was measured and the best so far.
class SearchRun {
public:
  SearchRun(SearchProblem &P, const SearchContext &C);

  SearchProblem &problem() { return P; }
  /// True once the budget is spent or the user has interrupted.
  bool isOver();
  /// Variants that may still be measured.
  unsigned remainingTrials() const {
    return C.Budget.MaxVariants - std::min(Tried, C.Budget.MaxVariants);
  }

  /// Measures \p V and records it, unless it was measured already. Nothing when
  /// Ctrl-C cut the measurement short: it says nothing of the Variant then.
  std::optional<Attempt> measure(const Variant &V);
  /// The best so far, by comparison of every right Variant against it.
  const std::optional<Attempt> &best() const { return Outcome.Best; }
  /// Makes \p A the best so far.
  void setBest(const Attempt &A);
  /// Tells the observer to compile \p Variants in parallel.
  void compileAhead(llvm::ArrayRef<Variant> Variants);
  /// current() plus one step; nothing (and a note) when the rule fails, when
  /// the text does not change or was measured already.
  std::optional<Variant> makeNew(const Site &S, const RewriteParams &Params);
  /// SearchProblem::advance, a failure noted.
  bool advance(const Variant &V);
  /// True for host code and for kernels whose time matters.
  bool matters(const Site &S) const;

  SearchOutcome finish();

private:
  void note(llvm::Error E, const llvm::Twine &What);

  SearchProblem &P;
  const SearchContext &C;
  double Start;
  unsigned Tried = 0;
  SearchOutcome Outcome;
};

} // namespace cudal1

#endif // CUDAL1_LIB_SEARCH_SEARCHRUN_H

//===- StepSearch.h - From the best so far, one step at a time --*- C++ -*-===//

#ifndef CUDAL1_LIB_SEARCH_STEPSEARCH_H
#define CUDAL1_LIB_SEARCH_STEPSEARCH_H

#include "SearchRun.h"
#include "llvm/ADT/StringMap.h"
#include <set>

namespace cudal1 {

/// A step from the current Variant with its worth to the whole program.
struct RankedStep {
  Action Step;
  double Worth;
};

/// A search that stands at the best Variant so far, measures steps from it that
/// a policy chooses, and moves on to what is faster. Remembers every outcome as
/// an Exemplar for the policies.
class StepSearch {
public:
  StepSearch(SearchProblem &P, const SearchContext &C) : Run(P, C) {}

  SearchRun &run() { return Run; }

  /// The most valuable steps that were in no batch yet, by what \p ThePolicy
  /// makes of everything measured so far; at most \p Size.
  std::vector<RankedStep> nextBatch(const Policy &ThePolicy, size_t Size);
  /// New Variants that these steps make.
  std::vector<Variant> make(llvm::ArrayRef<RankedStep> Steps);
  /// Measures \p Variants and remembers them; those that beat the best so far.
  std::vector<Attempt> measure(std::vector<Variant> Variants);
  /// Moves on to the best of \p Winners, or to all of them together where they
  /// are single steps from the best so far. False when that does not parse.
  bool take(llvm::ArrayRef<Attempt> Winners);
  /// Goes back to the best so far, after others have moved the problem.
  bool goToBest(const Variant &Start);

  const Attempt *best() const { return Run.best() ? &*Run.best() : nullptr; }
  /// What \p A gains for the whole program: its gain on the kernels that it or
  /// the best so far touches, weighted by their share of the time.
  double worth(const Attempt &A);

private:
  std::vector<RankedStep> rank(const Policy &ThePolicy);
  void remember(const Attempt &A);
  std::optional<Attempt> combine(llvm::ArrayRef<const Attempt *> Winners);

  SearchRun Run;
  /// By display name of the kernel, "" for host code.
  llvm::StringMap<std::vector<Exemplar>> Exemplars;
  /// Steps from the best so far that were in a batch already.
  std::set<std::string> Batched;
};

} // namespace cudal1

#endif // CUDAL1_LIB_SEARCH_STEPSEARCH_H

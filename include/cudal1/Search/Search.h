//===- Search.h - How the space of Variants is walked -----------*- C++ -*-===//

#ifndef CUDAL1_SEARCH_SEARCH_H
#define CUDAL1_SEARCH_SEARCH_H

#include "cudal1/Policy/Policy.h"
#include "cudal1/Search/SearchProblem.h"
#include <atomic>
#include <chrono>
#include <functional>

namespace cudal1 {

/// What a search may spend.
struct SearchBudget {
  /// Wall-clock seconds from the start of the search. The measurement that
  /// runs when they are over is finished.
  double Seconds = 60;
  /// Variants measured (not counting the final confirmation).
  unsigned MaxVariants = 1000;
};

/// A Variant that was measured.
struct Attempt {
  Variant What;
  Measurement Result;
  /// Mangled names of the kernels that its Rewrites touched, whose speedup
  /// Result gives; empty: of all kernels together.
  std::vector<std::string> Kernels;
};

/// Is told of everything as it happens; for progress lines and logs.
class SearchObserver {
public:
  virtual ~SearchObserver();
  /// \p Count variants are about to be compiled.
  virtual void compiling(unsigned Count) {}
  virtual void measured(const Attempt &A, unsigned Tried) {}
  /// The best so far has changed.
  virtual void improved(const Attempt &Best) {}
  virtual void confirming(const Variant &V) {}
  /// A rewrite of a rule could not be made or did not parse: a fault of ours
  /// that costs only this variant.
  virtual void note(llvm::StringRef Sentence) {}
};

/// All that a search needs of the outside.
struct SearchContext {
  SearchBudget Budget;
  uint64_t Seed = 1;
  /// Turns true on Ctrl-C: stop soon and keep the best so far.
  const std::atomic<bool> *Stop = nullptr;
  /// Seconds on a steady clock; tests put their own in.
  std::function<double()> Now;
  SearchObserver *Observer = nullptr;
};

/// Why a search came to its end.
enum class SearchEnd {
  Exhausted,   ///< Nothing left that the policy finds worth trying.
  OutOfTime,   ///< SearchBudget::Seconds
  OutOfTrials, ///< SearchBudget::MaxVariants
  Interrupted
};
/// One clause: "the time budget was spent".
llvm::StringRef toString(SearchEnd End);

struct SearchOutcome {
  /// Empty when nothing was faster than the original.
  std::optional<Attempt> Best;
  /// Each Variant that was the best for a time, in order; Best is the last.
  std::vector<Attempt> Improvements;
  /// Everything measured, in order. Texts are dropped to save memory.
  std::vector<Attempt> Attempts;
  SearchEnd End = SearchEnd::Exhausted;
};

class Search {
public:
  virtual ~Search();
  /// As on the command line: "greedy".
  virtual llvm::StringRef name() const = 0;
  /// Walks from the current Variant of \p P.
  virtual SearchOutcome run(SearchProblem &P, const SearchContext &C) = 0;
};

/// Kernels with a smaller share of the GPU time cannot repay a search.
inline constexpr double SmallestTimeShare = 0.01;

} // namespace cudal1

#endif // CUDAL1_SEARCH_SEARCH_H

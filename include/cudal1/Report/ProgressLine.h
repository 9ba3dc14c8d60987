//===- ProgressLine.h - One line that follows the search --------*- C++ -*-===//

#ifndef CUDAL1_REPORT_PROGRESSLINE_H
#define CUDAL1_REPORT_PROGRESSLINE_H

#include "cudal1/Search/Search.h"
#include "llvm/Support/raw_ostream.h"

namespace cudal1 {

/// Follows a search on a terminal: one line, rewritten in place. With
/// \p EachVariant it prints a line for each variant instead, also to a file.
class ProgressLine : public SearchObserver {
public:
  enum class Mode { Silent, InPlace, EachVariant };

  ProgressLine(llvm::raw_ostream &OS, Mode M, SearchBudget Budget,
               std::function<double()> Now);
  ~ProgressLine() override;

  /// What is going on, until the next event: "running the original".
  void status(llvm::StringRef What);
  /// Leaves a clean line for other output.
  void clear();

  void compiling(unsigned Count) override;
  void measured(const Attempt &A, unsigned Tried) override;
  void improved(const Attempt &Best) override;
  void confirming(const Variant &V) override;
  void note(llvm::StringRef Sentence) override;

private:
  llvm::raw_ostream &OS;
  Mode TheMode;
  SearchBudget Budget;
  std::function<double()> Now;
  double Start;
  unsigned Tried = 0;
  std::optional<double> BestSpeedup;
  bool LineShown = false;
};

} // namespace cudal1

#endif // CUDAL1_REPORT_PROGRESSLINE_H

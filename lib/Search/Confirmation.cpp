//===- Confirmation.cpp - Measure the winner once more --------------------===//

#include "cudal1/Search/Confirmation.h"

using namespace cudal1;

/// Former bests that are tried after the best has failed.
static constexpr size_t MaxConfirmations = 3;

std::optional<Attempt> cudal1::confirmBest(SearchProblem &P,
                                           const SearchOutcome &O,
                                           const SearchContext &C) {
  size_t Count = std::min(O.Improvements.size(), MaxConfirmations);
  for (const Attempt &Found :
       llvm::reverse(llvm::ArrayRef(O.Improvements).take_back(Count))) {
    if (C.Stop && C.Stop->load())
      return Found;
    if (C.Observer)
      C.Observer->confirming(Found.What);
    Attempt Again{Found.What, P.confirm(Found.What), Found.Kernels};
    // Ctrl-C during the confirmation: what the search has measured counts.
    if (C.Stop && C.Stop->load())
      return Found;
    if (Again.Result.Outcome == Verdict::Faster)
      return Again;
    if (C.Observer)
      C.Observer->note("not confirmed: " + Found.What.str());
  }
  return std::nullopt;
}

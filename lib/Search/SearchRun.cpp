//===- SearchRun.cpp - Bookkeeping that every search shares ---------------===//

#include "SearchRun.h"

using namespace cudal1;

SearchRun::SearchRun(SearchProblem &P, const SearchContext &C)
    : P(P), C(C), Start(C.Now()) {}

bool SearchRun::isOver() {
  if (C.Stop && C.Stop->load())
    Outcome.End = SearchEnd::Interrupted;
  else if (C.Now() - Start >= C.Budget.Seconds)
    Outcome.End = SearchEnd::OutOfTime;
  else if (Tried >= C.Budget.MaxVariants)
    Outcome.End = SearchEnd::OutOfTrials;
  return Outcome.End != SearchEnd::Exhausted;
}

std::optional<Attempt> SearchRun::measure(const Variant &V) {
  bool Known = P.isMeasured(V);
  Attempt A{V, P.measure(V), P.touchedKernels(V)};
  if (C.Stop && C.Stop->load()) {
    Outcome.End = SearchEnd::Interrupted;
    return std::nullopt;
  }
  if (Known)
    return A;
  ++Tried;
  Outcome.Attempts.push_back(A);
  Outcome.Attempts.back().What.Texts.clear();
  if (C.Observer)
    C.Observer->measured(A, Tried);
  return A;
}

void SearchRun::setBest(const Attempt &A) {
  Outcome.Best = A;
  Outcome.Improvements.push_back(A);
  if (C.Observer)
    C.Observer->improved(A);
}

void SearchRun::compileAhead(llvm::ArrayRef<Variant> Variants) {
  if (Variants.size() < 2)
    return;
  if (C.Observer)
    C.Observer->compiling(Variants.size());
  P.compileAhead(Variants);
}

std::optional<Variant> SearchRun::makeNew(const Site &S,
                                          const RewriteParams &Params) {
  llvm::Expected<Variant> V = P.apply(S, Params);
  if (!V) {
    note(V.takeError(), "could not apply " + S.TheRule->name() + " at line " +
                            llvm::Twine(S.Line));
    return std::nullopt;
  }
  if (textKey(*V) == textKey(P.current()) || P.isMeasured(*V))
    return std::nullopt;
  return std::move(*V);
}

bool SearchRun::advance(const Variant &V) {
  if (llvm::Error E = P.advance(V)) {
    note(std::move(E), "cannot build upon " + V.str());
    return false;
  }
  return true;
}

bool SearchRun::matters(const Site &S) const {
  if (!S.TheKernel)
    return true;
  std::optional<double> Share = P.timeShare(S.TheKernel->DisplayName);
  return !Share || *Share >= SmallestTimeShare;
}

SearchOutcome SearchRun::finish() { return std::move(Outcome); }

void SearchRun::note(llvm::Error E, const llvm::Twine &What) {
  std::string Why = llvm::toString(std::move(E));
  if (C.Observer)
    C.Observer->note((What + ": " + Why).str());
}

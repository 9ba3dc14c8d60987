//===- RewriteSession.cpp - One program on its way through Variants -------===//

#include "cudal1/Search/RewriteSession.h"

using namespace cudal1;

RewriteSession::RewriteSession(std::unique_ptr<Program> P,
                               const RuleList &Rules, SiteFilter Filter)
    : TheProgram(std::move(P)), Rules(Rules), Filter(Filter) {
  Current.Texts = TheProgram->overlay();
  refresh();
}

RewriteSession::~RewriteSession() = default;

void RewriteSession::refresh() {
  Sites.clear();
  Analysis = ProgramAnalysis::analyze(*TheProgram);
  Sites = findSites(Rules, *Analysis, Filter.Weakest, Filter.NeedsCheck);
}

/// Adds the replacements of \p From; false, and \p Into unchanged, when some
/// text would be changed by both.
static bool mergeEdit(Edit &Into, const Edit &From) {
  Edit Merged = Into;
  for (const auto &[Path, Replacements] : From.Files)
    for (const clang::tooling::Replacement &R : Replacements)
      if (llvm::Error E = Merged.Files[Path].add(R)) {
        llvm::consumeError(std::move(E));
        return false;
      }
  Into = std::move(Merged);
  return true;
}

llvm::Expected<Variant> RewriteSession::apply(const Site &S,
                                              const RewriteParams &Params) {
  llvm::Expected<Edit> E = S.Apply(Params);
  if (!E)
    return E.takeError();
  llvm::Expected<SourceOverlay> Texts = applyEdit(*TheProgram, *E);
  if (!Texts)
    return Texts.takeError();
  Variant V{Current.Rewrites, std::move(*Texts)};
  V.Rewrites.push_back(describe(S, Params));
  V.Rewrites.back().Launch = E->Launch;
  return V;
}

llvm::Expected<Variant>
RewriteSession::applyTogether(llvm::ArrayRef<Action> Steps) {
  Edit All;
  Variant V{Current.Rewrites, {}};
  for (const Action &Step : Steps) {
    llvm::Expected<Edit> E = Step.Where->Apply(*Step.Params);
    if (!E) {
      llvm::consumeError(E.takeError());
      continue;
    }
    if (!mergeEdit(All, *E))
      continue;
    V.Rewrites.push_back(describe(*Step.Where, *Step.Params));
    V.Rewrites.back().Launch = E->Launch;
  }
  llvm::Expected<SourceOverlay> Texts = applyEdit(*TheProgram, All);
  if (!Texts)
    return Texts.takeError();
  V.Texts = std::move(*Texts);
  return V;
}

llvm::Error RewriteSession::advance(const Variant &V) {
  if (V.Texts == Current.Texts) {
    Current = V;
    return llvm::Error::success();
  }
  // Sites and analysis point into the ASTs, which are about to go.
  Sites.clear();
  Analysis.reset();
  llvm::Error Failure = TheProgram->reparse(V.Texts);
  if (!Failure) {
    Current = V;
    refresh();
    return llvm::Error::success();
  }
  if (llvm::Error Second = TheProgram->reparse(Current.Texts))
    return llvm::joinErrors(std::move(Failure), std::move(Second));
  refresh();
  return Failure;
}

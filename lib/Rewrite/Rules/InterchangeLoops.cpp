//===- InterchangeLoops.cpp - interchange-loops ---------------------------===//
//
// A loop that walks memory a row at a time brings a whole sector for each
// element. When the loop around it walks along the rows, the two may change
// places, and the inner one reads what the sector before has brought, or always
// the same element, which then stays in a register.
//
//===----------------------------------------------------------------------===//

#include "../ExchangedLoops.h"
#include "cudal1/Rewrite/Rule.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Swaps two nested loops where the inner one then walks memory in shorter
/// steps.
class InterchangeLoops : public Rule {
public:
  llvm::StringRef name() const override { return "interchange-loops"; }
  llvm::StringRef summary() const override {
    return "Swaps two nested loops where the inner one then walks memory in "
           "shorter steps.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

} // namespace

void InterchangeLoops::findSites(const Kernel &K, const ProgramAnalysis &A,
                                 std::vector<Site> &Out) const {
  if (!K.Editable || K.Loops.size() < 2)
    return;
  auto Tree = std::make_shared<StatementTree>(K);
  auto Changes =
      std::make_shared<Assignments>(Assignments::of(K.Function->getBody()));
  for (const std::unique_ptr<Loop> &L : K.Loops) {
    if (L->IsInnermost || !L->Counted)
      continue;
    auto Loops = std::make_shared<ExchangedLoops>(K, A, *Tree, *Changes, *L);
    if (!Loops->obstacle().empty() || Loops->gain() <= 0)
      continue;
    const std::string Within = Loops->inner().Variable->getNameAsString();
    Site S = siteAt(*this, K, A, L->Statement->getBeginLoc());
    S.Subject = L->Variable->getNameAsString();
    S.Description =
        "put the loop over " + S.Subject + " into the loop over " + Within;
    S.Evidence = {"the loops have the same iterations either way, and no "
                  "barrier, jump or call with side effects"};
    llvm::append_range(S.Evidence, Loops->evidence());
    S.Class = Loops->fpClass();
    S.LoopDepth = L->Depth;
    S.Apply = [&A, Tree, Changes, Loops](const RewriteParams &) {
      EditBuilder Builder(A.program(), Side::Device);
      Loops->write(Builder);
      return Builder.finish();
    };
    if (llvm::Expected<Edit> Trial = S.Apply({}))
      Out.push_back(std::move(S));
    else
      llvm::consumeError(Trial.takeError());
  }
}

std::unique_ptr<Rule> createInterchangeLoopsRule() {
  return std::make_unique<InterchangeLoops>();
}

} // namespace cudal1

//===- UnrollAndJam.cpp - unroll-and-jam ----------------------------------===//
//
// A thread that computes several elements one after the other reads what they
// share again for each. With several of them computed in one run of the inner
// loop it is read once, and their sums do not wait for each other.
//
//===----------------------------------------------------------------------===//

#include "../JammedLoops.h"
#include "cudal1/Rewrite/Rule.h"

using namespace clang;

namespace cudal1 {

/// Iterations done at once, the number to try first in front: on an H200 eight
/// rows of a panel product took 0.43 of the time of one, four the same time.
static constexpr int64_t Factors[] = {8, 4, 2, 16};

namespace {

/// Does several iterations of a loop at once in one run of the loop inside it.
class UnrollAndJam : public Rule {
public:
  llvm::StringRef name() const override { return "unroll-and-jam"; }
  llvm::StringRef summary() const override {
    return "Does several iterations of a loop at once in one run of the loop "
           "inside it.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

} // namespace

static llvm::Expected<Edit> jam(const ProgramAnalysis &A,
                                const JammedLoops &Loops, int64_t Factor) {
  EditBuilder Builder(A.program(), Side::Device);
  Loops.write(Builder, Factor);
  return Builder.finish();
}

void UnrollAndJam::findSites(const Kernel &K, const ProgramAnalysis &A,
                             std::vector<Site> &Out) const {
  if (!K.Editable || K.HasAsm || K.Loops.size() < 2)
    return;
  auto Tree = std::make_shared<StatementTree>(K);
  auto Changes =
      std::make_shared<Assignments>(Assignments::of(K.Function->getBody()));
  EditBuilder Probe(A.program(), Side::Device);
  for (const std::unique_ptr<Loop> &L : K.Loops) {
    if (L->IsInnermost || !L->Counted || Probe.hasLoopPragma(L->Statement) ||
        spansDirective(*K.Context, L->Statement->getSourceRange()))
      continue;
    auto Loops = std::make_shared<JammedLoops>(K, A, *Tree, *Changes, *L);
    if (!Loops->obstacle().empty() || !Loops->hasReuse())
      continue;
    Site S = siteAt(*this, K, A, L->Statement->getBeginLoc());
    S.Subject = L->Variable->getNameAsString();
    S.Description = "do several iterations of the loop over " + S.Subject +
                    " in one run of the loop over " +
                    Loops->inner().Variable->getNameAsString();
    S.Choices.clear();
    for (int64_t Factor : Factors)
      if ((!L->TripCount || *L->TripCount >= uint64_t(Factor)) &&
          (!Loops->leavesRest(Factor) || Loops->mayLeaveRest()))
        S.Choices.push_back({{"factor", Factor}});
    S.Evidence = {"no iteration uses a variable of another",
                  "no iteration needs what an earlier one stores, nor stores "
                  "where it still reads",
                  "each iteration keeps the order of its operations"};
    S.LoopDepth = L->Depth;
    S.Apply = [&A, Tree, Changes, Loops](const RewriteParams &Params) {
      return jam(A, *Loops, Params.at("factor"));
    };
    if (S.Choices.empty())
      continue;
    if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
      Out.push_back(std::move(S));
    else
      llvm::consumeError(Trial.takeError());
  }
}

std::unique_ptr<Rule> createUnrollAndJamRule() {
  return std::make_unique<UnrollAndJam>();
}

} // namespace cudal1

//===- SplitWork.cpp - split-work -----------------------------------------===//
//
// A thread for each column reads memory well, but few columns leave most of the
// part idle, each thread waiting for one load after the other. The warps of a
// block share the loop over the rows of 32 columns; what they found meets in
// shared memory.
//
//===----------------------------------------------------------------------===//

#include "../KernelReferences.h"
#include "../RowLaunches.h"
#include "../SplitLoop.h"
#include "cudal1/Rewrite/Rule.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Warps of a block, the number to try first in front.
static constexpr int64_t WarpsOfLoop[] = {16, 32, 8, 4};

namespace {

/// Shares the loop of each column among warps whose results meet in shared
/// memory.
class SplitWork : public Rule {
public:
  llvm::StringRef name() const override { return "split-work"; }
  llvm::StringRef summary() const override {
    return "Shares the loop of each column among warps whose results meet in "
           "shared memory.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  Plan(const Kernel &K, RowLaunches L) : Tree(K), Launches(std::move(L)) {}

  StatementTree Tree;
  RowKernel Rows;
  RowLaunches Launches;
};

} // namespace

static llvm::Expected<Edit> apply(const Kernel &K, const ProgramAnalysis &A,
                                  const Plan &P, int64_t Parts) {
  EditBuilder Builder(A.program(), Side::Device);
  std::string Obstacle;
  if (auto Split = SplitLoop::of(K, P.Tree, P.Rows, Obstacle))
    Split->write(Builder, Parts);
  else
    Builder.fail(Obstacle);
  P.Launches.write(Builder, WarpThreads, Parts * WarpThreads);
  return Builder.finish();
}

void SplitWork::findSites(const Kernel &K, const ProgramAnalysis &A,
                          std::vector<Site> &Out) const {
  // Another configuration may compute something else.
  if (!K.Editable || K.HasLaunchBounds || K.Launches.empty() ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()))
    return;
  std::string Obstacle;
  StatementTree Tree(K);
  auto Rows = findRowKernel(K, A, Tree, RowOrder::Across, Obstacle);
  if (!Rows || !SplitLoop::of(K, Tree, *Rows, Obstacle) ||
      findReferences(A.program(), K).escapes())
    return;
  auto Launches = RowLaunches::of(K, A, *Rows->Bound, Obstacle);
  if (!Launches)
    return;
  auto P = std::make_shared<Plan>(K, std::move(*Launches));
  P->Rows = std::move(*Rows);

  Site S = siteAt(*this, K, A, K.Pattern->getLocation());
  S.Subject = K.Name;
  S.Description = "share the loop of " + K.DisplayName + " among warps";
  S.Class = P->Rows.isExact() ? FpClass::Exact : FpClass::Reassociate;
  S.Choices.clear();
  for (int64_t Parts : WarpsOfLoop)
    S.Choices.push_back({{"parts", Parts}});
  S.Evidence = P->Rows.Evidence;
  S.Evidence.push_back(P->Launches.evidence());
  S.Apply = [&K, &A, P](const RewriteParams &Params) {
    return apply(K, A, *P, Params.at("parts"));
  };
  if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
    Out.push_back(std::move(S));
  else
    llvm::consumeError(Trial.takeError());
}

std::unique_ptr<Rule> createSplitWorkRule() {
  return std::make_unique<SplitWork>();
}

} // namespace cudal1

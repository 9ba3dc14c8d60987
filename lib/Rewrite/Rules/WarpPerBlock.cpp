//===- WarpPerBlock.cpp - warp-per-block ----------------------------------===//
//
// The textbook's reduction has a thread for each element: a block is started,
// meets at barriers and ends for a load of each of its threads. A warp that
// takes the elements of a whole block has several loads under way in each lane,
// adds them up in registers, and needs no barrier at all. Blocks of several
// warps keep the multiprocessors full.
//
//===----------------------------------------------------------------------===//

#include "../WarpTrees.h"
#include "cudal1/Rewrite/Rule.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Warps of a block, the number to try first in front.
static constexpr int64_t WarpsOfBlock[] = {4, 8};

namespace {

/// Lets a warp do what a block with a tree in shared memory does.
class WarpPerBlock : public Rule {
public:
  llvm::StringRef name() const override { return "warp-per-block"; }
  llvm::StringRef summary() const override {
    return "Lets a warp do what a block with a tree in shared memory does, "
           "with several elements for each lane.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  explicit Plan(const Kernel &K) : Tree(K) {}

  StatementTree Tree;
  SharedTrees Trees;
  std::optional<WarpTrees> Warps;
};

} // namespace

void WarpPerBlock::findSites(const Kernel &K, const ProgramAnalysis &A,
                             std::vector<Site> &Out) const {
  // Another configuration may compute something else.
  if (!K.Editable || K.Launches.empty() ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()))
    return;
  std::string Obstacle;
  auto P = std::make_shared<Plan>(K);
  P->Trees = findSharedTrees(K, A, P->Tree, Obstacle);
  if (P->Trees.Trees.empty())
    return;
  P->Warps = WarpTrees::of(K, A, P->Tree, P->Trees, Obstacle);
  if (!P->Warps)
    return;
  Site S = siteAt(*this, K, A, P->Trees.Trees.front().Loop->getBeginLoc());
  S.Subject = K.Name;
  S.Description = "let a warp do what a block of " + K.DisplayName + " does";
  S.Class = P->Trees.Trees.front().Arrays.front().R.isExact()
                ? FpClass::Exact
                : FpClass::Reassociate;
  S.Choices.clear();
  for (int64_t Warps : WarpsOfBlock)
    S.Choices.push_back({{"warps", Warps}});
  S.Evidence = {"each thread sets its own element before the tree, and does "
                "nothing else that others see",
                "after the tree one thread uses the result",
                "at each level a thread combines two elements by one "
                "associative operation",
                P->Warps->evidence()};
  S.Apply = [&A, P](const RewriteParams &Params) {
    EditBuilder Builder(A.program(), Side::Device);
    P->Warps->write(Builder, Params.at("warps"));
    return Builder.finish();
  };
  if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
    Out.push_back(std::move(S));
  else
    llvm::consumeError(Trial.takeError());
}

std::unique_ptr<Rule> createWarpPerBlockRule() {
  return std::make_unique<WarpPerBlock>();
}

} // namespace cudal1

//===- TreeToShuffle.cpp - tree-to-shuffle --------------------------------===//
//
// A tree over the threads of a block in shared memory has a barrier for each of
// its levels, and most threads wait at all of them. The lanes of a warp
// exchange registers without shared memory and without barriers, and one
// barrier is left for the warps to meet.
//
//===----------------------------------------------------------------------===//

#include "../ShuffledTrees.h"
#include "cudal1/Rewrite/Rule.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Writes trees over the threads of a block as shuffles.
class TreeToShuffle : public Rule {
public:
  llvm::StringRef name() const override { return "tree-to-shuffle"; }
  llvm::StringRef summary() const override {
    return "Reduces the values of a block by warp shuffles in place of a tree "
           "in shared memory with a barrier at each level.";
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
};

} // namespace

static llvm::Expected<Edit> apply(const Kernel &K, const ProgramAnalysis &A,
                                  const Plan &P) {
  EditBuilder Builder(A.program(), Side::Device);
  ShuffledTrees(K, P.Trees).write(Builder);
  return Builder.finish();
}

void TreeToShuffle::findSites(const Kernel &K, const ProgramAnalysis &A,
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
  Site S = siteAt(*this, K, A, P->Trees.Trees.front().Loop->getBeginLoc());
  S.Subject = K.Name;
  S.Description =
      "reduce the values of a block of " + K.DisplayName + " by shuffles";
  S.Class = P->Trees.isExact(P->Tree) ? FpClass::Exact : FpClass::Reassociate;
  S.Evidence = {
      "each thread sets its own element before the tree, and only the first "
      "element is used after it",
      "at each level a thread combines two elements by one associative "
      "operation",
      "all launches have blocks of " + std::to_string(P->Trees.BlockSize) +
          " threads along x, a power of two"};
  if (S.Class == FpClass::Exact)
    S.Evidence.push_back("the same values are combined in the same order");
  S.Apply = [&K, &A, P](const RewriteParams &) { return apply(K, A, *P); };
  if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
    Out.push_back(std::move(S));
  else
    llvm::consumeError(Trial.takeError());
}

std::unique_ptr<Rule> createTreeToShuffleRule() {
  return std::make_unique<TreeToShuffle>();
}

} // namespace cudal1

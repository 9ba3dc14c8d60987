//===- CoarsenThread.cpp - coarsen-thread ---------------------------------===//
//
// A thread that makes one element pays for its index, its bounds and its start
// as much as for the element. With several, that is paid once, more loads are
// under way at a time, and what neighbours both read stays in registers.
//
//===----------------------------------------------------------------------===//

#include "../CoarsenedKernel.h"
#include "../ItemLaunches.h"
#include "../KernelReferences.h"
#include "../TileLaunches.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace cudal1 {

/// Elements of a thread, the number to try first in front.
static constexpr int64_t ItemsOfThread[] = {4, 2, 8};

namespace {

/// Lets each thread make several elements.
class CoarsenThread : public Rule {
public:
  llvm::StringRef name() const override { return "coarsen-thread"; }
  llvm::StringRef summary() const override {
    return "Lets each thread make several elements: in a grid-stride loop "
           "along "
           "x, or neighbours along y.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  Plan(const Kernel &K, const ProgramAnalysis &A, ElementKernel E)
      : Elements(K, A, std::move(E)) {}

  CoarsenedKernel Elements;
  std::optional<ItemLaunches> Launches;
};

} // namespace

static llvm::Expected<Edit> apply(const ProgramAnalysis &A, const Plan &P,
                                  int64_t Items) {
  EditBuilder Builder(A.program(), Side::Device);
  P.Elements.write(Builder, Items);
  P.Launches->write(Builder, Items);
  return Builder.finish();
}

void CoarsenThread::findSites(const Kernel &K, const ProgramAnalysis &A,
                              std::vector<Site> &Out) const {
  if (!K.Editable || !K.UsesThreadIdx[0] || K.Launches.empty() ||
      K.Function->hasAttr<CUDAClusterDimsAttr>() ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()) ||
      showsOrder(K) || findReferences(A.program(), K).escapes())
    return;
  std::string Obstacle;
  auto Found = findElementKernel(K, TileLaunches::blockExtents(K, A), Obstacle);
  // A loop in a thread of one dimension leaves little to share.
  if (!Found || (!Found->isPlane() && !K.Loops.empty()))
    return;
  auto P = std::make_shared<Plan>(K, A, std::move(*Found));
  if (!P->Elements.obstacle().empty())
    return;
  P->Launches = ItemLaunches::along(P->Elements.coordinate(), K, A, Obstacle);
  if (!P->Launches)
    return;

  Site S = siteAt(*this, K, A, K.Pattern->getLocation());
  S.Subject = K.Name;
  S.Description = P->Elements.axis() == 0 ? "several elements for each thread"
                                          : "several rows for each thread";
  S.Choices.clear();
  for (int64_t Items : ItemsOfThread)
    S.Choices.push_back({{"items", Items}});
  S.Evidence = {"thread and block along " +
                    std::string(P->Elements.axis() == 0 ? "x" : "y") +
                    " serve only to number the elements, which are bounded",
                "no barrier, shared memory, atomic or warp operation ties "
                "threads together",
                P->Launches->evidence()};
  S.Apply = [&A, P](const RewriteParams &Params) {
    return apply(A, *P, Params.at("items"));
  };
  if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
    Out.push_back(std::move(S));
  else
    llvm::consumeError(Trial.takeError());
}

std::unique_ptr<Rule> createCoarsenThreadRule() {
  return std::make_unique<CoarsenThread>();
}

} // namespace cudal1

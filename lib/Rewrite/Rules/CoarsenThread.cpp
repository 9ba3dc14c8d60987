//===- CoarsenThread.cpp - coarsen-thread ---------------------------------===//
//
// A thread that makes one element pays for its index, its bounds and its start
// as much as for the element. With several, that is paid once, more loads are
// under way at a time, and what neighbours both read stays in registers.
//
//===----------------------------------------------------------------------===//

#include "../CoarsenedBlock.h"
#include "../CoarsenedKernel.h"
#include "../ItemLaunches.h"
#include "../KernelReferences.h"
#include "../TileLaunches.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace cudal1 {

/// Threads of a block that are few enough already, and fewer than which leave
/// a multiprocessor idle: two and one eighth of what one takes at a time.
static constexpr int64_t FewThreads = 256, FewestThreads = 128;
/// Elements of a thread, the number to try first in front.
static constexpr int64_t ItemsOfThread[] = {4, 2, 8};

namespace {

/// Lets each thread make several elements.
class CoarsenThread : public Rule {
public:
  llvm::StringRef name() const override { return "coarsen-thread"; }
  llvm::StringRef summary() const override {
    return "Lets each thread make several elements: in a grid-stride loop "
           "along x, neighbours along y or z, or several rows of its block.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  Plan(const Kernel &K, const ProgramAnalysis &A, ElementKernel E,
       unsigned Axis)
      : Elements(K, A, std::move(E), Axis, TileLaunches::blockExtents(K, A)) {}

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

/// \p K, whose elements are \p E, with several of them along \p Axis a thread.
static std::optional<Site> siteAlong(const Rule &R, const Kernel &K,
                                     const ProgramAnalysis &A,
                                     const ElementKernel &E, unsigned Axis) {
  static constexpr const char *Names[] = {"x", "y", "z"};
  static constexpr const char *Items[] = {"elements", "rows", "planes"};
  auto P = std::make_shared<Plan>(K, A, E, Axis);
  if (!P->Elements.obstacle().empty())
    return std::nullopt;
  std::string Obstacle;
  P->Launches = ItemLaunches::along(P->Elements.coordinate(), K, A, Obstacle);
  if (!P->Launches)
    return std::nullopt;
  Site S = siteAt(R, K, A, K.Pattern->getLocation());
  S.Subject = Axis == 2 ? K.Name + " along z" : K.Name;
  S.Description = std::string("several ") + Items[Axis] + " for each thread";
  S.Choices.clear();
  for (int64_t Count : ItemsOfThread)
    S.Choices.push_back({{"items", Count}});
  S.Evidence = {"thread and block along " + std::string(Names[Axis]) +
                    " serve only to number the elements, which are bounded",
                "no barrier, shared memory, atomic or warp operation ties "
                "threads together",
                P->Launches->evidence()};
  S.Apply = [&A, P](const RewriteParams &Params) {
    return apply(A, *P, Params.at("items"));
  };
  llvm::Expected<Edit> Trial = S.Apply(S.Choices.front());
  if (Trial)
    return S;
  llvm::consumeError(Trial.takeError());
  return std::nullopt;
}

/// \p K, which waits at barriers, with the rows of a block shared by fewer
/// threads.
static std::optional<Site> siteInBlock(const Rule &R, const Kernel &K,
                                       const ProgramAnalysis &A) {
  auto P = std::make_shared<CoarsenedBlock>(K, A);
  if (!P->obstacle().empty() || P->threads() <= FewThreads)
    return std::nullopt;
  Site S = siteAt(R, K, A, K.Pattern->getLocation());
  S.Subject = K.Name + " in its block";
  S.Description = "several rows of its block for each thread";
  S.Choices.clear();
  for (int64_t Items : ItemsOfThread)
    if (P->rows() % Items == 0 && P->threads() / Items >= FewestThreads)
      S.Choices.push_back({{"items", Items}});
  if (S.Choices.empty())
    return std::nullopt;
  S.Evidence = {P->evidence(),
                "no atomic or warp operation ties threads together"};
  S.Apply = [&A, P](const RewriteParams &Params) -> llvm::Expected<Edit> {
    EditBuilder Builder(A.program(), Side::Device);
    P->write(Builder, Params.at("items"));
    return Builder.finish();
  };
  llvm::Expected<Edit> Trial = S.Apply(S.Choices.front());
  if (Trial)
    return S;
  llvm::consumeError(Trial.takeError());
  return std::nullopt;
}

void CoarsenThread::findSites(const Kernel &K, const ProgramAnalysis &A,
                              std::vector<Site> &Out) const {
  if (!K.Editable || !K.UsesThreadIdx[0] || K.Launches.empty() ||
      K.Function->hasAttr<CUDAClusterDimsAttr>() ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()) ||
      showsOrder(K) || findReferences(A.program(), K).escapes())
    return;
  if (!K.Barriers.empty()) {
    if (auto S = siteInBlock(*this, K, A); S && K.UsesThreadIdx[1])
      Out.push_back(std::move(*S));
    return;
  }
  std::string Obstacle;
  const BlockExtents Block = TileLaunches::blockExtents(K, A);
  auto Flat = findElementKernel(K, Block, Obstacle);
  std::optional<ElementKernel> Volume;
  if (K.UsesBlockIdx[2])
    Volume = findVolumeKernel(K, Block, Obstacle);
  auto Add = [&](const ElementKernel &E, unsigned Axis) {
    if (auto S = siteAlong(*this, K, A, E, Axis))
      Out.push_back(std::move(*S));
  };
  if (Volume && Volume->isPlane()) {
    Add(*Volume, 2);
    Add(*Volume, 1);
  } else if (Flat && Flat->isPlane()) {
    Add(*Flat, 1);
  } else if (Flat && K.Loops.empty()) {
    // A loop in a thread of one dimension leaves little to share.
    Add(*Flat, 0);
  }
}

std::unique_ptr<Rule> createCoarsenThreadRule() {
  return std::make_unique<CoarsenThread>();
}

} // namespace cudal1

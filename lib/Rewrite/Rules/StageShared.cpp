//===- StageShared.cpp - stage-shared -------------------------------------===//
//
// The threads of a filter read overlapping windows of their input: for 7 x 7
// taps each element comes 49 times through the L1 cache, with an address and
// bounds each time. A block that brings its part with a border to shared memory
// once reads it from there at fixed places.
//
//===----------------------------------------------------------------------===//

#include "../BuiltinUses.h"
#include "../KernelReferences.h"
#include "../StagedWindow.h"
#include "../TileLaunches.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Blocks offered where the kernel counts by the block's extents, the one to
/// try first in front.
static constexpr std::array<int64_t, 2> Blocks[] = {
    {32, 8}, {32, 16}, {16, 16}, {64, 4}};
/// Static shared memory that every part grants a block, in bytes.
static constexpr int64_t MostStaticShared = int64_t(48) * 1024;

namespace {

/// Brings what the threads of a block read around their elements to shared
/// memory.
class StageShared : public Rule {
public:
  llvm::StringRef name() const override { return "stage-shared"; }
  llvm::StringRef summary() const override {
    return "Brings the window of an array that the threads of a block read "
           "around their elements to shared memory, with a border.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  Plan(const Kernel &K, const ProgramAnalysis &A, ElementKernel Kernel,
       TileLaunches L)
      : Elements(std::move(Kernel)), Launches(std::move(L)),
        Window(K, A, Elements) {}

  ElementKernel Elements;
  TileLaunches Launches;
  StagedWindow Window;
};

} // namespace

/// The block that all launches have.
static std::optional<std::array<int64_t, 2>> blockOf(const Kernel &K,
                                                     const ProgramAnalysis &A) {
  BlockExtents Block = TileLaunches::blockExtents(K, A);
  if (!Block[0] || !Block[1])
    return std::nullopt;
  return std::array<int64_t, 2>{*Block[0], *Block[1]};
}

/// The kernel counts by blockDim, so that its blocks may change.
static bool countsByExtent(const Kernel &K, const ElementKernel &E) {
  for (const ContractionCoordinate &C : E.Along) {
    const Polynomial *Form = K.formOf(C.Variables.front()->getInit());
    if (!Form || !Form->uses(K.Symbols.builtin(SymbolKind::BlockDim, C.Axis)))
      return false;
  }
  return true;
}

/// Some launch starts a block even where there is no element.
static bool mayStartForNone(const Kernel &K, const ProgramAnalysis &A,
                            const ElementKernel &E) {
  std::string Obstacle;
  auto Set = editableLaunches(K, A, Obstacle);
  if (!Set)
    return true;
  for (const ContractionCoordinate &C : E.Along) {
    auto Bound = coveredBound(C, *Set, A);
    if (!Bound)
      return true;
    if (!Bound->Parameter)
      continue;
    for (const Launch *L : Set->All)
      if (startsForNone(*Bound->Parameter, C.Axis, *L, A, C.Threads) ||
          constantBlocks(*L, C.Axis, A))
        return true;
  }
  return false;
}

static llvm::Expected<Edit> apply(const Kernel &K, const ProgramAnalysis &A,
                                  const Plan &P,
                                  const std::array<int64_t, 2> &Block) {
  EditBuilder Builder(A.program(), Side::Device);
  P.Window.write(Builder, Block);
  if (Block != blockOf(K, A)) {
    if (K.HasLaunchBounds)
      replaceLaunchBounds(K, Builder,
                          "__launch_bounds__(" +
                              std::to_string(Block[0] * Block[1]) + ")");
    P.Launches.write(Builder, Block[1], Block[0], Block);
  }
  return Builder.finish();
}

void StageShared::findSites(const Kernel &K, const ProgramAnalysis &A,
                            std::vector<Site> &Out) const {
  auto Old = blockOf(K, A);
  if (!K.Editable || !K.UsesThreadIdx[0] || K.Launches.empty() || !Old ||
      K.Loops.empty() || K.Function->hasAttr<CUDAClusterDimsAttr>())
    return;
  std::string Obstacle;
  auto Elements =
      findElementKernel(K, TileLaunches::blockExtents(K, A), Obstacle);
  // Called functions must not know their thread, nor may another configuration
  // compute something else.
  if (!Elements || !Elements->isPlane() || Elements->Returns ||
      !builtinUses(K, EditBuilder(A.program(), Side::Device), Obstacle) ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()) ||
      showsOrder(K) || findReferences(A.program(), K).escapes())
    return;
  for (const ContractionCoordinate &C : Elements->Along)
    if (C.Guards.empty() || C.Threads)
      return;
  auto Launches =
      TileLaunches::of(K, A, Elements->Along[1], Elements->Along[0], Obstacle);
  if (!Launches)
    return;
  auto P =
      std::make_shared<Plan>(K, A, std::move(*Elements), std::move(*Launches));
  if (!P->Window.obstacle().empty() ||
      (P->Window.needsElements() && mayStartForNone(K, A, P->Elements)))
    return;

  std::vector<std::array<int64_t, 2>> Shapes{*Old};
  if (countsByExtent(K, P->Elements) && !P->Window.usesRawIndices()) {
    Shapes.assign(std::begin(Blocks), std::end(Blocks));
    if (!llvm::is_contained(Shapes, *Old))
      Shapes.push_back(*Old);
  }
  Site S = siteAt(*this, K, A, K.Pattern->getLocation());
  S.Subject = P->Window.array()->getNameAsString();
  S.Description = "read " + S.Subject + " from shared memory";
  S.Choices.clear();
  for (const std::array<int64_t, 2> &Block : Shapes)
    if ((Block == *Old || P->Launches.allow(Block[1], Block[0])) &&
        P->Window.sharedBytes(Block) <= MostStaticShared)
      S.Choices.push_back({{"x", Block[0]}, {"y", Block[1]}});
  S.Evidence = {"`" + S.Subject +
                "` is read at constant offsets around the "
                "element of each thread, and only read"};
  llvm::append_range(S.Evidence, P->Window.evidence());
  S.Evidence.push_back("what is loaded is what some thread reads");
  S.Evidence.push_back(P->Launches.evidence());
  S.Apply = [&K, &A, P](const RewriteParams &Params) {
    return apply(K, A, *P, {Params.at("x"), Params.at("y")});
  };
  if (S.Choices.empty())
    return;
  if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
    Out.push_back(std::move(S));
  else
    llvm::consumeError(Trial.takeError());
}

std::unique_ptr<Rule> createStageSharedRule() {
  return std::make_unique<StageShared>();
}

} // namespace cudal1

//===- TransposeThroughShared.cpp - transpose-through-shared --------------===//
//
// In a transpose either the loads or the stores of a warp lie a whole row
// apart, whichever way its threads are numbered: 32 memory sectors for what
// fits in 4. A block that brings a tile into shared memory row by row and takes
// it out column by column does both in whole lines.
//
//===----------------------------------------------------------------------===//

#include "../BuiltinUses.h"
#include "../KernelReferences.h"
#include "../TileLaunches.h"
#include "../TransposedTile.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Shapes offered, the one to try first in front.
static constexpr TransposedShape Shapes[] = {{32, 8}, {64, 16, 32}, {32, 4},
                                             {64, 8}, {64, 16},     {32, 16}};
/// Static shared memory that every part grants a block, in bytes.
static constexpr int64_t MostStaticShared = int64_t(48) * 1024;

namespace {

/// Moves elements through a tile in shared memory, where loads and stores
/// follow different axes.
class TransposeThroughShared : public Rule {
public:
  llvm::StringRef name() const override { return "transpose-through-shared"; }
  llvm::StringRef summary() const override {
    return "Moves elements through a padded tile in shared memory where loads "
           "are contiguous along one axis and stores along the other.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  Plan(const Kernel &K, const ProgramAnalysis &A, ElementKernel Kernel,
       TileLaunches L)
      : Elements(std::move(Kernel)), Launches(std::move(L)),
        Tile(K, A, Elements) {}

  ElementKernel Elements;
  TileLaunches Launches;
  TransposedTile Tile;
};

} // namespace

static llvm::Expected<Edit> apply(const Kernel &K, const ProgramAnalysis &A,
                                  const Plan &P, const TransposedShape &Shape) {
  EditBuilder Builder(A.program(), Side::Device);
  Builder.replaceBody(cast<CompoundStmt>(K.Pattern->getBody()),
                      P.Tile.body(Shape));
  if (K.HasLaunchBounds)
    replaceLaunchBounds(K, Builder,
                        "__launch_bounds__(" +
                            std::to_string(Shape.Columns * Shape.Rows) + ")");
  P.Launches.write(Builder, Shape.Edge, Shape.Edge,
                   {Shape.Columns, Shape.Rows});
  return Builder.finish();
}

void TransposeThroughShared::findSites(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       std::vector<Site> &Out) const {
  if (!K.Editable || !K.UsesThreadIdx[0] || K.Launches.empty() ||
      K.Function->hasAttr<CUDAClusterDimsAttr>())
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
  auto Launches =
      TileLaunches::of(K, A, Elements->Along[1], Elements->Along[0], Obstacle);
  if (!Launches)
    return;
  auto P =
      std::make_shared<Plan>(K, A, std::move(*Elements), std::move(*Launches));
  if (!P->Tile.obstacle().empty())
    return;

  Site S = siteAt(*this, K, A, K.Pattern->getLocation());
  S.Subject = K.Name;
  S.Description =
      "move elements of " + P->Tile.loaded() + " through shared memory";
  S.Choices.clear();
  for (const TransposedShape &Shape : Shapes)
    if (P->Launches.allow(Shape.Edge, Shape.Edge) &&
        P->Tile.sharedBytes(Shape) <= MostStaticShared) {
      S.Choices.push_back({{"tile", Shape.Edge}, {"rows", Shape.Rows}});
      if (Shape.walksRows())
        S.Choices.back()["columns"] = Shape.Columns;
    }
  S.Evidence = {"each thread loads and stores elements of its own row and "
                "column, and ties no others to it"};
  llvm::append_range(S.Evidence, P->Tile.evidence());
  S.Evidence.push_back(P->Launches.evidence());
  S.Apply = [&K, &A, P](const RewriteParams &Params) {
    TransposedShape Shape{Params.at("tile"), Params.at("rows")};
    if (auto It = Params.find("columns"); It != Params.end())
      Shape.Columns = It->second;
    return apply(K, A, *P, Shape);
  };
  if (S.Choices.empty())
    return;
  if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
    Out.push_back(std::move(S));
  else
    llvm::consumeError(Trial.takeError());
}

std::unique_ptr<Rule> createTransposeThroughSharedRule() {
  return std::make_unique<TransposeThroughShared>();
}

} // namespace cudal1

//===- TileLoop.cpp - tile-loop -------------------------------------------===//
//
// Where all threads go through the same array, each element is loaded by every
// warp, with a request to the L1 cache for each of its members. In shared
// memory it lies close by, and loads of several iterations become one.
//
//===----------------------------------------------------------------------===//

#include "../BlockTiledLoop.h"
#include "../BuiltinUses.h"
#include "../SharedArrayUses.h"
#include "../TileLaunches.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Elements of a tile, the number to try first in front.
static constexpr int64_t Tiles[] = {256, 128, 512};
/// Iterations below which a barrier costs more than it can bring.
static constexpr uint64_t FewIterations = 128;

namespace {

/// Brings what all threads of a block read in a loop to shared memory, a tile
/// at a time.
class TileLoop : public Rule {
public:
  llvm::StringRef name() const override { return "tile-loop"; }
  llvm::StringRef summary() const override {
    return "Brings what all threads of a block read in a loop to shared "
           "memory, a tile at a time.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  Plan(const Kernel &K, const ProgramAnalysis &A, const ElementKernel &E,
       const Loop &L)
      : Elements(E), Tiled(K, A, Elements, L) {}

  ElementKernel Elements;
  BlockTiledLoop Tiled;
};

} // namespace

static std::optional<Site> siteFor(const Rule &R, const Kernel &K,
                                   const ProgramAnalysis &A,
                                   const ElementKernel &E, const Loop &L) {
  auto P = std::make_shared<Plan>(K, A, E, L);
  if (!P->Tiled.obstacle().empty())
    return std::nullopt;
  Site S = siteAt(R, K, A, L.Statement->getBeginLoc());
  S.Subject = L.Variable->getNameAsString();
  S.Description = "bring " + P->Tiled.tiled() +
                  " to shared memory, a tile at a time, in the loop over " +
                  S.Subject;
  S.Choices.clear();
  for (int64_t Tile : Tiles)
    if (P->Tiled.sharedBytes(Tile) <= MostStaticShared)
      S.Choices.push_back({{"tile", Tile}});
  S.Evidence = {"all threads of a block read the same elements in the same "
                "iterations",
                "each thread keeps the order of its operations"};
  llvm::append_range(S.Evidence, P->Tiled.evidence());
  S.LoopDepth = L.Depth;
  S.Apply = [&K, &A, P](const RewriteParams &Params) {
    EditBuilder Builder(A.program(), Side::Device);
    Builder.replaceBody(cast<CompoundStmt>(K.Pattern->getBody()),
                        P->Tiled.body(Params.at("tile")));
    return Builder.finish();
  };
  if (S.Choices.empty())
    return std::nullopt;
  llvm::Expected<Edit> Trial = S.Apply(S.Choices.front());
  if (Trial)
    return S;
  llvm::consumeError(Trial.takeError());
  return std::nullopt;
}

void TileLoop::findSites(const Kernel &K, const ProgramAnalysis &A,
                         std::vector<Site> &Out) const {
  std::string Obstacle;
  EditBuilder Texts(A.program(), Side::Device);
  if (!K.Editable || !K.UsesThreadIdx[0] || K.Loops.empty() ||
      K.Function->hasAttr<CUDAClusterDimsAttr>() ||
      spansDirective(*K.Context, K.Pattern->getSourceRange()) ||
      showsOrder(K) || !builtinUses(K, Texts, Obstacle))
    return;
  auto E = findElementKernel(K, TileLaunches::blockExtents(K, A), Obstacle);
  if (!E || E->isPlane() || E->Returns)
    return;
  for (const std::unique_ptr<Loop> &L : K.Loops) {
    if (!L->Counted || L->Parent || Texts.hasLoopPragma(L->Statement) ||
        (L->TripCount && *L->TripCount < FewIterations))
      continue;
    if (auto S = siteFor(*this, K, A, *E, *L))
      Out.push_back(std::move(*S));
  }
}

std::unique_ptr<Rule> createTileLoopRule() {
  return std::make_unique<TileLoop>();
}

} // namespace cudal1

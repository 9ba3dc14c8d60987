//===- TileContraction.cpp - tile-contraction -----------------------------===//
//
// With one thread an element, a matrix product reads every element of its
// factors as often as there are rows or columns. Here a block keeps tiles of
// both in shared memory and each thread a rectangle of sums in registers, so
// that the arithmetic is what takes the time. Every sum adds the same products
// in the same order as before.
//
//===----------------------------------------------------------------------===//

#include "../BuiltinUses.h"
#include "../KernelReferences.h"
#include "../NumberingBranches.h"
#include "../TileLaunches.h"
#include "../TiledContraction.h"
#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Shapes offered, the one to try first in front.
static constexpr TileShape Shapes[] = {
    {128, 128, 8, 8, 8}, {128, 128, 16, 8, 8}, {64, 64, 16, 4, 4},
    {128, 64, 16, 8, 4}, {64, 64, 8, 8, 8},    {32, 32, 32, 2, 2}};
/// Besides, for sums of 8 bytes: 64 of them take all registers of a thread, and
/// one block on a multiprocessor has nothing to hide its barriers behind.
static constexpr TileShape WideShapes[] = {
    {128, 64, 8, 8, 4}, {64, 64, 8, 4, 4}, {64, 32, 16, 4, 2}};
/// Bytes of a double.
static constexpr int64_t WideSum = 8;
/// Static shared memory that every part grants a block, in bytes.
static constexpr int64_t MostStaticShared = int64_t(48) * 1024;

namespace {

/// Computes sums of products with tiles in shared memory and registers.
class TileContraction : public Rule {
public:
  llvm::StringRef name() const override { return "tile-contraction"; }
  llvm::StringRef summary() const override {
    return "Computes a matrix product with tiles of its factors in shared "
           "memory and a rectangle of sums in the registers of each thread.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

} // namespace

static TileShape shapeOf(const RewriteParams &Params) {
  return {Params.at("bm"), Params.at("bn"), Params.at("bk"), Params.at("tm"),
          Params.at("tn")};
}

namespace {

/// All that an Edit needs.
struct Plan {
  Plan(const Kernel &K, const ProgramAnalysis &A, ContractionNest N,
       TileLaunches L, bool DropsBranches)
      : Nest(std::move(N)), Launches(std::move(L)), Text(K, A, Nest),
        DropsBranches(DropsBranches) {}

  ContractionNest Nest;
  TileLaunches Launches;
  TiledContraction Text;
  /// `#if` branches stand in the body that only number threads.
  bool DropsBranches;
};

} // namespace

/// Two large blocks on one multiprocessor hide each other's barriers, if
/// registers allow: at most 128 a thread, for 64 sums of 4 bytes and the rest.
static std::string launchBounds(const Plan &P, const TileShape &Shape) {
  bool Large = Shape.threads() >= 256 && Shape.ThreadM * Shape.ThreadN >= 64;
  return "__launch_bounds__(" + std::to_string(Shape.threads()) +
         (Large && P.Text.sumBytes() <= 4 ? ", 2" : "") + ")";
}

static llvm::Expected<Edit> apply(const Kernel &K, const ProgramAnalysis &A,
                                  const Plan &P, const TileShape &Shape) {
  EditBuilder Builder(A.program(), Side::Device);
  Builder.replaceBody(cast<CompoundStmt>(K.Pattern->getBody()),
                      P.Text.body(Shape), P.DropsBranches);
  std::string Bounds = launchBounds(P, Shape);
  if (K.HasLaunchBounds)
    replaceLaunchBounds(K, Builder, Bounds);
  else
    Builder.insertBefore(attributePlace(*K.Pattern), Bounds + " ");
  P.Launches.write(Builder, Shape.M, Shape.N, {Shape.threads(), 1});
  return Builder.finish();
}

static void findSitesIn(const Rule &R, const Kernel &K,
                        const ProgramAnalysis &A, std::vector<Site> &Out) {
  if (!K.Editable || !K.UsesThreadIdx[0] || K.Launches.empty() ||
      K.Function->hasAttr<CUDAClusterDimsAttr>())
    return;
  std::string Obstacle;
  auto Nest = findContraction(K, TileLaunches::blockExtents(K, A), Obstacle);
  bool DropsBranches =
      Nest && branchesOnlyNumberThreads(K, {Nest->Rows, Nest->Columns});
  // Called functions must not know their thread, nor may another configuration
  // compute something else.
  if (!builtinUses(K, EditBuilder(A.program(), Side::Device), Obstacle,
                   DropsBranches))
    return;
  if (!Nest || showsOrder(K) ||
      (!DropsBranches &&
       spansDirective(*K.Context, K.Pattern->getSourceRange())))
    return;
  if (isSmallFloat(Nest->Left.Access->ElementType) ||
      isSmallFloat(Nest->Right.Access->ElementType))
    return;
  std::vector<std::string> Evidence;
  if (!outputIsDisjoint(K, A, *Nest, Evidence) ||
      findReferences(A.program(), K).escapes())
    return;
  auto Launches = TileLaunches::of(K, A, Nest->Rows, Nest->Columns, Obstacle);
  if (!Launches)
    return;
  auto P = std::make_shared<Plan>(K, A, std::move(*Nest), std::move(*Launches),
                                  DropsBranches);
  if (!P->Text.obstacle().empty())
    return;

  Site S = siteAt(R, K, A, K.Pattern->getLocation());
  S.Subject = K.Name;
  S.Description = "compute " + K.DisplayName + " in tiles";
  S.Choices.clear();
  std::vector<TileShape> Offered(std::begin(Shapes), std::end(Shapes));
  if (P->Text.sumBytes() >= WideSum)
    Offered.insert(Offered.end(), std::begin(WideShapes), std::end(WideShapes));
  for (const TileShape &Shape : Offered)
    if (P->Text.fits(Shape) && P->Launches.allow(Shape.M, Shape.N) &&
        P->Text.sharedBytes(Shape) <= MostStaticShared)
      S.Choices.push_back({{"bm", Shape.M},
                           {"bn", Shape.N},
                           {"bk", Shape.K},
                           {"tm", Shape.ThreadM},
                           {"tn", Shape.ThreadN}});
  S.Evidence = {"each thread sums up products of an element of its row and one "
                "of its column, and does nothing else",
                "every sum adds the same products in the same order"};
  llvm::append_range(S.Evidence, Evidence);
  S.Evidence.push_back(P->Launches.evidence());
  S.Apply = [&K, &A, P](const RewriteParams &Params) {
    return apply(K, A, *P, shapeOf(Params));
  };
  if (S.Choices.empty())
    return;
  if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
    Out.push_back(std::move(S));
  else
    llvm::consumeError(Trial.takeError());
}

void TileContraction::findSites(const Kernel &K, const ProgramAnalysis &A,
                                std::vector<Site> &Out) const {
  findContractionSites(*this, K, A, findSitesIn, Out);
}

std::unique_ptr<Rule> createTileContractionRule() {
  return std::make_unique<TileContraction>();
}

} // namespace cudal1

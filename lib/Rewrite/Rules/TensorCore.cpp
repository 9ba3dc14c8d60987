//===- TensorCore.cpp - tensor-core ---------------------------------------===//
//
// Tensor cores multiply small matrices, many times faster than a thread
// multiplies numbers. Half and bfloat16 give products that are exact in float,
// double is fused: only the order of sums changes. Single precision is rounded
// to tf32 on the way, which is another class.
//
//===----------------------------------------------------------------------===//

#include "../BuiltinUses.h"
#include "../KernelReferences.h"
#include "../NumberingBranches.h"
#include "../TensorContraction.h"
#include "../TileLaunches.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Shapes offered, the one to try first in front: for 16-bit factors, for tf32
/// and for double.
static constexpr WarpTileShape SmallShapes[] = {{128, 128, 32, 64, 32},
                                                {128, 64, 32, 32, 32},
                                                {64, 64, 32, 32, 32},
                                                {32, 32, 32, 16, 16}};
static constexpr WarpTileShape SingleShapes[] = {{128, 128, 16, 64, 32},
                                                 {128, 64, 16, 32, 32},
                                                 {64, 64, 16, 32, 32},
                                                 {32, 32, 32, 16, 16}};
static constexpr WarpTileShape DoubleShapes[] = {{64, 64, 16, 32, 16},
                                                 {128, 64, 8, 32, 32},
                                                 {64, 32, 16, 16, 16},
                                                 {32, 32, 16, 16, 16}};
/// Static shared memory that every part grants a block, in bytes.
static constexpr int64_t MostStaticShared = int64_t(48) * 1024;

namespace {

/// Multiplies matrices on tensor cores.
class TensorCore : public Rule {
public:
  llvm::StringRef name() const override { return "tensor-core"; }
  llvm::StringRef summary() const override {
    return "Computes a matrix product on tensor cores, with tiles of its "
           "factors in shared memory.";
  }
  FpClass fpClass() const override { return FpClass::ReducedPrecision; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// All that an Edit needs.
struct Plan {
  Plan(const Kernel &K, const ProgramAnalysis &A, ContractionNest N,
       TileLaunches L, bool DropsBranches)
      : Nest(std::move(N)), Launches(std::move(L)), Text(K, A, Nest),
        DropsBranches(DropsBranches) {}

  ContractionNest Nest;
  TileLaunches Launches;
  TensorContraction Text;
  /// `#if` branches stand in the body that only number threads.
  bool DropsBranches;
};

} // namespace

static llvm::ArrayRef<WarpTileShape> shapesFor(const FragmentKind &Kind) {
  if (Kind.SumBytes == 8)
    return DoubleShapes;
  return Kind.Factor.empty() ? llvm::ArrayRef(SmallShapes) : SingleShapes;
}

/// Two blocks of 256 threads on one multiprocessor hide each other's barriers:
/// 128 registers a thread do for 16-bit factors, whose sums take half of them.
static std::string launchBounds(const TensorContraction &Text,
                                const WarpTileShape &Shape) {
  bool Two = Shape.threads() == 256 && Text.kind().K == 16;
  return "__launch_bounds__(" + std::to_string(Shape.threads()) +
         (Two ? ", 2" : "") + ")";
}

static llvm::Expected<Edit> apply(const Kernel &K, const ProgramAnalysis &A,
                                  const Plan &P, const RewriteParams &Params) {
  WarpTileShape Shape{Params.at("bm"), Params.at("bn"), Params.at("bk"),
                      Params.at("wm"), Params.at("wn")};
  EditBuilder Builder(A.program(), Side::Device);
  Builder.include("mma.h", K.Pattern->getLocation());
  Builder.replaceBody(cast<CompoundStmt>(K.Pattern->getBody()),
                      P.Text.body(Shape), P.DropsBranches);
  std::string Bounds = launchBounds(P.Text, Shape);
  if (K.HasLaunchBounds)
    replaceLaunchBounds(K, Builder, Bounds);
  else
    Builder.insertBefore(attributePlace(*K.Pattern), Bounds + " ");
  P.Launches.write(Builder, Shape.M, Shape.N, {Shape.threads(), 1});
  return Builder.finish();
}

static std::vector<std::string> evidence(const Plan &P) {
  std::vector<std::string> Result = {
      "each thread sums up products of an element of its row and one of its "
      "column, and does nothing else"};
  if (P.Text.roundsFactors())
    Result.push_back("factors are rounded to tf32, 10 bits behind the point");
  else if (P.Text.kind().SumBytes == 8)
    Result.push_back("products of double are fused with their sums");
  else
    Result.push_back("products of 16-bit numbers are exact in float, in which "
                     "they are summed up");
  Result.push_back("every target has compute capability " +
                   std::to_string(P.Text.kind().LeastArch / 10) + "." +
                   std::to_string(P.Text.kind().LeastArch % 10) + " or more");
  return Result;
}

static std::vector<RewriteParams> choices(const Plan &P) {
  std::vector<RewriteParams> Result;
  for (const WarpTileShape &Shape : shapesFor(P.Text.kind()))
    if (P.Text.fits(Shape) && P.Launches.allow(Shape.M, Shape.N) &&
        P.Text.sharedBytes(Shape) <= MostStaticShared)
      Result.push_back({{"bm", Shape.M},
                        {"bn", Shape.N},
                        {"bk", Shape.K},
                        {"wm", Shape.WarpM},
                        {"wn", Shape.WarpN}});
  return Result;
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
  if (!builtinUses(K, EditBuilder(A.program(), Side::Device), Obstacle,
                   DropsBranches))
    return;
  if (!Nest || showsOrder(K) ||
      (!DropsBranches &&
       spansDirective(*K.Context, K.Pattern->getSourceRange())))
    return;
  std::vector<std::string> Disjoint;
  if (!outputIsDisjoint(K, A, *Nest, Disjoint) ||
      findReferences(A.program(), K).escapes())
    return;
  auto Launches = TileLaunches::of(K, A, Nest->Rows, Nest->Columns, Obstacle);
  if (!Launches)
    return;
  auto P = std::make_shared<Plan>(K, A, std::move(*Nest), std::move(*Launches),
                                  DropsBranches);
  if (!P->Text.obstacle().empty() ||
      A.program().input().LeastArch < P->Text.kind().LeastArch)
    return;

  Site S = siteAt(R, K, A, K.Pattern->getLocation());
  S.Subject = K.Name;
  S.Description = "compute " + K.DisplayName + " on tensor cores";
  S.Class = P->Text.roundsFactors() ? FpClass::ReducedPrecision
                                    : FpClass::Reassociate;
  S.Choices = choices(*P);
  S.Evidence = evidence(*P);
  llvm::append_range(S.Evidence, Disjoint);
  S.Evidence.push_back(P->Launches.evidence());
  S.Apply = [&K, &A, P](const RewriteParams &Params) {
    return apply(K, A, *P, Params);
  };
  if (S.Choices.empty())
    return;
  if (llvm::Expected<Edit> Trial = S.Apply(S.Choices.front()))
    Out.push_back(std::move(S));
  else
    llvm::consumeError(Trial.takeError());
}

void TensorCore::findSites(const Kernel &K, const ProgramAnalysis &A,
                           std::vector<Site> &Out) const {
  findContractionSites(*this, K, A, findSitesIn, Out);
}

std::unique_ptr<Rule> createTensorCoreRule() {
  return std::make_unique<TensorCore>();
}

} // namespace cudal1

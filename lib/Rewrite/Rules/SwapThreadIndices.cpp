//===- SwapThreadIndices.cpp - swap-thread-indices ------------------------===//
//
// The threads of a warp differ in threadIdx.x. Where x counts rows and y counts
// columns, each of them reads another row: 32 memory sectors instead of 4. With
// x and y exchanged everywhere in the kernel, and in the shape of every launch,
// every thread does what its mirror image did before; only who sits in a warp
// with whom changes. So whatever depends on that stands in the way.
//
//===----------------------------------------------------------------------===//

#include "../BuiltinUses.h"
#include "../LaunchEdits.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Blocks in y of one launch at most; in x there may be 2^31 - 1.
static constexpr int64_t MostBlocksInY = 65535;
/// An access in a loop counts as many times as one outside of it.
static constexpr double LoopWeight = 16;
/// Sectors that a warp's access costs, as a multiple of a coalesced one: a
/// stride that is not a small constant touches a sector for each thread.
static constexpr double ScatteredCost = 8;
static constexpr double BroadcastCost = 0.25;
/// Shared memory is an order of magnitude cheaper, bank conflicts included.
static constexpr double SharedWeight = 0.1;

namespace {

/// Exchanges the x and y of thread and block indices, and of the launch, where
/// that makes accesses coalesced.
class SwapThreadIndices : public Rule {
public:
  llvm::StringRef name() const override { return "swap-thread-indices"; }
  llvm::StringRef summary() const override {
    return "Exchanges the x and y of thread and block indices, and of the "
           "launch, where that makes accesses coalesced.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// What the accesses of a warp cost when it runs along one axis.
struct AxisCost {
  double Cost = 0;
  unsigned Coalesced = 0;
  unsigned Strided = 0;
};

} // namespace

static double costOfStride(const Polynomial &Stride) {
  std::optional<int64_t> Value = Stride.constant();
  if (!Value)
    return ScatteredCost;
  if (*Value == 0)
    return BroadcastCost;
  return std::min<double>(double(std::abs(*Value)), ScatteredCost);
}

/// How far apart two neighbours along an axis are; a loop that starts at the
/// thread's index carries it along.
static std::optional<Polynomial> strideAlong(const MemoryAccess &Access,
                                             SymbolId Thread) {
  Polynomial Index = Access.Index;
  for (const Loop *L = Access.InLoop; L; L = L->Parent)
    if (L->Variable)
      Index = Index.substitute(L->VariableSymbol, L->Lower);
  return Index.coefficientOf(Thread);
}

static AxisCost costAlong(const Kernel &K, unsigned Axis) {
  AxisCost Result;
  SymbolId Thread = K.Symbols.builtin(SymbolKind::ThreadIdx, Axis);
  for (const MemoryAccess &Access : K.Accesses) {
    bool Shared = Access.Space == MemorySpace::Shared;
    if (Access.InCallee || (!Shared && Access.Space != MemorySpace::Global))
      continue;
    std::optional<Polynomial> Stride = strideAlong(Access, Thread);
    if (!Stride)
      continue;
    double Weight = Shared ? SharedWeight : 1;
    for (const Loop *L = Access.InLoop; L; L = L->Parent)
      Weight *= LoopWeight;
    double Cost = costOfStride(*Stride);
    Result.Cost += Weight * Cost;
    if (Shared)
      continue;
    if (Cost <= 1)
      ++Result.Coalesced;
    else
      ++Result.Strided;
  }
  return Result;
}

/// Something in the kernel depends on which threads share a warp, or on their
/// order; nothing when all that matters is each thread's own index.
static std::optional<std::string> orderDependence(const Kernel &K) {
  if (!K.WarpOperations.empty())
    return "it uses " + K.WarpOperations.front().Name;
  if (K.HasAsm)
    return "it holds inline assembly";
  if (!K.UnknownCalls.empty())
    return "it calls " + K.UnknownCalls.front();
  for (const Barrier &B : K.Barriers)
    if (B.Kind != BarrierKind::Block)
      return "it uses a barrier of a warp or of the grid";
  for (const AtomicOperation &Atomic : K.Atomics)
    for (const Expr *Argument : Atomic.Call->arguments())
      if (Argument->getType()->isFloatingType() ||
          (Argument->getType()->isPointerType() &&
           Argument->getType()->getPointeeType()->isFloatingType()))
        return "the order of its floating-point atomics matters";
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Expression->getType().isVolatileQualified())
      return "it relies on volatile memory";
  if (K.Function->hasAttr<CUDAClusterDimsAttr>())
    return "it has cluster dimensions";
  if (showsOrder(K))
    return "it prints or reads a clock";
  return std::nullopt;
}

static bool hasRowsInBlock(const LaunchSet &Set) {
  return llvm::all_of(Set.All, [](const Launch *L) {
    return !L->BlockExtent[1].Known || !L->BlockExtent[1].Value ||
           *L->BlockExtent[1].Value > 1;
  });
}

/// The new number of blocks in y, the old one in x, is within the limit: by its
/// value, or because the old number in y was the same.
static bool blocksFitInY(const Launch &L, const ProgramAnalysis &A) {
  const LaunchExtent &X = L.GridExtent[0], &Y = L.GridExtent[1];
  if (X.Value)
    return *X.Value <= MostBlocksInY;
  const ASTContext &Context = A.program().context(Side::Host);
  return X.Expression && Y.Expression &&
         !X.Expression->HasSideEffects(Context) &&
         sameExpression(X.Expression->IgnoreParenImpCasts(),
                        Y.Expression->IgnoreParenImpCasts(), Context);
}

/// Exchanges the first two components where they are written: in the
/// constructor of a variable that serves nothing else, or at the launch.
static void swapGeometry(const LaunchGeometry &G, const LaunchSet &Set,
                         const ProgramAnalysis &A, EditBuilder &Builder,
                         std::set<const VarDecl *> &Done) {
  std::array<std::string, 3> Text{G.Text[1], G.Text[0], G.Text[2]};
  if (G.Variable && G.Constructor &&
      isOnlyLaunchConfiguration(G.Variable, Set, A)) {
    if (!Done.insert(G.Variable).second)
      return;
    std::array<std::string, 3> Old;
    unsigned Given = 0;
    for (unsigned I = 0; I < 3; ++I) {
      const Expr *Argument = G.Constructor->getArg(I);
      if (isa<CXXDefaultArgExpr>(Argument)) {
        Old[I] = "1";
        continue;
      }
      Old[I] = Builder.text(Argument->getSourceRange()).str();
      Given = I + 1;
    }
    if (Old[0] == Old[1])
      return;
    if (Given == 0)
      return;
    SourceRange Arguments(G.Constructor->getArg(0)->getBeginLoc(),
                          G.Constructor->getArg(Given - 1)->getEndLoc());
    Builder.replace(Arguments, dim3Arguments({Old[1], Old[0], Old[2]}));
    return;
  }
  if (Text[0] == Text[1])
    return;
  Builder.replace(G.Argument->getSourceRange(), dim3Text(Text));
}

static LaunchTransform exchanged() {
  LaunchTransform T = LaunchTransform::identity();
  std::swap(T.Grid[0], T.Grid[1]);
  std::swap(T.Block[0], T.Block[1]);
  return T;
}

static llvm::Expected<Edit> apply(const ProgramAnalysis &A,
                                  const std::vector<BuiltinUse> &Uses,
                                  const LaunchSet &Set) {
  EditBuilder Builder(A.program(), Side::Device);
  for (const BuiltinUse &Use : Uses)
    if (Use.Axis < 2)
      Builder.replace(Use.Member, Use.Axis == 0 ? "y" : "x");
  Builder.setSide(Side::Host);
  std::set<const VarDecl *> Done;
  for (const Launch *L : Set.Places)
    for (const Expr *Argument : {L->Grid, L->Block})
      if (auto G = geometryOf(Argument, A))
        swapGeometry(*G, Set, A, Builder, Done);
      else
        Builder.fail("the shape of the launch at line " + llvm::Twine(L->Line) +
                     " cannot be rewritten");
  Builder.setLaunch(exchanged());
  return Builder.finish();
}

void SwapThreadIndices::findSites(const Kernel &K, const ProgramAnalysis &A,
                                  std::vector<Site> &Out) const {
  if (!K.Editable || !K.UsesThreadIdx[0] || !K.UsesThreadIdx[1])
    return;
  AxisCost Along = costAlong(K, 0), Across = costAlong(K, 1);
  if (Across.Cost >= Along.Cost || orderDependence(K))
    return;
  std::string Obstacle;
  EditBuilder Texts(A.program(), Side::Device);
  auto Uses = builtinUses(K, Texts, Obstacle);
  if (!Uses)
    return;
  auto Set = editableLaunches(K, A, Obstacle);
  if (!Set || !hasRowsInBlock(*Set))
    return;
  bool Fits = true;
  for (const Launch *L : Set->All) {
    auto Grid = geometryOf(L->Grid, A), Block = geometryOf(L->Block, A);
    if (!Grid || !Block)
      return;
    Fits = Fits && blocksFitInY(*L, A);
  }
  Site S = siteAt(*this, K, A, K.Pattern->getLocation());
  S.Subject = K.Name;
  S.Description = "exchange x and y of " + K.DisplayName + " and its launches";
  S.Evidence = {
      std::to_string(Across.Coalesced) + " of " +
          std::to_string(Across.Coalesced + Across.Strided) +
          " global accesses are contiguous along threadIdx.y, " +
          std::to_string(Along.Coalesced) + " along threadIdx.x",
      "nothing in the kernel depends on the order of threads or on warps",
      launchesAre(*Set) + " in this unit and can be changed"};
  if (Fits)
    S.Evidence.push_back("no launch has more than 65535 blocks in x");
  else
    S.Condition = "no launch has more than 65535 blocks in x";
  S.Apply = [&A, Uses = std::move(*Uses), Set = std::move(*Set)](
                const RewriteParams &) { return apply(A, Uses, Set); };
  Out.push_back(std::move(S));
}

std::unique_ptr<Rule> createSwapThreadIndicesRule() {
  return std::make_unique<SwapThreadIndices>();
}

} // namespace cudal1

//===- BlockSize.cpp - block-size -----------------------------------------===//
//
// The best number of threads per block depends on registers, on how long blocks
// run and on how many fill a multiprocessor. A kernel that uses only its
// threads' numbers in the whole grid computes the same with any cut into
// blocks, provided that the same numbers run, or that those beyond do nothing.
//
//===----------------------------------------------------------------------===//

#include "../GlobalIds.h"
#include "../LaunchCoverage.h"
#include "../LaunchEdits.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace clang;

namespace cudal1 {

/// Shapes offered, the one to try first in front.
static constexpr int64_t Shapes1D[] = {256, 128, 512, 64, 1024};
static constexpr std::array<int64_t, 2> Shapes2D[] = {
    {32, 8}, {32, 16}, {64, 4}, {16, 16}, {32, 4}, {128, 2}, {32, 32}};
static constexpr std::array<int64_t, 3> Shapes3D[] = {
    {32, 4, 2}, {32, 4, 4}, {32, 8, 1}, {64, 4, 1}, {16, 4, 4}, {64, 4, 4}};
static constexpr int64_t MostThreadsPerBlock = 1024;
static constexpr int64_t MostBlocksInY = 65535;
/// Factors that this rule writes into a grid; see isOwnForm.
static constexpr int64_t MostRatio = 16;

namespace {

/// Changes the number of threads per block and recomputes the grid, where the
/// kernel uses thread numbers of the whole grid only.
class BlockSize : public Rule {
public:
  llvm::StringRef name() const override { return "block-size"; }
  llvm::StringRef summary() const override {
    return "Changes the number of threads per block and recomputes the grid, "
           "where the kernel uses thread numbers of the whole grid only.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

/// What a choice needs besides the proofs that hold anyway.
enum class Need { Nothing, Check, Impossible };

} // namespace

/// Something in the kernel depends on which threads share a block or a warp.
static bool dependsOnBlocks(const Kernel &K) {
  if (!K.WarpOperations.empty() || K.HasAsm || !K.UnknownCalls.empty() ||
      !K.Barriers.empty() || !K.SharedArrays.empty() ||
      K.Function->hasAttr<CUDAClusterDimsAttr>() || showsOrder(K))
    return true;
  for (const AtomicOperation &Atomic : K.Atomics)
    for (const Expr *Argument : Atomic.Call->arguments())
      if (Argument->getType()->isFloatingType() ||
          (Argument->getType()->isPointerType() &&
           Argument->getType()->getPointeeType()->isFloatingType()))
        return true;
  return llvm::any_of(K.Accesses, [](const MemoryAccess &Access) {
    return Access.Expression->getType().isVolatileQualified();
  });
}

static std::optional<int64_t> integer(const Expr *E, const ASTContext &C) {
  Expr::EvalResult Value;
  if (!E || E->isValueDependent() || !E->EvaluateAsInt(Value, C) ||
      Value.Val.getInt().getSignificantBits() > 63)
    return std::nullopt;
  return Value.Val.getInt().getExtValue();
}

/// `2 * g` and `(g + 1) / 2`: how this rule writes a grid. A launch that reads
/// so has been given its shape already. A division by the block size itself is
/// the author's.
static bool isOwnForm(const Expr *Blocks, int64_t Block, const ASTContext &C) {
  if (!Blocks)
    return false;
  const auto *Op = dyn_cast<BinaryOperator>(Blocks->IgnoreParenImpCasts());
  if (!Op)
    return false;
  auto IsRatio = [](std::optional<int64_t> V) {
    return V && *V >= 2 && *V <= MostRatio;
  };
  if (Op->getOpcode() == BO_Mul)
    return IsRatio(integer(Op->getLHS(), C));
  if (Op->getOpcode() != BO_Div)
    return false;
  auto Ratio = integer(Op->getRHS(), C);
  const auto *Sum =
      dyn_cast<BinaryOperator>(Op->getLHS()->IgnoreParenImpCasts());
  return IsRatio(Ratio) && *Ratio != Block && Sum &&
         Sum->getOpcode() == BO_Add && integer(Sum->getRHS(), C) == *Ratio - 1;
}

/// Iterations of a grid-stride loop may access what others write, so that it
/// matters which of them one thread makes.
static Need needOfSharedElements(const Kernel &K, const ProgramAnalysis &A) {
  Need Worst = Need::Nothing;
  for (const MemoryAccess &Write : K.Accesses) {
    if (!Write.writes() || Write.Kind == AccessKind::Atomic ||
        Write.Space == MemorySpace::Local)
      continue;
    for (const MemoryAccess &Other : K.Accesses) {
      if (&Other == &Write || Other.Space == MemorySpace::Local)
        continue;
      bool Known = !Other.InCallee && !Write.InCallee && Other.Base;
      if (Known && Other.Base == Write.Base && Other.Index == Write.Index &&
          Other.ElementSize == Write.ElementSize && K.isStable(Other.Index))
        continue;
      OverlapAnswer Answer = A.basesMayOverlap(K, Other, Write);
      if (Answer.Answer == OverlapAnswer::Overlap)
        return Need::Impossible;
      if (!Answer.disjoint())
        Worst = Need::Check;
    }
  }
  return Worst;
}

/// Can the blocks along \p Axis get \p New threads instead of \p Old?
static Need needOf(unsigned Axis, int64_t Old, int64_t New,
                   const GlobalIdAxis &Use, const Kernel &K,
                   const LaunchSet &Set, const ProgramAnalysis &A) {
  if (Old == New)
    return Need::Nothing;
  int64_t Ratio = std::max(Old, New) / std::min(Old, New);
  if (std::max(Old, New) % std::min(Old, New) || Ratio > MostRatio ||
      Use.Extra == ExtraThreads::Unused)
    return Need::Impossible;
  if (New < Old) {
    // The same threads in more blocks.
    bool Fits = Axis == 0 || llvm::all_of(Set.All, [&](const Launch *L) {
                  const auto &Value = L->GridExtent[Axis].Value;
                  return Value && *Value * Ratio <= MostBlocksInY;
                });
    return Fits ? Need::Nothing : Need::Check;
  }
  bool Divides = llvm::all_of(Set.All, [&](const Launch *L) {
    const auto &Value = L->GridExtent[Axis].Value;
    return Value && *Value % Ratio == 0;
  });
  if (Divides)
    return Need::Nothing;
  if (Use.Extra == ExtraThreads::GridStride)
    return needOfSharedElements(K, A);
  if (Use.Extra != ExtraThreads::Guarded)
    return Need::Impossible;
  return Use.Bound && coversBound(*Use.Bound, Axis, Set, A) ? Need::Nothing
                                                            : Need::Check;
}

/// Blocks along one axis: as many threads as before, in blocks of another size.
static std::string newGridText(const LaunchGeometry &Grid, unsigned Axis,
                               int64_t Old, int64_t New) {
  const std::string &Text = Grid.Text[Axis];
  if (Old == New)
    return Text;
  if (New < Old)
    return std::to_string(Old / New) + " * " +
           (Grid.Primary[Axis] ? Text : "(" + Text + ")");
  return sharedBlocksText(Grid, Axis, New / Old);
}

/// Writes the new block: into the variable that serves nothing else, which
/// would be left unused, or at the launch.
static void writeBlock(const LaunchGeometry &Block, const LaunchSet &Set,
                       const ProgramAnalysis &A, EditBuilder &Builder,
                       std::array<int64_t, 3> Old, std::array<int64_t, 3> New,
                       std::set<const VarDecl *> &Done) {
  std::array<std::string, 3> Text;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    Text[Axis] = std::to_string(New[Axis]);
  bool Line = New[1] == 1 && New[2] == 1;
  SourceRange Range = Block.Argument->getSourceRange();
  std::string Whole = Line ? Text[0] : dim3Text(Text);
  const auto *Ref = dyn_cast<DeclRefExpr>(Block.Written);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V)
    return Builder.replace(Range, Whole);
  if (!V->hasLocalStorage() && Block.Scalar && Line && Old[0] != New[0])
    // A constant of the file stays in use.
    return Builder.replace(
        Range, New[0] < Old[0]
                   ? Block.Text[0] + " / " + std::to_string(Old[0] / New[0])
                   : std::to_string(New[0] / Old[0]) + " * " + Block.Text[0]);
  if (!isOnlyBlock(V, Set, A))
    return Builder.replace(Range, Whole);
  if (!Done.insert(V).second)
    return;
  const CXXConstructExpr *C = Block.Constructor;
  if (C && C->getNumArgs() == 3 && !isa<CXXDefaultArgExpr>(C->getArg(0))) {
    unsigned Last = 0;
    for (unsigned I = 1; I < 3; ++I)
      if (!isa<CXXDefaultArgExpr>(C->getArg(I)))
        Last = I;
    return Builder.replace(
        {C->getArg(0)->getBeginLoc(), C->getArg(Last)->getEndLoc()},
        dim3Arguments(Text));
  }
  if (Block.Scalar && Line && V->getInit())
    return Builder.replace(V->getInit()->getSourceRange(), Text[0]);
  Builder.fail("`" + V->getNameAsString() + "` would be left unused");
}

static llvm::Expected<Edit> apply(const ProgramAnalysis &A,
                                  const LaunchSet &Set,
                                  const std::array<GlobalIdAxis, 3> &Use,
                                  std::array<int64_t, 3> Old,
                                  std::array<int64_t, 3> New) {
  EditBuilder Builder(A.program(), Side::Device);
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    if (Old[Axis] != New[Axis])
      for (const Expr *Extent : Use[Axis].Extents)
        Builder.replace(Extent->getSourceRange(),
                        std::string("blockDim.") + "xyz"[Axis]);
  Builder.setSide(Side::Host);
  LaunchTransform T = LaunchTransform::identity();
  std::set<const VarDecl *> Done;
  for (const Launch *L : Set.Places) {
    auto Grid = geometryOf(L->Grid, A), Block = geometryOf(L->Block, A);
    if (!Grid || !Block) {
      Builder.fail("the shape of the launch at line " + llvm::Twine(L->Line) +
                   " cannot be rewritten");
      break;
    }
    std::array<std::string, 3> GridText = Grid->Text;
    for (unsigned Axis = 0; Axis < 3; ++Axis) {
      GridText[Axis] = newGridText(*Grid, Axis, Old[Axis], New[Axis]);
    }
    // A row of blocks needs no dim3.
    bool Line = New[1] == 1 && New[2] == 1 &&
                (Grid->Scalar ||
                 (L->GridExtent[1].Value == 1 && L->GridExtent[2].Value == 1));
    Builder.replace(L->Grid->getSourceRange(),
                    Line ? GridText[0] : dim3Text(GridText));
    writeBlock(*Block, Set, A, Builder, Old, New, Done);
  }
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    if (Old[Axis] == New[Axis])
      continue;
    T.Block[Axis] = ExtentExpr::constant(uint64_t(New[Axis]));
    T.Grid[Axis] = ExtentExpr::ceilDiv(
        ExtentExpr::mul(ExtentExpr::oldGrid(Axis), ExtentExpr::oldBlock(Axis)),
        ExtentExpr::constant(uint64_t(New[Axis])));
  }
  Builder.setLaunch(T);
  return Builder.finish();
}

/// The one shape that all launches have, known at compile time.
static std::optional<std::array<int64_t, 3>>
commonBlock(const LaunchSet &Set, const ProgramAnalysis &A) {
  const ASTContext &C = A.program().context(Side::Host);
  std::optional<std::array<int64_t, 3>> Common;
  for (const Launch *L : Set.All) {
    std::array<int64_t, 3> Shape;
    for (unsigned Axis = 0; Axis < 3; ++Axis) {
      if (!L->BlockExtent[Axis].Value || *L->BlockExtent[Axis].Value < 1 ||
          isOwnForm(L->GridExtent[Axis].Expression, *L->BlockExtent[Axis].Value,
                    C))
        return std::nullopt;
      Shape[Axis] = *L->BlockExtent[Axis].Value;
    }
    if (Common && *Common != Shape)
      return std::nullopt;
    Common = Shape;
    if (!geometryOf(L->Grid, A) || !geometryOf(L->Block, A))
      return std::nullopt;
  }
  return Common;
}

static std::vector<std::array<int64_t, 3>>
candidates(const std::array<GlobalIdAxis, 3> &Use) {
  std::vector<std::array<int64_t, 3>> Shapes;
  if (Use[2].Extra != ExtraThreads::Unused) {
    Shapes.assign(std::begin(Shapes3D), std::end(Shapes3D));
  } else if (Use[1].Extra == ExtraThreads::Unused) {
    for (int64_t X : Shapes1D)
      Shapes.push_back({X, 1, 1});
  } else {
    for (auto [X, Y] : Shapes2D)
      Shapes.push_back({X, Y, 1});
  }
  return Shapes;
}

void BlockSize::findSites(const Kernel &K, const ProgramAnalysis &A,
                          std::vector<Site> &Out) const {
  if (!K.Editable || !K.UsesThreadIdx[0] || dependsOnBlocks(K))
    return;
  std::string Obstacle;
  EditBuilder Texts(A.program(), Side::Device);
  auto Use = globalIds(K, Texts, Obstacle, /*TakeConstants=*/true);
  if (!Use)
    return;
  auto Set = editableLaunches(K, A, Obstacle);
  auto Old = Set ? commonBlock(*Set, A) : std::nullopt;
  if (!Old)
    return;
  std::vector<RewriteParams> Proved, Checked;
  for (const std::array<int64_t, 3> &New : candidates(*Use)) {
    int64_t Threads = New[0] * New[1] * New[2];
    bool Deep = (*Use)[2].Extra != ExtraThreads::Unused;
    if (New == *Old || Threads > MostThreadsPerBlock ||
        (!Deep && New[2] != (*Old)[2]) ||
        (K.HasLaunchBounds && Threads > (*Old)[0] * (*Old)[1] * (*Old)[2]))
      continue;
    Need Worst = Need::Nothing;
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      Worst = std::max(Worst, needOf(Axis, (*Old)[Axis], New[Axis],
                                     (*Use)[Axis], K, *Set, A));
    RewriteParams Params{{"x", New[0]}};
    if ((*Use)[1].Extra != ExtraThreads::Unused)
      Params["y"] = New[1];
    if (Deep)
      Params["z"] = New[2];
    if (Worst != Need::Impossible)
      (Worst == Need::Nothing ? Proved : Checked).push_back(Params);
  }
  for (bool Check : {false, true}) {
    std::vector<RewriteParams> &Choices = Check ? Checked : Proved;
    if (Choices.empty())
      continue;
    Site S = siteAt(*this, K, A, K.Pattern->getLocation());
    S.Subject = K.Name + (Check ? " (to be checked)" : "");
    S.Description = "another block size for " + K.DisplayName;
    S.Choices = Choices;
    S.Evidence = {
        "the kernel uses thread and block indices only as "
        "blockIdx * blockDim + threadIdx",
        "no barrier, shared memory or warp operation ties its threads together",
        launchesAre(*Set) + " in this unit, with a block size of " +
            std::to_string((*Old)[0]) + " x " + std::to_string((*Old)[1]) +
            ((*Old)[2] > 1 ? " x " + std::to_string((*Old)[2]) : "")};
    if (Check && ((*Use)[0].Extra == ExtraThreads::GridStride ||
                  (*Use)[1].Extra == ExtraThreads::GridStride))
      S.Condition = "no iteration accesses what another one writes";
    else if (Check)
      S.Condition =
          "threads beyond the last one of the author's launch do "
          "nothing, and no launch has more than 65535 blocks in y or z";
    S.Apply = [&A, Set = *Set, Use = *Use,
               Old = *Old](const RewriteParams &Params) {
      std::array<int64_t, 3> New = Old;
      for (const auto &[Name, Threads] : Params)
        New[Name.front() - 'x'] = Threads;
      return apply(A, Set, Use, Old, New);
    };
    Out.push_back(std::move(S));
  }
}

std::unique_ptr<Rule> createBlockSizeRule() {
  return std::make_unique<BlockSize>();
}

} // namespace cudal1

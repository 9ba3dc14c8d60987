//===- TileLaunches.cpp - Launches of one block a tile --------------------===//

#include "TileLaunches.h"

#include "LaunchCoverage.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

static constexpr int64_t MostBlocksInY = 65535;

BlockExtents TileLaunches::blockExtents(const Kernel &K,
                                        const ProgramAnalysis &A) {
  BlockExtents Common;
  bool First = true;
  for (const Kernel *Instance : A.instancesOf(K))
    for (const Launch *L : Instance->Launches) {
      for (unsigned Axis = 0; Axis < 3; ++Axis) {
        std::optional<int64_t> Value = L->BlockExtent[Axis].Value;
        if (First)
          Common[Axis] = Value;
        else if (Common[Axis] != Value)
          Common[Axis].reset();
      }
      First = false;
    }
  return Common;
}

/// Without a guard every thread that is started makes its element.
std::optional<TileBound>
TileLaunches::startedThreads(const Kernel &K, ContractionCoordinate &C) const {
  std::optional<int64_t> Threads, Block;
  bool Constant = true;
  for (const Launch *L : Set.All) {
    auto Blocks = constantBlocks(*L, C.Axis, *A);
    auto Size = threads(*L, C.Axis);
    if (!Size || (Block && Block != Size))
      return std::nullopt;
    Block = Size;
    if (!Blocks || (Threads && Threads != *Blocks * *Size))
      Constant = false;
    else
      Threads = *Blocks * *Size;
  }
  CoordinateGuard G;
  G.Variable = C.Variables.front();
  if (Constant && Threads && *Threads > 0) {
    G.BoundForm = Polynomial(*Threads);
    G.BoundText = std::to_string(*Threads);
    C.Guards.push_back(G);
    return TileBound{nullptr, *Threads};
  }
  for (const KernelParameter &P : K.Parameters) {
    if (!P.Decl->getType()->isIntegerType() || P.Reassigned || !Block ||
        !startsWholeBlocksOf(*P.Decl, C.Axis, Set, *A, C.Threads))
      continue;
    std::string Size = std::to_string(*Block);
    auto Symbol = K.Symbols.findVariable(P.Decl);
    if (!Symbol)
      continue;
    G.BoundForm = Polynomial::symbol(*Symbol);
    G.BoundText = P.Decl->getNameAsString();
    if (*Block > 1)
      G.BoundText += " / " + Size + " * " + Size;
    C.Guards.push_back(G);
    return TileBound{P.Decl, 0, *Block > 1 ? *Block : 0};
  }
  return std::nullopt;
}

/// The launch adds dynamic shared memory to what the tiles take.
static bool asksForSharedMemory(const Launch &L, const ProgramAnalysis &A) {
  Expr::EvalResult Bytes;
  return L.SharedBytes && !isa<CXXDefaultArgExpr>(L.SharedBytes) &&
         !(L.SharedBytes->EvaluateAsInt(Bytes,
                                        A.program().context(Side::Host)) &&
           Bytes.Val.getInt().isZero());
}

std::optional<TileLaunches> TileLaunches::of(const Kernel &K,
                                             const ProgramAnalysis &A,
                                             ContractionCoordinate &RowsOf,
                                             ContractionCoordinate &ColumnsOf,
                                             std::string &Obstacle) {
  TileLaunches Result(A, RowsOf, ColumnsOf);
  auto Set = editableLaunches(K, A, Obstacle);
  if (!Set)
    return std::nullopt;
  Result.Set = std::move(*Set);
  for (const Launch *L : Result.Set.All)
    if (!geometryOf(L->Grid, A) || !geometryOf(L->Block, A) ||
        (RowsOf.IsOfBlockPerRow && L->GridExtent[1].Value != 1) ||
        L->BlockExtent[2].Value != 1 || asksForSharedMemory(*L, A)) {
      Obstacle = "the shape of a launch cannot be rewritten";
      return std::nullopt;
    }
  auto Bound = [&](ContractionCoordinate &C) {
    return C.Guards.empty() ? Result.startedThreads(K, C)
                            : coveredBound(C, Result.Set, A);
  };
  auto Rows = Bound(RowsOf), Columns = Bound(ColumnsOf);
  if (!Rows || !Columns) {
    Obstacle = "a grid is not seen to cover the rows and columns";
    return std::nullopt;
  }
  Result.Rows = *Rows;
  Result.Columns = *Columns;
  return Result;
}

bool TileLaunches::allow(int64_t Rows, int64_t Columns) const {
  int64_t Tile = RowAxis == 1 ? Rows : Columns;
  return llvm::all_of(Set.All, [&](const Launch *L) {
    auto Threads = threads(*L, 1), Blocks = constantBlocks(*L, 1, *A);
    return (Threads && Tile >= *Threads) ||
           (Threads && Blocks && *Blocks * *Threads <= MostBlocksInY * Tile);
  });
}

std::string TileLaunches::evidence() const {
  return launchesAre(Set) + " in this unit, can be changed and " +
         (Set.All.size() == 1 ? "covers" : "cover") + " all rows and columns";
}

/// `(n + 127) / 128` as host code, or its value. \p Before is where it will
/// stand.
std::string TileLaunches::blocks(const Launch &L, const TileBound &Bound,
                                 unsigned Axis, int64_t Tile,
                                 SourceLocation Before) const {
  auto Blocks = [&](int64_t Elements) {
    if (Bound.Multiple)
      Elements = Elements / Bound.Multiple * Bound.Multiple;
    return std::to_string(std::max<int64_t>(1, (Elements + Tile - 1) / Tile));
  };
  if (!Bound.Parameter)
    return Blocks(Bound.Constant);
  const Expr *Argument = L.Arguments[Bound.Parameter->getFunctionScopeIndex()];
  const ASTContext &Context = A->program().context(Side::Host);
  const SourceManager &SM = Context.getSourceManager();
  const Expr *Plain = Argument->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(Plain);
  Expr::EvalResult Value;
  bool Constant =
      !Argument->isValueDependent() && Argument->EvaluateAsInt(Value, Context);
  bool Named = Ref && SM.isBeforeInTranslationUnit(
                          SM.getFileLoc(Ref->getDecl()->getLocation()), Before);
  if (Constant && !Named && !Plain->getBeginLoc().isMacroID())
    return Blocks(Value.Val.getInt().getExtValue());
  std::string Text = EditBuilder(A->program(), Side::Host)
                         .text(Argument->getSourceRange())
                         .str();
  if (Text.empty() || (!Constant && Ref && !Named))
    return "";
  if (!isa<DeclRefExpr, IntegerLiteral, MemberExpr>(Plain) ||
      (Plain->getBeginLoc().isMacroID() && !isa<IntegerLiteral>(Plain)))
    Text = "(" + Text + ")";
  if (Bound.Multiple)
    Text += " / " + std::to_string(Bound.Multiple) + " * " +
            std::to_string(Bound.Multiple);
  if (startsForNone(*Bound.Parameter, Axis, L, *A, Cut[Axis]))
    return Text + " / " + std::to_string(Tile) + " + 1";
  return "(" + Text + " + " + std::to_string(Tile - 1) + ") / " +
         std::to_string(Tile);
}

/// The arguments with which the constructor of \p G was called.
static SourceRange givenArguments(const LaunchGeometry &G) {
  unsigned Last = 0;
  for (unsigned I = 1; I < 3; ++I)
    if (!isa<CXXDefaultArgExpr>(G.Constructor->getArg(I)))
      Last = I;
  return {G.Constructor->getArg(0)->getBeginLoc(),
          G.Constructor->getArg(Last)->getEndLoc()};
}

/// Writes \p Text as the arguments of the constructor of a variable that serves
/// nothing but these launches, or at the launch itself.
static void writeShape(EditBuilder &Builder, const LaunchGeometry &G,
                       const std::array<std::string, 3> &Text, bool InVariable,
                       std::map<const VarDecl *, std::string> &Done) {
  bool Line = Text[1] == "1" && Text[2] == "1";
  if (!InVariable)
    return Builder.replace(G.Argument->getSourceRange(),
                           Line ? Text[0] : dim3Text(Text));
  std::string Arguments = dim3Arguments(Text);
  auto [It, New] = Done.try_emplace(G.Variable, Arguments);
  if (!New) {
    if (It->second != Arguments)
      Builder.fail("one variable is the shape of different launches");
    return;
  }
  Builder.replace(givenArguments(G), Arguments);
}

/// The shape is made by the constructor of a variable that serves nothing but
/// these launches. \p Replaced goes away.
static bool isInVariable(const LaunchGeometry &G, const LaunchSet &Set,
                         const ProgramAnalysis &A,
                         llvm::ArrayRef<SourceRange> Replaced) {
  return G.Variable && G.Constructor && G.Constructor->getNumArgs() == 3 &&
         !isa<CXXDefaultArgExpr>(G.Constructor->getArg(0)) &&
         isOnlyLaunchConfiguration(G.Variable, Set, A, Replaced);
}

void TileLaunches::write(EditBuilder &Builder, int64_t RowTile,
                         int64_t ColumnTile,
                         std::array<int64_t, 2> Threads) const {
  const SourceManager &SM = A->program().sources(Side::Host);
  std::map<const VarDecl *, std::string> Done;
  std::vector<SourceRange> Grids;
  for (const Launch *L : Set.Places)
    if (auto Grid = geometryOf(L->Grid, *A))
      Grids.push_back(isInVariable(*Grid, Set, *A, {})
                          ? givenArguments(*Grid)
                          : L->Grid->getSourceRange());
  Builder.setSide(Side::Host);
  for (const Launch *L : Set.Places) {
    auto Grid = geometryOf(L->Grid, *A), Block = geometryOf(L->Block, *A);
    if (!Grid || !Block)
      return Builder.fail("the shape of a launch cannot be rewritten");
    bool GridInVariable = isInVariable(*Grid, Set, *A, {});
    SourceLocation Place =
        SM.getFileLoc(GridInVariable ? Grid->Constructor->getBeginLoc()
                                     : L->Grid->getBeginLoc());
    std::array<std::string, 3> Text;
    Text[RowAxis] = blocks(*L, Rows, RowAxis, RowTile, Place);
    Text[ColumnAxis] = blocks(*L, Columns, ColumnAxis, ColumnTile, Place);
    Text[2] = Grid->Text[2];
    if (GridInVariable) {
      const Expr *Z = Grid->Constructor->getArg(2);
      Text[2] = isa<CXXDefaultArgExpr>(Z)
                    ? "1"
                    : Builder.text(Z->getSourceRange()).str();
    } else if (L->GridExtent[2].Value == 1) {
      Text[2] = "1";
    }
    if (Text[0].empty() || Text[1].empty() || Text[2].empty())
      return Builder.fail("the grid of the launch at line " +
                          llvm::Twine(L->Line) + " cannot be written");
    writeShape(Builder, *Grid, Text, GridInVariable, Done);
    writeShape(Builder, *Block,
               {std::to_string(Threads[0]), std::to_string(Threads[1]), "1"},
               isInVariable(*Block, Set, *A, Grids), Done);
  }
  LaunchTransform T = LaunchTransform::identity();
  for (auto [Axis, Tile] :
       {std::pair(RowAxis, RowTile), std::pair(ColumnAxis, ColumnTile)})
    T.Grid[Axis] = ExtentExpr::ceilDiv(
        ExtentExpr::mul(ExtentExpr::oldGrid(Axis),
                        Cut[Axis] ? ExtentExpr::constant(uint64_t(*Cut[Axis]))
                                  : ExtentExpr::oldBlock(Axis)),
        ExtentExpr::constant(uint64_t(Tile)));
  for (unsigned Axis = 0; Axis < 2; ++Axis)
    T.Block[Axis] = ExtentExpr::constant(uint64_t(Threads[Axis]));
  T.Block[2] = ExtentExpr::constant(1);
  Builder.setLaunch(T);
}

} // namespace cudal1

//===- RowLaunches.cpp - Launches of several threads a row ----------------===//

#include "RowLaunches.h"

#include "LaunchCoverage.h"
#include "cudal1/Analysis/Assignments.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace clang;

namespace cudal1 {

/// A count of rows of more bits might ask for more blocks than a grid has.
static constexpr unsigned MostBitsOfCount = 32;

std::optional<RowLaunches> RowLaunches::of(const Kernel &K,
                                           const ProgramAnalysis &A,
                                           const ParmVarDecl &Bound,
                                           std::string &Obstacle) {
  RowLaunches Result(A, &Bound);
  auto Set = editableLaunches(K, A, Obstacle);
  if (!Set)
    return std::nullopt;
  Result.Set = std::move(*Set);
  const ASTContext &Context = A.program().context(Side::Host);
  unsigned Index = Bound.getFunctionScopeIndex();
  for (const Launch *L : Result.Set.All) {
    bool Line = llvm::all_of(llvm::seq(1u, 3u), [&](unsigned Axis) {
      return L->GridExtent[Axis].Value == 1 && L->BlockExtent[Axis].Value == 1;
    });
    if (!Line || !geometryOf(L->Grid, A) || !geometryOf(L->Block, A)) {
      Obstacle = "the shape of a launch cannot be rewritten";
      return std::nullopt;
    }
    if (Index >= L->Arguments.size()) {
      Obstacle = "the arguments of a launch cannot be seen";
      return std::nullopt;
    }
    QualType Count = L->Arguments[Index]->IgnoreParenImpCasts()->getType();
    if (!Count->isSignedIntegerType() ||
        Context.getTypeSize(Count) > MostBitsOfCount) {
      Obstacle = "there may be more rows than a grid has blocks";
      return std::nullopt;
    }
  }
  if (!coversBound(Bound, 0, Result.Set, A)) {
    Obstacle = "a grid is not seen to cover the rows";
    return std::nullopt;
  }
  return Result;
}

std::optional<RowLaunches> RowLaunches::ofOneThread(const Kernel &K,
                                                    const ProgramAnalysis &A,
                                                    std::string &Obstacle) {
  RowLaunches Result(A, nullptr);
  auto Set = editableLaunches(K, A, Obstacle);
  if (!Set)
    return std::nullopt;
  Result.Set = std::move(*Set);
  for (const Launch *L : Result.Set.All)
    if (!geometryOf(L->Grid, A) || !geometryOf(L->Block, A)) {
      Obstacle = "the shape of a launch cannot be rewritten";
      return std::nullopt;
    }
  return Result;
}

std::string RowLaunches::evidence() const {
  if (!Bound)
    return launchesAre(Set) + " in this unit, can be changed and is of one "
                              "thread";
  return launchesAre(Set) + " in this unit, can be changed and covers all rows";
}

/// `(n + 7) / 8` as host code, or its value. \p Before is where it will stand.
std::string RowLaunches::blocks(const Launch &L, int64_t Rows,
                                SourceLocation Before) const {
  const Expr *Argument = L.Arguments[Bound->getFunctionScopeIndex()];
  const ASTContext &Context = A->program().context(Side::Host);
  const SourceManager &SM = Context.getSourceManager();
  const Expr *Plain = Argument->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(Plain);
  if (const auto *Number = dyn_cast<IntegerLiteral>(Plain);
      Number && !Plain->getBeginLoc().isMacroID())
    return std::to_string((Number->getValue().getSExtValue() + Rows - 1) /
                          Rows);
  // What is not yet declared where the grid is made cannot be named there.
  if (Ref && !SM.isBeforeInTranslationUnit(
                 SM.getFileLoc(Ref->getDecl()->getLocation()), Before))
    return "";
  std::string Text = EditBuilder(A->program(), Side::Host)
                         .text(Argument->getSourceRange())
                         .str();
  if (Text.empty() || Argument->HasSideEffects(Context))
    return "";
  // A launch for no rows goes on to start.
  bool StartsForNone = startsForNone(*Bound, 0, L, *A);
  if (Rows == 1 && !StartsForNone)
    return Text;
  const auto *Binary = dyn_cast<BinaryOperator>(Plain);
  bool IsOperand = isa<DeclRefExpr, MemberExpr>(Plain) ||
                   (!StartsForNone && Binary &&
                    (Binary->isAdditiveOp() || Binary->isMultiplicativeOp()));
  if (!IsOperand || Plain->getBeginLoc().isMacroID() ||
      Plain->getEndLoc().isMacroID())
    Text = "(" + Text + ")";
  std::string Divisor = Rows == 1 ? "" : " / " + std::to_string(Rows);
  if (StartsForNone)
    return Text + Divisor + " + 1";
  return "(" + Text + " + " + std::to_string(Rows - 1) + ")" + Divisor;
}

namespace {

/// Mentions of one variable, and the initialisers of others that hold them.
class ShapeMentions : public RecursiveASTVisitor<ShapeMentions> {
public:
  explicit ShapeMentions(const VarDecl *V) : V(V) {}
  bool TraverseVarDecl(VarDecl *D) {
    const VarDecl *Outer = std::exchange(Holder, D);
    bool Result = RecursiveASTVisitor::TraverseVarDecl(D);
    Holder = Outer;
    return Result;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (E->getDecl() == V)
      All.emplace_back(E, Holder);
    return true;
  }
  const VarDecl *V;
  const VarDecl *Holder = nullptr;
  std::vector<std::pair<const DeclRefExpr *, const VarDecl *>> All;
};

} // namespace

static bool contains(const Stmt *Outer, const Stmt *Inner) {
  return Outer && (Outer == Inner ||
                   llvm::any_of(Outer->children(), [&](const Stmt *Child) {
                     return contains(Child, Inner);
                   }));
}

/// A local variable that serves nothing but grids and blocks of \p Set, by
/// itself or through others of its kind.
static bool servesShapes(const VarDecl *V, const LaunchSet &Set,
                         unsigned Depth = 0) {
  constexpr unsigned MostSteps = 4;
  const auto *F =
      dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod());
  if (!F || !F->hasBody() || !V->isLocalVarDecl() || !V->hasLocalStorage() ||
      V->getType()->isReferenceType() || Depth > MostSteps)
    return false;
  ShapeMentions Mentions(V);
  Mentions.TraverseStmt(F->getBody());
  return llvm::all_of(Mentions.All, [&](const auto &Mention) {
    const auto &[Ref, Holder] = Mention;
    return llvm::any_of(Set.All,
                        [&](const Launch *L) {
                          return contains(L->Grid, Ref) ||
                                 contains(L->Block, Ref);
                        }) ||
           (Holder && Holder != V && servesShapes(Holder, Set, Depth + 1));
  });
}

/// The local number that \p E names, if it serves nothing but grids and blocks
/// of these launches: `int threads = 256;`. Its initialiser can be changed.
const VarDecl *RowLaunches::shapeVariable(const Expr *E) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->getType()->isIntegerType() || !V->getInit() ||
      !servesShapes(V, Set))
    return nullptr;
  const auto *F = cast<FunctionDecl>(V->getParentFunctionOrMethod());
  return Assignments::of(F->getBody()).isAssigned(V) ? nullptr : V;
}

/// The x of a shape: the first argument of the constructor of a variable that
/// serves nothing else, or the number itself.
static const Expr *extentOf(const LaunchGeometry &G, const LaunchSet &Set,
                            const ProgramAnalysis &A) {
  if (G.Scalar)
    return G.Written;
  const CXXConstructExpr *C = G.Constructor;
  if (!C || C->getNumArgs() != 3 || isa<CXXDefaultArgExpr>(C->getArg(0)) ||
      (G.Variable && !isOnlyLaunchConfiguration(G.Variable, Set, A)))
    return nullptr;
  return C->getArg(0);
}

/// What a new number of blocks or threads replaces: the value of a variable
/// that serves nothing else, a component, or the whole argument.
SourceRange RowLaunches::placeOf(const LaunchGeometry &G) const {
  const Expr *Extent = extentOf(G, Set, *A);
  if (!Extent)
    return G.Argument->getSourceRange();
  if (const VarDecl *V = shapeVariable(Extent))
    return V->getInit()->getSourceRange();
  return Extent->getSourceRange();
}

void RowLaunches::write(EditBuilder &Builder, int64_t Rows,
                        int64_t Threads) const {
  const SourceManager &SM = A->program().sources(Side::Host);
  Builder.setSide(Side::Host);
  // Launches may share a variable.
  std::map<SourceLocation, std::string> Done;
  auto Write = [&](SourceRange Place, const std::string &Text) {
    auto [It, New] = Done.try_emplace(Place.getBegin(), Text);
    if (New)
      Builder.replace(Place, Text);
    else if (It->second != Text)
      Builder.fail("one variable is the shape of different launches");
  };
  for (const Launch *L : Set.Places) {
    auto Grid = geometryOf(L->Grid, *A), Block = geometryOf(L->Block, *A);
    if (!Grid || !Block)
      return Builder.fail("the shape of a launch cannot be rewritten");
    SourceRange Place = placeOf(*Grid);
    if (Bound) {
      std::string Text = blocks(*L, Rows, SM.getFileLoc(Place.getBegin()));
      if (Text.empty())
        return Builder.fail("the grid of the launch at line " +
                            llvm::Twine(L->Line) + " cannot be written");
      Write(Place, Text);
    }
    Write(placeOf(*Block), std::to_string(Threads));
  }
  LaunchTransform T = LaunchTransform::identity();
  if (Bound)
    T.Grid[0] = ExtentExpr::ceilDiv(
        ExtentExpr::mul(ExtentExpr::oldGrid(0), ExtentExpr::oldBlock(0)),
        ExtentExpr::constant(uint64_t(Rows)));
  T.Block[0] = ExtentExpr::constant(uint64_t(Threads));
  Builder.setLaunch(T);
}

} // namespace cudal1

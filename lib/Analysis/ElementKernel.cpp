//===- ElementKernel.cpp - One thread an element of a plane ---------------===//

#include "cudal1/Analysis/ElementKernel.h"

#include "GridCoordinates.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

class ElementFinder {
public:
  ElementFinder(const Kernel &K, const BlockExtents &Block,
                NumberedAxes Numbered, std::string &Obstacle)
      : K(K), Obstacle(Obstacle),
        Changes(Assignments::of(K.Function->getBody())), Numbered(Numbered),
        Coordinates(K, Block, Changes, Obstacle, Numbered) {}

  std::optional<ElementKernel> find();

private:
  bool no(const char *Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool isPlainKernel();
  bool level(const Stmt *Body);
  bool statement(const Stmt *S);
  bool declaration(const DeclStmt *S);
  std::optional<bool> guard(const IfStmt *If);
  using Bounds = std::array<std::vector<CoordinateGuard>, 3>;
  void learn(const Expr *Condition, bool Holds, Bounds &Into);
  bool work(const Stmt *S);
  void strides();

  const Kernel &K;
  std::string &Obstacle;
  Assignments Changes;
  NumberedAxes Numbered;
  GridCoordinates Coordinates;
  ElementKernel E;
  /// By one `if` that holds all the work, as far as it is seen.
  Bounds WholeBounds;
  /// Memory has been accessed.
  bool Touched = false;
  bool Worked = false;
  bool LevelDone = false;
};

/// Whether a statement leaves the kernel, jumps about in it or holds lambdas.
class JumpFinder : public RecursiveASTVisitor<JumpFinder> {
public:
  bool VisitStmt(Stmt *S) {
    Found |= isa<GotoStmt, IndirectGotoStmt, LabelStmt, AsmStmt, LambdaExpr>(S);
    Returns |= isa<ReturnStmt>(S);
    return true;
  }
  bool Found = false;
  bool Returns = false;
};

} // namespace

/// \p S accesses memory, perhaps in a function.
static bool touchesMemory(const Stmt *S) {
  class Finder : public RecursiveASTVisitor<Finder> {
  public:
    bool TraversePseudoObjectExpr(PseudoObjectExpr *) { return true; }
    bool VisitArraySubscriptExpr(ArraySubscriptExpr *) {
      return !(Found = true);
    }
    bool VisitCallExpr(CallExpr *) { return !(Found = true); }
    bool VisitMemberExpr(MemberExpr *M) { return !(Found |= M->isArrow()); }
    bool VisitUnaryOperator(UnaryOperator *Op) {
      return !(Found |= Op->getOpcode() == UO_Deref);
    }
    bool Found = false;
  } Search;
  Search.TraverseStmt(const_cast<Stmt *>(S));
  return Search.Found;
}

/// Nothing happens in the kernel but arithmetic and plain accesses.
bool ElementFinder::isPlainKernel() {
  if (!K.Barriers.empty() || !K.SharedArrays.empty() ||
      !K.LocalArrays.empty() || !K.WarpOperations.empty() ||
      !K.Atomics.empty() || !K.UnknownCalls.empty() || K.HasAsm)
    return no("the kernel does more than arithmetic on global memory");
  if (K.UsesThreadIdx[2] && Numbered != NumberedAxes::Volume)
    return no("threads along z take part");
  for (const MemoryAccess &Access : K.Accesses) {
    bool Constant = Access.Space == MemorySpace::Constant && !Access.writes();
    bool Parameter = Access.Base && K.parameter(Access.Base) &&
                     Access.Space == MemorySpace::Global;
    if (Access.InCallee || (!Constant && !Parameter) ||
        Access.Kind == AccessKind::Atomic ||
        Access.Expression->getType().isVolatileQualified())
      return no("an access goes elsewhere than to a parameter's memory");
  }
  for (const KernelParameter &P : K.Parameters)
    if (P.Reassigned || P.Use.Escapes)
      return no("a parameter is changed or handed on");
  return true;
}

bool ElementFinder::declaration(const DeclStmt *S) {
  for (const Decl *D : S->decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || !V->hasLocalStorage() || V->getType()->isReferenceType() ||
        V->getType().isVolatileQualified() ||
        (!V->getType()->isScalarType() &&
         !V->getType().isTriviallyCopyableType(*K.Context)))
      return no("a declaration is of no plain variable");
    // Blocks one after another may declare one name twice.
    for (const VarDecl *Other : E.Declarations)
      if (Other->getDeclName() == V->getDeclName())
        return no("two variables have one name");
    E.Declarations.push_back(V);
    Coordinates.see(V);
    if (V->getInit() && touchesMemory(V->getInit())) {
      Touched = true;
      WholeBounds = {};
    }
  }
  E.Statements.push_back(S);
  return true;
}

/// Notes an `if` that bounds the coordinates for all that follows or that it
/// holds; nothing when it is part of the work.
std::optional<bool> ElementFinder::guard(const IfStmt *If) {
  if (If->getElse() || If->getInit() || If->getConditionVariable() ||
      If->isConstexpr() || Worked)
    return std::nullopt;
  bool Returns = returnsOnly(If->getThen());
  GridCoordinates Trial = Coordinates;
  bool OnlyBounds = Trial.tryCondition(If->getCond(), !Returns);
  if (Returns || OnlyBounds)
    learn(If->getCond(), !Returns, E.Bounds);
  if (OnlyBounds)
    Coordinates.condition(If->getCond(), !Returns);
  if (!OnlyBounds) {
    if (!Returns)
      return std::nullopt;
    // The other reasons for which a thread returns are part of its work.
    E.Returns = true;
    E.Statements.push_back(If);
    return true;
  }
  E.Conditions.push_back(If);
  if (Returns)
    return true;
  bool Ok = level(If->getThen());
  LevelDone = true;
  return Ok;
}

/// Notes bounds that \p Condition sets where it \p Holds, up to the first part
/// of it that accesses memory.
void ElementFinder::learn(const Expr *Condition, bool Holds, Bounds &Into) {
  const Expr *Part = Condition->IgnoreParenImpCasts();
  const auto *Op = dyn_cast<BinaryOperator>(Part);
  if (Op && Op->getOpcode() == (Holds ? BO_LAnd : BO_LOr)) {
    learn(Op->getLHS(), Holds, Into);
    learn(Op->getRHS(), Holds, Into);
    return;
  }
  Touched = Touched || touchesMemory(Part);
  GridCoordinates Trial = Coordinates;
  if (!Touched && Trial.tryCondition(Part, Holds))
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      if (Trial.along(Axis).Guards.size() >
          Coordinates.along(Axis).Guards.size())
        Into[Axis].push_back(Trial.along(Axis).Guards.back());
}

bool ElementFinder::work(const Stmt *S) {
  // All that is done may stand under one condition.
  const auto *If = dyn_cast<IfStmt>(S);
  WholeBounds = {};
  if (If && !Worked && !If->getElse() && !If->getInit() &&
      !If->getConditionVariable())
    learn(If->getCond(), true, WholeBounds);
  Touched = true;
  JumpFinder Jumps;
  Jumps.TraverseStmt(const_cast<Stmt *>(S));
  if (Jumps.Found)
    return no("the kernel jumps about in its work");
  E.Returns |= Jumps.Returns;
  E.Statements.push_back(S);
  Worked = true;
  return true;
}

bool ElementFinder::statement(const Stmt *S) {
  if (isa<NullStmt>(S))
    return true;
  if (LevelDone)
    return no("something happens behind the guarded part");
  if (const auto *Compound = dyn_cast<CompoundStmt>(S))
    return level(Compound);
  if (const auto *Decls = dyn_cast<DeclStmt>(S))
    return declaration(Decls);
  if (const auto *If = dyn_cast<IfStmt>(S))
    if (std::optional<bool> Ok = guard(If))
      return *Ok;
  return work(S);
}

bool ElementFinder::level(const Stmt *Body) {
  const auto *Compound = dyn_cast<CompoundStmt>(Body);
  if (!Compound)
    return statement(Body);
  return llvm::all_of(Compound->body(),
                      [&](const Stmt *S) { return statement(S); });
}

void ElementFinder::strides() {
  for (const MemoryAccess &Access : K.Accesses) {
    std::optional<Polynomial> Index = Coordinates.Numbers.over(Access.Index);
    if (!Index)
      continue;
    auto X = Index->coefficientOf(Coordinates.Numbers.symbol(0)),
         Y = Index->coefficientOf(Coordinates.Numbers.symbol(1));
    if (X && Y)
      E.Strides[&Access] = {*X, *Y};
  }
}

std::optional<ElementKernel> ElementFinder::find() {
  if (!isPlainKernel() || !level(K.Function->getBody()))
    return std::nullopt;
  for (unsigned Axis = 0; Axis < 2; ++Axis) {
    E.Along[Axis] = Coordinates.along(Axis);
    bool Used = Axis == 0 || K.UsesThreadIdx[1] || K.UsesBlockIdx[1];
    if (E.Along[Axis].Variables.empty() && Used) {
      no("row or column has no name");
      return std::nullopt;
    }
  }
  E.AlongZ = Coordinates.along(2);
  if (Numbered == NumberedAxes::Volume && E.AlongZ.Variables.empty()) {
    no("the number along z has no name");
    return std::nullopt;
  }
  if (!Coordinates.Numbers.areOnePerThread()) {
    no("threads of a block share a row and column");
    return std::nullopt;
  }
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    llvm::append_range(E.Bounds[Axis], WholeBounds[Axis]);
  strides();
  return std::move(E);
}

std::optional<ElementKernel> findElementKernel(const Kernel &K,
                                               const BlockExtents &Block,
                                               std::string &Obstacle) {
  Obstacle.clear();
  return ElementFinder(K, Block, NumberedAxes::Plane, Obstacle).find();
}

std::optional<ElementKernel> findVolumeKernel(const Kernel &K,
                                              const BlockExtents &Block,
                                              std::string &Obstacle) {
  Obstacle.clear();
  return ElementFinder(K, Block, NumberedAxes::Volume, Obstacle).find();
}

} // namespace cudal1

//===- Contraction.cpp - Sums of products, one thread an element ----------===//

#include "cudal1/Analysis/Contraction.h"

#include "ContractionUpdate.h"
#include "GridCoordinates.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

static bool isUniform(const Kernel &K, SymbolId Id) {
  const Symbol &S = K.Symbols[Id];
  switch (S.Kind) {
  case SymbolKind::Parameter:
    return true;
  case SymbolKind::BlockIdx:
  case SymbolKind::GridDim:
    return S.Axis == 2;
  case SymbolKind::Constant:
  case SymbolKind::Opaque:
    // Thread indices may hide below what an opaque expression depends on.
    return !S.Volatile && (S.Kind == SymbolKind::Opaque || S.Decl) &&
           llvm::all_of(S.DependsOn,
                        [&](SymbolId D) { return isUniform(K, D); });
  case SymbolKind::ThreadIdx:
  case SymbolKind::BlockDim:
  case SymbolKind::LoopVariable:
  case SymbolKind::Variable:
  case SymbolKind::Load:
    return false;
  }
  return false;
}

bool isUniform(const Kernel &K, const Polynomial &P) {
  return !P.usesAny([&](SymbolId Id) { return !isUniform(K, Id); });
}

namespace {

class NestFinder {
public:
  NestFinder(const Kernel &K, const BlockExtents &Block, std::string &Obstacle,
             bool BlockIsRow = false)
      : K(K), Obstacle(Obstacle),
        Changes(Assignments::of(K.Function->getBody())),
        Coordinates(K, Block, Changes, Obstacle,
                    BlockIsRow ? NumberedAxes::BlockIsRow
                               : NumberedAxes::Plane),
        BlockIsRow(BlockIsRow) {}

  std::optional<ContractionNest> find();

private:
  bool no(const char *Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool isPlainKernel();
  bool findLoop();
  bool level(const Stmt *Body);
  bool statement(const Stmt *S);
  bool beforeLoop(const Stmt *S);
  bool declaration(const DeclStmt *S);
  bool ifStatement(const IfStmt *If);
  bool firstValue(const Expr *E);
  bool epilogue(const Stmt *S);
  bool output();
  bool factors();
  bool factor(const MemoryAccess *Access, llvm::ArrayRef<const Expr *> Values);
  bool sum();

  const Kernel &K;
  std::string &Obstacle;
  Assignments Changes;
  GridCoordinates Coordinates;
  bool BlockIsRow;
  ContractionNest N;
  ContractionUpdate Update;
  bool Reached = false;
  bool LevelDone = false;
};

/// Statements and expressions inside one.
class Inside : public RecursiveASTVisitor<Inside> {
public:
  explicit Inside(const Stmt *S) { TraverseStmt(const_cast<Stmt *>(S)); }
  bool VisitStmt(Stmt *S) {
    All.insert(S);
    Jumps |=
        isa<ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt, GCCAsmStmt>(S);
    Lambdas |= isa<LambdaExpr>(S);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    Variables.insert(V);
    return true;
  }
  llvm::DenseSet<const Stmt *> All;
  llvm::DenseSet<const VarDecl *> Variables;
  bool Jumps = false;
  bool Lambdas = false;
};

} // namespace

static const Stmt *withoutAttributes(const Stmt *S) {
  if (const auto *Attributed = dyn_cast<AttributedStmt>(S))
    return Attributed->getSubStmt();
  return S;
}

/// Nothing happens in the kernel but arithmetic and plain accesses.
bool NestFinder::isPlainKernel() {
  if (!K.Barriers.empty() || !K.SharedArrays.empty() ||
      !K.LocalArrays.empty() || !K.WarpOperations.empty() ||
      !K.Atomics.empty() || !K.UnknownCalls.empty() || K.HasAsm)
    return no("the kernel does more than arithmetic on global memory");
  if (K.UsesThreadIdx[2])
    return no("threads along z take part");
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.InCallee || !Access.Base || !K.parameter(Access.Base) ||
        Access.Space != MemorySpace::Global ||
        Access.Kind == AccessKind::Atomic ||
        Access.Expression->getType().isVolatileQualified())
      return no("an access goes elsewhere than to a parameter's memory");
  for (const KernelParameter &P : K.Parameters)
    if (P.Reassigned || P.Use.Escapes)
      return no("a parameter is changed or handed on");
  return true;
}

bool NestFinder::findLoop() {
  if (K.Loops.size() != 1)
    return no("the kernel has no loop or several");
  const Loop &L = *K.Loops.front();
  const auto *For = dyn_cast<ForStmt>(L.Statement);
  if (!For || !L.Counted || L.HasEarlyExit || L.HasContinue || L.Step != 1 ||
      !(L.Lower == Polynomial(0)) || !isUniform(K, L.Upper))
    return no("the loop does not count from 0 to a bound common to all "
              "threads");
  // `for (int k = 0; ...)`, or k is declared before.
  const auto *Init = dyn_cast_or_null<DeclStmt>(For->getInit());
  const auto *Cond = dyn_cast<BinaryOperator>(For->getCond()->IgnoreParens());
  bool Declares =
      Init && Init->isSingleDecl() && Init->getSingleDecl() == L.Variable;
  bool Assigns = isa_and_nonnull<BinaryOperator>(For->getInit()) &&
                 L.Variable->isLocalVarDecl();
  if ((!Declares && !Assigns) || !Cond || Cond->getOpcode() != BO_LT)
    return no("the loop is not of the form `for (int k = 0; k < K; ...)`");
  // k begins at multiples of a tile up to the bound and past it.
  if (K.Context->getTypeSize(L.Variable->getType()) <
      K.Context->getTypeSize(K.Context->IntTy))
    return no("k may be too narrow to count beyond the bound");
  N.Bound = Cond->getRHS();
  N.Reduction = &L;
  return true;
}

bool NestFinder::declaration(const DeclStmt *S) {
  for (const Decl *D : S->decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || !V->hasLocalStorage() || V->getType()->isReferenceType() ||
        V->getType().isVolatileQualified() || !(V->getType()->isScalarType()))
      return no("a declaration before the loop is of no plain variable");
    if (V == N.Reduction->Variable)
      continue;
    N.Declarations.push_back(V);
    Coordinates.see(V);
  }
  return true;
}

bool NestFinder::ifStatement(const IfStmt *If) {
  if (If->getElse() || If->getInit() || If->getConditionVariable() ||
      If->isConstexpr())
    return no("an `if` before the loop has more than one branch");
  if (N.FirstValue && !Update.Sum)
    return no("a condition follows the first value of the sum");
  if (returnsOnly(If->getThen()))
    return Coordinates.condition(If->getCond(), false);
  if (!Inside(If->getThen()).All.contains(N.Reduction->Statement))
    return no("something else happens before the loop");
  if (!Coordinates.condition(If->getCond(), true) || !level(If->getThen()))
    return false;
  LevelDone = true;
  return true;
}

/// `C[i] = 0;`, `C[i] *= beta;` or `sum = 0;`
bool NestFinder::firstValue(const Expr *E) {
  const auto *Op = dyn_cast<BinaryOperator>(E->IgnoreParens());
  if (!Op || !Op->isAssignmentOp() || N.FirstValue)
    return no("something else happens before the loop");
  const Expr *Target = Op->getLHS()->IgnoreParens();
  const auto *Ref = dyn_cast<DeclRefExpr>(Target);
  const MemoryAccess *Access = accessAt(K, Target);
  bool IsSum = Update.Sum
                   ? Ref && Ref->getDecl() == Update.Sum
                   : Access &&
                         Access->Index == Update.SumAccesses.front()->Index &&
                         Access->Base == Update.SumAccesses.front()->Base;
  if (!IsSum || (Update.Sum && Op->isCompoundAssignmentOp()))
    return no("something else happens before the loop");
  N.FirstValue = Op->getRHS();
  N.FirstUpdate = dyn_cast<CompoundAssignOperator>(Op);
  return true;
}

bool NestFinder::beforeLoop(const Stmt *S) {
  if (const auto *Decls = dyn_cast<DeclStmt>(S))
    return declaration(Decls);
  if (const auto *If = dyn_cast<IfStmt>(S))
    return ifStatement(If);
  if (const auto *E = dyn_cast<Expr>(S))
    return firstValue(E);
  return no("something else happens before the loop");
}

/// What follows the loop changes the sum, its own variables and memory.
bool NestFinder::epilogue(const Stmt *S) {
  Inside Parts(S);
  if (Parts.Jumps || Parts.Lambdas)
    return no("the kernel leaves early after the loop");
  const Assignments Changed = Assignments::of(S);
  for (const ValueDecl *V : Changed.changed())
    if (V != Update.Sum && llvm::is_contained(N.Declarations, V))
      return no("what follows the loop changes a variable from before it");
  if (Assignments::mentions(S, N.Reduction->Variable))
    return no("what follows the loop uses k");
  N.Epilogue.push_back(S);
  return true;
}

bool NestFinder::statement(const Stmt *S) {
  if (isa<NullStmt>(S))
    return true;
  if (LevelDone)
    return no("something happens behind the guarded part");
  if (Reached)
    return epilogue(S);
  if (withoutAttributes(S) == N.Reduction->Statement) {
    Reached = true;
    return true;
  }
  if (const auto *Compound = dyn_cast<CompoundStmt>(S)) {
    bool Ok = level(Compound);
    LevelDone = Reached;
    return Ok;
  }
  return beforeLoop(S);
}

bool NestFinder::level(const Stmt *Body) {
  const auto *Compound = dyn_cast<CompoundStmt>(Body);
  if (!Compound)
    return statement(Body);
  return llvm::all_of(Compound->body(),
                      [&](const Stmt *S) { return statement(S); });
}

bool NestFinder::output() {
  for (const MemoryAccess &Access : K.Accesses) {
    if (!Access.writes())
      continue;
    if (N.Output &&
        (Access.Base != N.Output->Base || !(Access.Index == N.Output->Index) ||
         Access.Member != N.Output->Member))
      return no("it writes more than one element");
    N.Output = &Access;
  }
  if (!N.Output || !N.Output->Member.empty())
    return no("it writes no element");
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Base == N.Output->Base &&
        !(Access.Index == N.Output->Index && K.isStable(Access.Index)))
      return no("it reads elements of its output that other threads write");
  auto Index = Coordinates.Numbers.over(N.Output->Index);
  if (!Index)
    return no("its output is not indexed by row and column");
  std::array<std::optional<Polynomial>, 2> Stride;
  for (unsigned Axis = 0; Axis < 2; ++Axis) {
    Stride[Axis] = Index->coefficientOf(Coordinates.Numbers.symbol(Axis));
    if (!Stride[Axis] || Stride[Axis]->isZero() || !isUniform(K, *Stride[Axis]))
      return no("its output is not indexed by row and column");
  }
  bool Transposed = Stride[1] == Polynomial(1) && Stride[0] != Polynomial(1);
  N.OutputAlongColumn = *Stride[Transposed];
  N.OutputAlongRow = *Stride[!Transposed];
  N.OutputRest = Index->without(Coordinates.Numbers.symbol(0))
                     .without(Coordinates.Numbers.symbol(1));
  N.Columns = Coordinates.along(Transposed);
  N.Rows = Coordinates.along(!Transposed);
  N.Rows.IsOfBlockPerRow = N.Columns.IsOfBlockPerRow = BlockIsRow;
  return true;
}

bool NestFinder::factor(const MemoryAccess *Access,
                        llvm::ArrayRef<const Expr *> Values) {
  if (Access->Base == N.Output->Base)
    return no("a factor is an element of the output");
  auto Index = Coordinates.Numbers.over(Access->Index);
  if (!Index || !Access->Member.empty())
    return no("a factor is not affine in row, column and k");
  SymbolId Row = Coordinates.Numbers.symbol(N.Rows.Axis);
  SymbolId Col = Coordinates.Numbers.symbol(N.Columns.Axis);
  SymbolId Depth = N.Reduction->VariableSymbol;
  auto AlongRow = Index->coefficientOf(Row),
       AlongCol = Index->coefficientOf(Col);
  ContractionFactor F;
  F.Access = Access;
  F.Value = Values.front();
  F.Mentions = Values.vec();
  F.AlongK = Index->coefficientOf(Depth).value_or(Polynomial(0));
  F.Rest = Index->without(Row).without(Col).without(Depth);
  if (!AlongRow || !AlongCol || F.AlongK.isZero() || !isUniform(K, F.AlongK) ||
      !isUniform(K, F.Rest))
    return no("a factor is not affine in row, column and k");
  if (AlongRow->isZero() == AlongCol->isZero())
    return no("a factor depends on both row and column, or on neither");
  bool IsLeft = AlongCol->isZero();
  F.AlongCoordinate = IsLeft ? *AlongRow : *AlongCol;
  ContractionFactor &Place = IsLeft ? N.Left : N.Right;
  if (!isUniform(K, F.AlongCoordinate) || Place.Access)
    return no("both factors depend on the row, or both on the column");
  Place = F;
  return true;
}

bool NestFinder::factors() {
  return factor(Update.Factors[0], Update.Values[0]) &&
         factor(Update.Factors[1], Update.Values[1]);
}

/// Where the sum lives and how it begins.
bool NestFinder::sum() {
  N.Sum = Update.Sum;
  if (!N.Sum) {
    for (const MemoryAccess *Access : Update.SumAccesses) {
      if (Access->Base != N.Output->Base)
        return no("the loop adds to something other than its output");
      N.SumElements.push_back(Access->Expression);
    }
    return true;
  }
  llvm::erase(N.Declarations, N.Sum);
  for (const VarDecl *V : N.Declarations)
    if (V->getInit() && Assignments::mentions(V->getInit(), N.Sum))
      return no("a variable from before the loop begins at the sum");
  for (const Assignments::Change &C : Changes.changesOf(N.Sum))
    if (C.Escapes)
      return no("the address of the sum is taken");
  if (!N.FirstValue)
    N.FirstValue = N.Sum->getInit();
  else if (N.Sum->getInit() && N.Sum->getInit()->HasSideEffects(*K.Context))
    return no("the sum has two first values");
  return N.FirstValue || no("the sum has no first value");
}

std::optional<ContractionNest> NestFinder::find() {
  if (!isPlainKernel() || !findLoop())
    return std::nullopt;
  auto Read = contractionUpdate(K, *N.Reduction, Changes, Obstacle);
  if (!Read)
    return std::nullopt;
  Update = std::move(*Read);
  if (!level(K.Function->getBody()) || !output() || !factors() || !sum())
    return std::nullopt;
  if (!Coordinates.Numbers.areOnePerThread()) {
    Obstacle = "threads of a block share a row and column";
    return std::nullopt;
  }
  if (N.Rows.Variables.empty() || N.Columns.Variables.empty()) {
    Obstacle = "row or column has no name";
    return std::nullopt;
  }
  for (const VarDecl *V : N.Declarations)
    if (Changes.isAssigned(V)) {
      Obstacle = "a variable is assigned outside of the loop";
      return std::nullopt;
    }
  N.Body = Update.Body;
  N.Constants = Update.Constants;
  N.Subtracts = Update.Subtracts;
  N.IsProduct = Update.IsProduct;
  N.Scalars = Update.Scalars;
  N.IsPlainProduct = Update.IsPlainProduct;
  return std::move(N);
}

std::optional<ContractionNest> findContraction(const Kernel &K,
                                               const BlockExtents &Block,
                                               std::string &Obstacle) {
  Obstacle.clear();
  auto Nest = NestFinder(K, Block, Obstacle).find();
  if (Nest || !Block[0] || Block[1] != 1)
    return Nest;
  std::string Other;
  return NestFinder(K, Block, Other, /*BlockIsRow=*/true).find();
}

} // namespace cudal1

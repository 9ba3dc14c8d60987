//===- TreeLoop.cpp - A loop whose distance halves or doubles -------------===//

#include "TreeLoop.h"

#include "cudal1/Analysis/BuiltinVariables.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// What a local variable was set to, when nothing changes it afterwards.
const Expr *TreeLoopReader::definition(const Expr *E) const {
  E = E->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->isLocalVarDecl() || !V->getInit() || Changes.isAssigned(V) ||
      !V->getType()->isIntegerType() ||
      K.Context->getTypeSize(V->getType()) < 32)
    return E;
  return V->getInit()->IgnoreParenImpCasts();
}

bool TreeLoopReader::isVariable(const Expr *E, const VarDecl *V) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref && Ref->getDecl() == V;
}

bool TreeLoopReader::isConstant(const Expr *E, int64_t Value) const {
  Expr::EvalResult Result;
  return !E->isValueDependent() && E->EvaluateAsInt(Result, *K.Context) &&
         Result.Val.getInt() == Value;
}

bool TreeLoopReader::isThread(const Expr *E) const {
  auto Builtin = asBuiltinVariable(definition(E));
  return Builtin && Builtin->Kind == SymbolKind::ThreadIdx &&
         Builtin->Axis == 0;
}

/// The number of threads of a block.
bool TreeLoopReader::isExtent(const Expr *E) const {
  auto Builtin = asBuiltinVariable(definition(E));
  return isConstant(E, BlockSize) ||
         (Builtin && Builtin->Kind == SymbolKind::BlockDim &&
          Builtin->Axis == 0);
}

bool TreeLoopReader::isBarrier(const Stmt *S) {
  const auto *Call = dyn_cast<CallExpr>(S);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  return F && F->getIdentifier() && F->getName() == "__syncthreads" &&
         Call->getNumArgs() == 0;
}

/// `2 * s`, `s * 2`, `s << 1` or `s + s`.
bool TreeLoopReader::isTwice(const Expr *E, const VarDecl *V) const {
  const auto *Op = dyn_cast<BinaryOperator>(definition(E));
  if (!Op)
    return false;
  const Expr *Left = Op->getLHS(), *Right = Op->getRHS();
  switch (Op->getOpcode()) {
  case BO_Mul:
    return (isVariable(Left, V) && isConstant(Right, 2)) ||
           (isVariable(Right, V) && isConstant(Left, 2));
  case BO_Shl:
    return isVariable(Left, V) && isConstant(Right, 1);
  case BO_Add:
    return isVariable(Left, V) && isVariable(Right, V);
  default:
    return false;
  }
}

namespace {
enum class Step { None, Halves, Doubles };
} // namespace

/// What an operation by a constant does to its left operand.
static Step stepOf(BinaryOperatorKind Kind, const Expr *By,
                   const ASTContext &Context) {
  Expr::EvalResult Value;
  if (By->isValueDependent() || !By->EvaluateAsInt(Value, Context))
    return Step::None;
  int64_t Constant = Value.Val.getInt().getExtValue();
  bool Halves = (Kind == BO_Div || Kind == BO_DivAssign) && Constant == 2;
  Halves |= (Kind == BO_Shr || Kind == BO_ShrAssign) && Constant == 1;
  bool Doubles = (Kind == BO_Mul || Kind == BO_MulAssign) && Constant == 2;
  Doubles |= (Kind == BO_Shl || Kind == BO_ShlAssign) && Constant == 1;
  return Halves ? Step::Halves : Doubles ? Step::Doubles : Step::None;
}

/// From half of the block down to 1, or from 1 up to half of the block.
bool TreeLoopReader::range(const Expr *Start, const Expr *Condition,
                           const Stmt *Increment, TreeLoop &L) const {
  const auto *Op = dyn_cast_or_null<BinaryOperator>(Increment);
  if (!Op || !isVariable(Op->getLHS(), L.Distance) || !Condition || !Start ||
      !L.Distance->getType()->isIntegerType() ||
      K.Context->getTypeSize(L.Distance->getType()) < 32)
    return false;
  Step By = Step::None;
  if (Op->isCompoundAssignmentOp()) {
    By = stepOf(Op->getOpcode(), Op->getRHS(), *K.Context);
    if (Op->getOpcode() == BO_AddAssign && isVariable(Op->getRHS(), L.Distance))
      By = Step::Doubles;
  } else if (const auto *Value =
                 dyn_cast<BinaryOperator>(Op->getRHS()->IgnoreParenImpCasts());
             Value && Op->getOpcode() == BO_Assign &&
             isVariable(Value->getLHS(), L.Distance)) {
    By = stepOf(Value->getOpcode(), Value->getRHS(), *K.Context);
  }
  L.Doubles = By == Step::Doubles;
  const Expr *E = Condition->IgnoreParenImpCasts();
  const auto *Compare = dyn_cast<BinaryOperator>(E);
  if (By == Step::Halves) {
    const auto *Half = dyn_cast<BinaryOperator>(definition(Start));
    bool Starts =
        isConstant(Start, BlockSize / 2) ||
        (Half && isExtent(Half->getLHS()) &&
         stepOf(Half->getOpcode(), Half->getRHS(), *K.Context) == Step::Halves);
    bool Ends = isVariable(E, L.Distance);
    if (Compare && isVariable(Compare->getLHS(), L.Distance))
      Ends =
          ((Compare->getOpcode() == BO_GT || Compare->getOpcode() == BO_NE) &&
           isConstant(Compare->getRHS(), 0)) ||
          (Compare->getOpcode() == BO_GE && isConstant(Compare->getRHS(), 1));
    return Starts && Ends;
  }
  return L.Doubles && isConstant(Start, 1) && Compare &&
         ((Compare->getOpcode() == BO_LT &&
           isVariable(Compare->getLHS(), L.Distance) &&
           isExtent(Compare->getRHS())) ||
          (Compare->getOpcode() == BO_GT &&
           isVariable(Compare->getRHS(), L.Distance) &&
           isExtent(Compare->getLHS())));
}

bool TreeLoopReader::head(const ForStmt *For, TreeLoop &L) const {
  const Expr *Start = nullptr;
  if (const auto *Decls = dyn_cast_or_null<DeclStmt>(For->getInit())) {
    L.Distance = Decls->isSingleDecl()
                     ? dyn_cast<VarDecl>(Decls->getSingleDecl())
                     : nullptr;
    Start = L.Distance ? L.Distance->getInit() : nullptr;
  } else if (const auto *Assign =
                 dyn_cast_or_null<BinaryOperator>(For->getInit());
             Assign && Assign->getOpcode() == BO_Assign) {
    const auto *Ref =
        dyn_cast<DeclRefExpr>(Assign->getLHS()->IgnoreParenImpCasts());
    L.Distance = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    Start = Assign->getRHS();
    // Its value after the loop is lost.
    if (!L.Distance || !L.Distance->isLocalVarDecl() ||
        mentionsIn(Tree.body(), L.Distance) != mentionsIn(For, L.Distance))
      return false;
    L.Counter = cast_or_null<DeclStmt>(findIn(Tree.body(), [&](const Stmt *S) {
      const auto *Decls = dyn_cast<DeclStmt>(S);
      return Decls && Decls->isSingleDecl() &&
             Decls->getSingleDecl() == L.Distance;
    }));
    if (!L.Counter)
      return false;
  }
  if (!L.Distance || For->getConditionVariable() ||
      Assignments::of(For->getBody()).isAssigned(L.Distance))
    return false;
  llvm::SmallVector<const Stmt *> Statements;
  if (const auto *Block = dyn_cast<CompoundStmt>(For->getBody()))
    Statements.append(Block->body_begin(), Block->body_end());
  return range(Start, For->getCond(), For->getInc(), L) && body(Statements, L);
}

/// `int s = blockDim.x / 2; while (s != 0) { ... s /= 2; }`
bool TreeLoopReader::head(const WhileStmt *While, TreeLoop &L) const {
  const auto *Block = dyn_cast<CompoundStmt>(While->getBody());
  if (!Block || Block->size() < 2 || While->getConditionVariable())
    return false;
  const auto *Step = dyn_cast<BinaryOperator>(Block->body_back());
  const auto *Ref =
      Step ? dyn_cast<DeclRefExpr>(Step->getLHS()->IgnoreParenImpCasts())
           : nullptr;
  L.Distance = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!L.Distance || !L.Distance->isLocalVarDecl() ||
      Changes.changesOf(L.Distance).size() != 1)
    return false;
  for (const Stmt *S : Tree.before(While))
    if (const auto *Decls = dyn_cast<DeclStmt>(S);
        Decls && Decls->isSingleDecl() && Decls->getSingleDecl() == L.Distance)
      L.Counter = Decls;
  if (!L.Counter ||
      mentionsIn(Tree.body(), L.Distance) != mentionsIn(While, L.Distance))
    return false;
  llvm::SmallVector<const Stmt *> Statements(Block->body_begin(),
                                             Block->body_end());
  Statements.pop_back();
  return range(L.Distance->getInit(), While->getCond(), Step, L) &&
         body(Statements, L);
}

/// A barrier, an `if`, and numbers that only this `if` uses.
bool TreeLoopReader::body(llvm::ArrayRef<const Stmt *> Statements,
                          TreeLoop &L) const {
  unsigned Barriers = 0;
  for (const Stmt *S : Statements) {
    if (isBarrier(S)) {
      ++Barriers;
    } else if (const auto *If = dyn_cast<IfStmt>(S); If && !L.If) {
      L.If = If;
    } else if (const auto *Decls = dyn_cast<DeclStmt>(S)) {
      for (const Decl *D : Decls->decls()) {
        const auto *V = dyn_cast<VarDecl>(D);
        if (!V || !V->getInit() || !V->getType()->isIntegerType() ||
            V->getInit()->HasSideEffects(*K.Context,
                                         /*IncludePossibleEffects=*/false) ||
            V->isStaticLocal())
          return false;
      }
    } else if (!isa<NullStmt>(S)) {
      return false;
    }
  }
  return Barriers == 1 && L.If && !L.If->getElse() && !L.If->getInit() &&
         !L.If->getConditionVariable();
}

std::optional<TreeLoop> TreeLoopReader::read(const Stmt *S) const {
  TreeLoop L;
  L.Loop = S;
  const auto *For = dyn_cast<ForStmt>(S);
  const auto *While = dyn_cast<WhileStmt>(S);
  if ((For && head(For, L)) || (While && head(While, L)))
    return L;
  return std::nullopt;
}

/// `thread % (2 * s) == 0`, or `(thread & (2 * s - 1)) == 0`.
bool TreeLoopReader::isMultiple(const Expr *Condition,
                                const TreeLoop &L) const {
  const Expr *E = Condition->IgnoreParenImpCasts();
  const Expr *Value = nullptr;
  if (const auto *Op = dyn_cast<BinaryOperator>(E);
      Op && Op->getOpcode() == BO_EQ && isConstant(Op->getRHS(), 0))
    Value = Op->getLHS()->IgnoreParenImpCasts();
  else if (const auto *Not = dyn_cast<UnaryOperator>(E);
           Not && Not->getOpcode() == UO_LNot)
    Value = Not->getSubExpr()->IgnoreParenImpCasts();
  const auto *Op = dyn_cast_or_null<BinaryOperator>(Value);
  if (!Op || !isThread(Op->getLHS()))
    return false;
  if (Op->getOpcode() == BO_Rem)
    return isTwice(Op->getRHS(), L.Distance);
  const auto *Mask =
      dyn_cast<BinaryOperator>(Op->getRHS()->IgnoreParenImpCasts());
  return Op->getOpcode() == BO_And && Mask && Mask->getOpcode() == BO_Sub &&
         isConstant(Mask->getRHS(), 1) && isTwice(Mask->getLHS(), L.Distance);
}

/// \p P with variables of the iteration replaced by what they were set to.
Polynomial TreeLoopReader::expanded(Polynomial P) const {
  constexpr unsigned Depth = 3;
  for (unsigned Round = 0; Round < Depth; ++Round)
    for (SymbolId Id = 0; Id < K.Symbols.size(); ++Id) {
      const Symbol &S = K.Symbols[Id];
      const Polynomial *Form =
          S.Kind == SymbolKind::Constant && S.Decl && S.Decl->getInit()
              ? K.formOf(S.Decl->getInit())
              : nullptr;
      if (Form && P.uses(Id))
        P = P.substitute(Id, *Form);
    }
  return P;
}

/// `p < blockDim.x`
bool TreeLoopReader::isBelowExtent(const Expr *Condition,
                                   const Polynomial &P) const {
  const auto *Op = dyn_cast<BinaryOperator>(Condition->IgnoreParenImpCasts());
  if (!Op || (Op->getOpcode() != BO_LT && Op->getOpcode() != BO_GT))
    return false;
  bool Less = Op->getOpcode() == BO_LT;
  const Expr *Left = Less ? Op->getLHS() : Op->getRHS();
  const Expr *Right = Less ? Op->getRHS() : Op->getLHS();
  const Polynomial *Form = K.formOf(Left);
  return Form && expanded(*Form) == P && isExtent(Right);
}

bool TreeLoopReader::combines(const TreeLoop &L, const Polynomial &Target,
                              const Polynomial &Other) const {
  const Polynomial First = expanded(Target), Second = expanded(Other);
  auto Symbol = K.Symbols.findVariable(L.Distance);
  if (!Symbol)
    return false;
  Polynomial Thread =
      Polynomial::symbol(K.Symbols.builtin(SymbolKind::ThreadIdx, 0));
  Polynomial Distance = Polynomial::symbol(*Symbol);
  if (!(Second == First + Distance))
    return false;
  const Expr *Condition = L.If->getCond()->IgnoreParenImpCasts();
  const auto *Op = dyn_cast<BinaryOperator>(Condition);
  if (Op && Op->getOpcode() == BO_LAnd && isBelowExtent(Op->getRHS(), Second)) {
    // Always true for a power of two.
    Condition = Op->getLHS()->IgnoreParenImpCasts();
    Op = dyn_cast<BinaryOperator>(Condition);
  }
  if (First == Thread && L.Doubles)
    return isMultiple(Condition, L);
  if (First == Thread)
    return Op && ((Op->getOpcode() == BO_LT && isThread(Op->getLHS()) &&
                   isVariable(Op->getRHS(), L.Distance)) ||
                  (Op->getOpcode() == BO_GT && isThread(Op->getRHS()) &&
                   isVariable(Op->getLHS(), L.Distance)));
  return L.Doubles && First == Polynomial(2) * Distance * Thread &&
         (isBelowExtent(Condition, First) || isBelowExtent(Condition, Second));
}

} // namespace cudal1

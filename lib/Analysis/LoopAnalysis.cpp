//===- LoopAnalysis.cpp - Counted loops -----------------------------------===//

#include "BodyWalker.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace cudal1 {

const Stmt *Loop::body() const {
  if (const auto *For = dyn_cast<ForStmt>(Statement))
    return For->getBody();
  if (const auto *While = dyn_cast<WhileStmt>(Statement))
    return While->getBody();
  if (const auto *Do = dyn_cast<DoStmt>(Statement))
    return Do->getBody();
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(Statement))
    return Range->getBody();
  return nullptr;
}

static const VarDecl *asVariable(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

/// The variable that the for statement sets first, and the value it gives.
static std::pair<const VarDecl *, const Expr *> startOf(const ForStmt &For) {
  const Stmt *Init = For.getInit();
  if (const auto *Decls = dyn_cast_or_null<DeclStmt>(Init)) {
    if (Decls->isSingleDecl())
      if (const auto *V = dyn_cast<VarDecl>(Decls->getSingleDecl()))
        return {V, V->getInit()};
    return {};
  }
  if (const auto *Value = dyn_cast_or_null<Expr>(Init))
    if (const auto *Assign =
            dyn_cast<BinaryOperator>(Value->IgnoreParenImpCasts());
        Assign && Assign->getOpcode() == BO_Assign)
      return {asVariable(Assign->getLHS()), Assign->getRHS()};
  return {};
}

/// The step of `++v`, `v += e`, `v -= e`, `v = v + e`.
static std::optional<Polynomial> stepOf(const Expr *Increment, const VarDecl *V,
                                        IndexForms &Forms) {
  Increment = Increment->IgnoreParenImpCasts();
  if (const auto *Full = dyn_cast<ExprWithCleanups>(Increment))
    Increment = Full->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *Op = dyn_cast<UnaryOperator>(Increment);
      Op && Op->isIncrementDecrementOp() && asVariable(Op->getSubExpr()) == V)
    return Polynomial(Op->isIncrementOp() ? 1 : -1);
  const auto *Op = dyn_cast<BinaryOperator>(Increment);
  if (!Op || asVariable(Op->getLHS()) != V)
    return std::nullopt;
  if (Op->getOpcode() == BO_AddAssign)
    return Forms.valueOf(Op->getRHS());
  if (Op->getOpcode() == BO_SubAssign)
    return -Forms.valueOf(Op->getRHS());
  if (Op->getOpcode() != BO_Assign)
    return std::nullopt;
  const auto *Sum =
      dyn_cast<BinaryOperator>(Op->getRHS()->IgnoreParenImpCasts());
  if (!Sum || !Sum->isAdditiveOp())
    return std::nullopt;
  if (asVariable(Sum->getLHS()) == V) {
    Polynomial Step = Forms.valueOf(Sum->getRHS());
    return Sum->getOpcode() == BO_Add ? Step : -Step;
  }
  if (asVariable(Sum->getRHS()) == V && Sum->getOpcode() == BO_Add)
    return Forms.valueOf(Sum->getLHS());
  return std::nullopt;
}

namespace {
/// `v < e` with v on the left.
struct Bound {
  BinaryOperatorKind Compare;
  const Expr *Value;
};
} // namespace

static std::optional<Bound> boundOf(const Expr *Condition, const VarDecl *V) {
  const auto *Op =
      dyn_cast_or_null<BinaryOperator>(Condition->IgnoreParenImpCasts());
  if (!Op || !(Op->isRelationalOp() || Op->getOpcode() == BO_NE))
    return std::nullopt;
  if (asVariable(Op->getLHS()) == V)
    return Bound{Op->getOpcode(), Op->getRHS()};
  if (asVariable(Op->getRHS()) != V)
    return std::nullopt;
  BinaryOperatorKind Reverse =
      Op->getOpcode() == BO_NE
          ? BO_NE
          : BinaryOperator::reverseComparisonOp(Op->getOpcode());
  return Bound{Reverse, Op->getLHS()};
}

/// Lower, step and exclusive upper bound must fit each other.
static std::optional<Polynomial> exclusiveBound(const Bound &B,
                                                std::optional<int64_t> Step,
                                                const Polynomial &Value) {
  // A step that is not constant (blockDim.x * gridDim.x) counts upwards.
  bool Up = !Step || *Step > 0;
  switch (B.Compare) {
  case BO_LT:
    return Up ? std::optional(Value) : std::nullopt;
  case BO_LE:
    return Up ? std::optional(Value + Polynomial(1)) : std::nullopt;
  case BO_GT:
    return Up ? std::nullopt : std::optional(Value);
  case BO_GE:
    return Up ? std::nullopt : std::optional(Value - Polynomial(1));
  case BO_NE:
    return Step && (*Step == 1 || *Step == -1) ? std::optional(Value)
                                               : std::nullopt;
  default:
    return std::nullopt;
  }
}

static std::optional<uint64_t> tripCount(const Loop &L, const Bound &B) {
  auto Distance = (L.Upper - L.Lower).constant();
  if (!Distance || !L.Step || *L.Step == 0)
    return std::nullopt;
  // Compared without sign, -1 is not below 10.
  bool Negative = L.Lower.constant().value_or(-1) < 0;
  if (Negative && L.Variable->getType()->isSignedIntegerType() &&
      !B.Value->getType()->isSignedIntegerType())
    return std::nullopt;
  int64_t Step = *L.Step;
  if ((Step > 0) != (*Distance > 0)) {
    if (B.Compare == BO_NE && *Distance != 0)
      return std::nullopt; // counts until it wraps
    return 0;
  }
  return (std::abs(*Distance) + std::abs(Step) - 1) / std::abs(Step);
}

void recognizeCountedLoop(Loop &L, const ForStmt &For,
                          const Assignments &Changes, IndexForms &Forms,
                          const Kernel &K) {
  auto [V, Start] = startOf(For);
  if (!V || !Start || !For.getCond() || !For.getInc() ||
      !V->getType()->isIntegerType())
    return;
  // Inside the loop only the increment may change the variable.
  Assignments Inside = Assignments::of(For.getBody());
  if (Inside.isAssigned(V) || Assignments::of(For.getCond()).isAssigned(V) ||
      Assignments::of(For.getInc()).changesOf(V).size() != 1)
    return;
  for (const Assignments::Change &C : Changes.changesOf(V))
    if (C.Escapes)
      return;
  auto B = boundOf(For.getCond(), V);
  auto Step = stepOf(For.getInc(), V, Forms);
  if (!B || !Step)
    return;
  auto Constant = Step->constant();
  if (!K.isInvariantIn(*Step, L) || !K.isStable(*Step) ||
      (Constant && *Constant == 0))
    return;
  L.Lower = Forms.valueOf(Start);
  L.StepForm = *Step;
  L.Step = Constant;
  L.Variable = V;
  auto Upper = exclusiveBound(*B, Constant, Forms.valueOf(B->Value));
  if (!Upper || !K.isInvariantIn(*Upper, L))
    return;
  // The bound may not mention the variable itself.
  if (Assignments::mentions(B->Value, V))
    return;
  L.Upper = *Upper;
  L.Counted = true;
  L.TripCount = tripCount(L, *B);
}

bool Kernel::isStable(const Polynomial &P) const {
  return !P.usesAny([&](SymbolId Id) {
    const Symbol &S = Symbols[Id];
    return S.Kind == SymbolKind::Variable || S.Volatile;
  });
}

/// True when the declaration stands inside the loop.
static bool isDeclaredIn(const VarDecl *V, const Loop &L,
                         const ASTContext &Context) {
  const SourceManager &Sources = Context.getSourceManager();
  SourceLocation Where = Sources.getExpansionLoc(V->getLocation());
  SourceLocation Begin = Sources.getExpansionLoc(L.Statement->getBeginLoc());
  SourceLocation End = Sources.getExpansionLoc(L.Statement->getEndLoc());
  return !Sources.isBeforeInTranslationUnit(Where, Begin) &&
         !Sources.isBeforeInTranslationUnit(End, Where);
}

static bool changesIn(const Kernel &K, SymbolId Id, const Loop &L) {
  const Symbol &S = K.Symbols[Id];
  switch (S.Kind) {
  case SymbolKind::ThreadIdx:
  case SymbolKind::BlockIdx:
  case SymbolKind::BlockDim:
  case SymbolKind::GridDim:
  case SymbolKind::Parameter:
    return false;
  case SymbolKind::LoopVariable:
    for (const auto &Inner : K.Loops)
      if (Inner->Variable == S.Decl && Inner->isInside(&L))
        return true;
    return L.assigns(S.Decl) || isDeclaredIn(S.Decl, L, *K.Context);
  case SymbolKind::Constant:
    return S.Decl->isLocalVarDecl() && isDeclaredIn(S.Decl, L, *K.Context);
  case SymbolKind::Variable:
    // A global or shared scalar may be changed by others.
    return !S.Decl->isLocalVarDeclOrParm() || S.Decl->isStaticLocal() ||
           L.assigns(S.Decl) || isDeclaredIn(S.Decl, L, *K.Context);
  case SymbolKind::Load:
  case SymbolKind::Opaque:
    if (S.Volatile)
      return true;
    for (SymbolId D : S.DependsOn)
      if (changesIn(K, D, L))
        return true;
    return false;
  }
  return true;
}

bool Kernel::isInvariantIn(const Polynomial &P, const Loop &L) const {
  return !P.usesAny([&](SymbolId Id) { return changesIn(*this, Id, L); });
}

} // namespace cudal1

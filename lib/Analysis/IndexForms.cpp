//===- IndexForms.cpp - From expressions to index polynomials -------------===//

#include "cudal1/Analysis/IndexForms.h"

#include "cudal1/Analysis/BuiltinVariables.h"
#include "cudal1/Analysis/DeviceFunctions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace cudal1 {

/// Chains of definitions longer than this are not followed.
constexpr unsigned MaxDepth = 64;

QualType scalarOf(QualType Type) {
  while (const auto *Array = Type->getAsArrayTypeUnsafe())
    Type = Array->getElementType();
  return Type.getUnqualifiedType();
}

std::optional<int64_t> scalarCount(QualType Type, const ASTContext &Context) {
  int64_t Count = 1;
  while (const ArrayType *Array = Context.getAsArrayType(Type)) {
    const auto *Constant = dyn_cast<ConstantArrayType>(Array);
    if (!Constant)
      return std::nullopt;
    Count *= Constant->getSize().getSExtValue();
    Type = Array->getElementType();
  }
  return Count;
}

static bool isIntegral(const Expr *E) {
  QualType Type = E->getType();
  return !Type.isNull() && !Type->isDependentType() &&
         Type->isIntegralOrEnumerationType();
}

/// Collects the symbols that an expression's value depends on.
static std::vector<SymbolId> symbolsOf(const Polynomial &P) {
  std::vector<SymbolId> Ids;
  for (const auto &[M, C] : P.terms())
    for (SymbolId S : M)
      if (!llvm::is_contained(Ids, S))
        Ids.push_back(S);
  return Ids;
}

Polynomial IndexForms::valueOf(const Expr *E) {
  E = E->IgnoreParens();
  if (Depth > MaxDepth)
    return opaque(E, SymbolKind::Opaque);
  ++Depth;
  Polynomial Result = [&]() -> Polynomial {
    if (auto Builtin = asBuiltinVariable(E))
      return Polynomial::symbol(
          K.Symbols.builtin(Builtin->Kind, Builtin->Axis));
    if (isIntegral(E) && !E->isValueDependent()) {
      Expr::EvalResult Value;
      if (E->EvaluateAsInt(Value, *K.Context) && !Value.HasSideEffects &&
          Value.Val.getInt().isRepresentableByInt64())
        return Polynomial(Value.Val.getInt().getExtValue());
    }
    if (const auto *Cast = dyn_cast<CastExpr>(E))
      return castValue(Cast);
    if (const auto *Op = dyn_cast<BinaryOperator>(E))
      return binaryValue(Op);
    if (const auto *Op = dyn_cast<UnaryOperator>(E)) {
      if (Op->getOpcode() == UO_Minus)
        return -valueOf(Op->getSubExpr());
      if (Op->getOpcode() == UO_Plus)
        return valueOf(Op->getSubExpr());
    }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()); V && isIntegral(E))
        return variableValue(V);
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      return valueOf(Temporary->getSubExpr());
    if (const auto *Full = dyn_cast<FullExpr>(E))
      return valueOf(Full->getSubExpr());
    if (const auto *Substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      return valueOf(Substituted->getReplacement());
    return opaque(E, SymbolKind::Opaque);
  }();
  --Depth;
  return Result;
}

Polynomial IndexForms::castValue(const CastExpr *Cast) {
  const Expr *Inner = Cast->getSubExpr();
  switch (Cast->getCastKind()) {
  case CK_NoOp:
    return valueOf(Inner);
  case CK_LValueToRValue: {
    const Expr *LValue = Inner->IgnoreParens();
    if (isa<DeclRefExpr>(LValue) && isIntegral(LValue))
      return valueOf(LValue);
    if (asBuiltinVariable(LValue))
      return valueOf(LValue);
    return opaque(LValue, SymbolKind::Load);
  }
  case CK_IntegralCast: {
    // Widening, or a change of sign only, keeps the value (see the class).
    if (!isIntegral(Inner) || Cast->getType()->isDependentType())
      return opaque(Cast, SymbolKind::Opaque);
    uint64_t To = K.Context->getTypeSize(Cast->getType());
    uint64_t From = K.Context->getTypeSize(Inner->getType());
    if (To >= From)
      return valueOf(Inner);
    return opaque(Cast, SymbolKind::Opaque);
  }
  default:
    return opaque(Cast, SymbolKind::Opaque);
  }
}

Polynomial IndexForms::binaryValue(const BinaryOperator *Op) {
  if (!isIntegral(Op))
    return opaque(Op, SymbolKind::Opaque);
  switch (Op->getOpcode()) {
  case BO_Add:
    return valueOf(Op->getLHS()) + valueOf(Op->getRHS());
  case BO_Sub:
    return valueOf(Op->getLHS()) - valueOf(Op->getRHS());
  case BO_Mul:
    return valueOf(Op->getLHS()) * valueOf(Op->getRHS());
  case BO_Shl: {
    auto Shift = valueOf(Op->getRHS()).constant();
    if (Shift && *Shift >= 0 && *Shift < 63)
      return valueOf(Op->getLHS()) * Polynomial(int64_t(1) << *Shift);
    return opaque(Op, SymbolKind::Opaque);
  }
  default:
    return opaque(Op, SymbolKind::Opaque);
  }
}

void IndexForms::enterLoop(Loop &L) {
  if (L.Variable)
    L.VariableSymbol = loopSymbol(L);
  Active.push_back(&L);
}

SymbolId IndexForms::loopSymbol(const Loop &L) {
  return K.Symbols.variable(SymbolKind::LoopVariable, L.Variable,
                            symbolsOf(L.Lower));
}

/// \p V is declared by a statement inside of \p S.
static bool declares(const Stmt *S, const VarDecl *V) {
  if (const auto *Decls = dyn_cast_or_null<DeclStmt>(S))
    if (llvm::is_contained(Decls->decls(), V))
      return true;
  return S && llvm::any_of(S->children(),
                           [&](const Stmt *Part) { return declares(Part, V); });
}

bool IndexForms::isSetInItsLoops(const VarDecl *V,
                                 const Polynomial &Init) const {
  return !Init.usesAny([&](SymbolId Id) {
    const Symbol &S = K.Symbols[Id];
    if (S.Kind != SymbolKind::LoopVariable)
      return false;
    for (const Loop *L : llvm::reverse(Active))
      if (L->Variable == S.Decl)
        return !declares(L->Statement, V);
    return true;
  });
}

Polynomial IndexForms::variableValue(const VarDecl *V) {
  // What a reference is bound to may change by its own name.
  if (V->getType()->isReferenceType())
    return Polynomial::symbol(K.Symbols.variable(SymbolKind::Variable, V));
  for (const Loop *L : llvm::reverse(Active))
    if (L->Variable == V)
      return Polynomial::symbol(loopSymbol(*L));
  if (Changes.isAssigned(V))
    return Polynomial::symbol(K.Symbols.variable(SymbolKind::Variable, V));
  if (isa<ParmVarDecl>(V))
    return Polynomial::symbol(K.Symbols.variable(SymbolKind::Parameter, V));
  if (!V->isLocalVarDecl() || V->isStaticLocal()) {
    // A global or shared scalar: the kernel or another thread may change it.
    if (V->getType().isConstQualified())
      return Polynomial::symbol(K.Symbols.variable(SymbolKind::Constant, V));
    return Polynomial::symbol(K.Symbols.variable(SymbolKind::Variable, V));
  }
  if (!V->getInit() || !isIntegral(V->getInit()))
    return Polynomial::symbol(K.Symbols.variable(SymbolKind::Constant, V));
  // A variable narrower than its initialiser has the conversion in the
  // initialiser; valueOf sees it there.
  Polynomial Init = valueOf(V->getInit());
  bool PureForm = !Init.usesAny([&](SymbolId Id) {
    SymbolKind Kind = K.Symbols[Id].Kind;
    return Kind == SymbolKind::Variable || Kind == SymbolKind::Load ||
           Kind == SymbolKind::Opaque;
  });
  if (PureForm && isSetInItsLoops(V, Init))
    return Init;
  return Polynomial::symbol(
      K.Symbols.variable(SymbolKind::Constant, V, symbolsOf(Init)));
}

bool IndexForms::isVolatileLoad(const Expr *LValue) {
  ResolvedPointer Address = addressOf(LValue);
  if (!Address.Base || LValue->getType().isVolatileQualified())
    return true;
  if (Address.Space == MemorySpace::Constant)
    return false;
  if (WrittenBases.contains(Address.Base))
    return true;
  if (Address.Space == MemorySpace::Local)
    return Changes.isAssigned(Address.Base);
  if (Address.Space == MemorySpace::Shared)
    return false;
  const KernelParameter *P = K.parameter(Address.Base);
  bool Qualified = P && P->Restrict && P->PointeeConst;
  return AnythingWritten && !Qualified;
}

Polynomial IndexForms::opaque(const Expr *E, SymbolKind Kind) {
  std::vector<SymbolId> DependsOn;
  bool Volatile = false;
  auto AddAll = [&](const Polynomial &P) {
    for (SymbolId S : symbolsOf(P)) {
      if (!llvm::is_contained(DependsOn, S))
        DependsOn.push_back(S);
      Volatile |=
          K.Symbols[S].Volatile || K.Symbols[S].Kind == SymbolKind::Variable;
    }
  };
  if (Kind == SymbolKind::Load) {
    const Expr *LValue = E->IgnoreParenImpCasts();
    Volatile |= isVolatileLoad(LValue);
    AddAll(addressOf(LValue).Index);
  } else if (const auto *Call = dyn_cast<CallExpr>(E)) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    Volatile |= !Callee || classify(*Callee) != DeviceFunction::Pure;
    for (const Expr *Arg : Call->arguments())
      AddAll(valueOf(Arg));
  } else if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    // A value that is not an integer (float, struct).
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    Volatile |=
        !V || Changes.isAssigned(V) ||
        (!V->isLocalVarDeclOrParm() && !V->getType().isConstQualified());
    if (V && !Volatile && V->isLocalVarDecl() && V->getInit())
      for (const Stmt *Child : V->getInit()->children())
        if (const auto *Part = dyn_cast_or_null<Expr>(Child))
          AddAll(valueOf(Part));
  } else {
    if (const auto *Op = dyn_cast<UnaryOperator>(E))
      Volatile |= Op->isIncrementDecrementOp();
    if (const auto *Op = dyn_cast<BinaryOperator>(E))
      Volatile |= Op->isAssignmentOp();
    bool Understood =
        isa<BinaryOperator, UnaryOperator, CastExpr, ConditionalOperator,
            MemberExpr, FloatingLiteral, ArraySubscriptExpr>(E);
    Volatile |= !Understood;
    if (const auto *Member = dyn_cast<MemberExpr>(E);
        Member && Member->isArrow())
      Volatile = true;
    for (const Stmt *Child : E->children())
      if (const auto *Part = dyn_cast_or_null<Expr>(Child))
        AddAll(valueOf(Part));
  }
  return Polynomial::symbol(K.Symbols.expression(Kind, E, std::move(DependsOn),
                                                 Volatile, *K.Context));
}

} // namespace cudal1

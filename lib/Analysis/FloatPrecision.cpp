//===- FloatPrecision.cpp - Doubles no better than floats -----------------===//

#include "cudal1/Analysis/FloatPrecision.h"

#include "cudal1/Analysis/Assignments.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace cudal1 {

static bool isDouble(QualType T) {
  return T->isSpecificBuiltinType(BuiltinType::Double);
}

static bool isFloat(QualType T) {
  return T->isSpecificBuiltinType(BuiltinType::Float);
}

static bool isLiteral(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *Sign = dyn_cast<UnaryOperator>(E);
      Sign && Sign->getOpcode() == UO_Minus)
    E = Sign->getSubExpr()->IgnoreParenCasts();
  return isa<FloatingLiteral, IntegerLiteral>(E);
}

namespace {

/// Decides of expressions in one kernel whether their value has been through
/// the rounding of a float. In doubt it has not.
class Precision {
public:
  explicit Precision(const Kernel &K)
      : K(K), Changes(Assignments::of(K.Function->getBody())) {}

  /// \p E is a double, or converted to one.
  bool isOfFloats(const Expr *E);

private:
  bool isComputedFloat(const Expr *E);
  /// Of all that \p V is ever set to, Holds is true; its own value within a
  /// sum does not count.
  template <typename Predicate> bool all(const VarDecl *V, Predicate Holds);
  bool isRounded(const VarDecl *V);
  bool isWritten(const ValueDecl *Base) const {
    return llvm::any_of(K.Accesses, [&](const MemoryAccess &A) {
      return A.writes() && (!A.Base || A.Base == Base);
    });
  }

  const Kernel &K;
  Assignments Changes;
  /// Variables that are being looked at: they add nothing of their own.
  llvm::SmallPtrSet<const VarDecl *, 4> Open;
};

} // namespace

/// The pointer or array that the element \p E lies in; null if it is none.
static const ValueDecl *baseOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  while (true) {
    if (const auto *At = dyn_cast<ArraySubscriptExpr>(E))
      E = At->getBase()->IgnoreParenImpCasts();
    else if (const auto *Star = dyn_cast<UnaryOperator>(E);
             Star && Star->getOpcode() == UO_Deref)
      E = Star->getSubExpr()->IgnoreParenImpCasts();
    else
      break;
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  return Ref ? Ref->getDecl() : nullptr;
}

template <typename Predicate>
bool Precision::all(const VarDecl *V, Predicate Holds) {
  if (!V->isLocalVarDecl())
    return false;
  bool Some = false;
  if (const Expr *First = V->getInit(); First && !isLiteral(First)) {
    if (!Holds(First))
      return false;
    Some = true;
  }
  for (const Assignments::Change &C : Changes.changesOf(V)) {
    const Expr *Value = C.Value;
    if (const auto *Compound =
            dyn_cast_or_null<CompoundAssignOperator>(C.Where);
        Compound && !C.Escapes) {
      if (isFloat(V->getType())) { // the sum itself is rounded
        Some = true;
        continue;
      }
      Value = Compound->getRHS();
    }
    if (C.Escapes || !Value || (!isLiteral(Value) && !Holds(Value)))
      return false;
    Some |= !isLiteral(Value);
  }
  return Some;
}

bool Precision::isRounded(const VarDecl *V) {
  if (!Open.insert(V).second)
    return true;
  bool Rounded = isFloat(V->getType())
                     ? all(V, [&](const Expr *E) { return isComputedFloat(E); })
                     : all(V, [&](const Expr *E) { return isOfFloats(E); });
  Open.erase(V);
  return Rounded;
}

/// A float that was rounded in the kernel, not only read.
bool Precision::isComputedFloat(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (isDouble(E->getType()) || isa<CallExpr>(E))
    return true; // rounded where it becomes a float, or by the function
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
    return isDouble(Cast->getSubExpr()->getType()) ||
           isComputedFloat(Cast->getSubExpr());
  if (const auto *Sign = dyn_cast<UnaryOperator>(E);
      Sign && Sign->getOpcode() != UO_Deref)
    return isComputedFloat(Sign->getSubExpr());
  if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    return Binary->isAdditiveOp() || Binary->isMultiplicativeOp();
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return isComputedFloat(Choice->getTrueExpr()) &&
           isComputedFloat(Choice->getFalseExpr());
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    return V && isRounded(V);
  }
  const ValueDecl *Base = baseOf(E);
  return Base && isWritten(Base);
}

bool Precision::isOfFloats(const Expr *E) {
  E = E->IgnoreParens();
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    const Expr *Of = Cast->getSubExpr()->IgnoreParens();
    if (isFloat(Of->getType()))
      return isComputedFloat(Of);
    return isDouble(Of->getType()) && isOfFloats(Of);
  }
  if (isFloat(E->getType()))
    return isComputedFloat(E);
  if (const auto *Sign = dyn_cast<UnaryOperator>(E);
      Sign && (Sign->getOpcode() == UO_Minus || Sign->getOpcode() == UO_Plus))
    return isOfFloats(Sign->getSubExpr());
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    bool Left = isOfFloats(Binary->getLHS()),
         Right = isOfFloats(Binary->getRHS());
    if (Binary->isAdditiveOp())
      return (Left || isLiteral(Binary->getLHS())) &&
             (Right || isLiteral(Binary->getRHS())) && (Left || Right);
    return Binary->isMultiplicativeOp() && (Left || Right);
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return Call->getNumArgs() == 1 && Call->getBuiltinCallee() &&
           isOfFloats(Call->getArg(0));
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && isDouble(V->getType()) && isRounded(V);
}

namespace {

/// The values that a kernel's own body stores behind a parameter.
class StoredValues : public RecursiveASTVisitor<StoredValues> {
public:
  explicit StoredValues(const ValueDecl *Parameter) : Parameter(Parameter) {}

  bool VisitBinaryOperator(const BinaryOperator *E) {
    if (E->isAssignmentOp() && isElement(E->getLHS()))
      Values.push_back(E->getRHS());
    return true;
  }
  bool VisitCallExpr(const CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !F->getDeclName().isIdentifier() || F->getName() != "atomicAdd" ||
        Call->getNumArgs() != 2)
      return true;
    const Expr *At = Call->getArg(0)->IgnoreParenImpCasts();
    if (const auto *Address = dyn_cast<UnaryOperator>(At);
        Address && Address->getOpcode() == UO_AddrOf)
      At = Address->getSubExpr();
    if (baseOf(At) == Parameter)
      Values.push_back(Call->getArg(1));
    return true;
  }

  std::vector<const Expr *> Values;

private:
  bool isElement(const Expr *E) const {
    return isDouble(E->getType()) && baseOf(E) == Parameter;
  }
  const ValueDecl *Parameter;
};

} // namespace

bool holdsFloatPrecision(const Kernel &K, const KernelParameter &P) {
  if (!P.IsPointer || !P.Decl || P.Pointee.isNull() || !isDouble(P.Pointee) ||
      P.Reassigned || P.Use.Escapes || !K.Function->hasBody())
    return false;
  size_t Writes = 0;
  for (const MemoryAccess &A : K.Accesses) {
    if (!A.writes() || (A.Base && A.Base != P.Decl))
      continue;
    if (!A.Base || A.InCallee)
      return false;
    ++Writes;
  }
  StoredValues Stored(P.Decl);
  Stored.TraverseStmt(K.Function->getBody());
  Precision Of(K);
  return Writes > 0 && Writes == Stored.Values.size() &&
         llvm::all_of(Stored.Values,
                      [&](const Expr *E) { return Of.isOfFloats(E); });
}

} // namespace cudal1

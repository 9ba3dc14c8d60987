//===- DoubleComputation.cpp - Double arithmetic amid float code ----------===//

#include "DoubleComputation.h"
#include "MathFunction.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using llvm::APFloat;

namespace cudal1 {

using Rounding = DoubleComputation::Rounding;

/// Integers of at most this many bits, sign aside, are exact as float.
static constexpr unsigned FloatMantissaBits = 24;

std::optional<DoubleComputation> DoubleComputation::below(const Expr *E,
                                                          const Program &P) {
  DoubleComputation Result(P);
  std::optional<Part> Whole = Result.visit(E);
  if (!Whole)
    return std::nullopt;
  Result.Whole = *Whole;
  return Result;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A constant as a double and as a float. Nothing when a float cannot hold its
/// magnitude.
std::optional<DoubleComputation::Part>
DoubleComputation::constant(const APFloat &Value) {
  Part Result;
  Result.Constant = true;
  Result.InDouble = Value;
  Result.InFloat = Value;
  bool Inexact = false;
  Result.InFloat.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                         &Inexact);
  if (!Result.InFloat.isZero() && !Result.InFloat.isNormal())
    return std::nullopt;
  if (Result.InFloat.isZero() && !Value.isZero())
    return std::nullopt;
  Result.Rounds = Inexact ? Rounding::Many : Rounding::None;
  return Result;
}

static void apply(BinaryOperatorKind Kind, APFloat &L, const APFloat &R) {
  switch (Kind) {
  case BO_Add:
    L.add(R, APFloat::rmNearestTiesToEven);
    return;
  case BO_Sub:
    L.subtract(R, APFloat::rmNearestTiesToEven);
    return;
  case BO_Mul:
    L.multiply(R, APFloat::rmNearestTiesToEven);
    return;
  default:
    L.divide(R, APFloat::rmNearestTiesToEven);
    return;
  }
}

std::optional<DoubleComputation::Part>
DoubleComputation::foldedOperation(BinaryOperatorKind Kind, const Part &L,
                                   const Part &R) {
  Part Result = L;
  apply(Kind, Result.InDouble, R.InDouble);
  apply(Kind, Result.InFloat, R.InFloat);
  for (const APFloat *Value : {&Result.InDouble, &Result.InFloat})
    if (!Value->isZero() && !Value->isNormal())
      return std::nullopt;
  APFloat Widened = Result.InFloat;
  bool Inexact = false;
  Widened.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &Inexact);
  Result.Rounds =
      Widened.bitwiseIsEqual(Result.InDouble) ? Rounding::None : Rounding::Many;
  return Result;
}

std::optional<DoubleComputation::Part>
DoubleComputation::literal(const FloatingLiteral *L) {
  if (!L->getLocation().isFileID())
    return std::nullopt;
  Literals.push_back(L);
  return constant(L->getValue());
}

/// `EPS` in `x + EPS`, where the macro is one literal or has parentheses around
/// it all: a cast before the use is as good as a suffix inside.
std::optional<DoubleComputation::Part>
DoubleComputation::macroConstant(const Expr *E) {
  if (!isa<FloatingLiteral, ParenExpr>(E) || !isDouble(E->getType()))
    return std::nullopt;
  const SourceManager &SM = P->sources(Side::Device);
  const LangOptions &Options = P->context(Side::Device).getLangOpts();
  SourceLocation Begin, End;
  if (SM.isMacroArgExpansion(E->getBeginLoc()) ||
      !Lexer::isAtStartOfMacroExpansion(E->getBeginLoc(), SM, Options,
                                        &Begin) ||
      !Lexer::isAtEndOfMacroExpansion(E->getEndLoc(), SM, Options, &End) ||
      !Begin.isFileID() || !End.isFileID())
    return std::nullopt;
  Expr::EvalResult Value;
  if (!E->EvaluateAsRValue(Value, P->context(Side::Device)) ||
      Value.HasSideEffects || !Value.Val.isFloat())
    return std::nullopt;
  MacroConstants.push_back(E);
  return constant(Value.Val.getFloat());
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

std::optional<DoubleComputation::Part>
DoubleComputation::integerLeaf(const Expr *E) {
  ASTContext &Context = P->context(Side::Device);
  if (std::optional<double> Value = constantValue(E, Context))
    return constant(APFloat(*Value));
  QualType Type = E->IgnoreParenImpCasts()->getType();
  if (!Type->isIntegerType())
    return std::nullopt;
  HasInteger = true;
  Part Result;
  if (Context.getIntWidth(Type) > FloatMantissaBits) {
    HasWideInteger = true;
    Result.Rounds = Rounding::Many;
  }
  return Result;
}

/// The type of a value as the program spells it may be another one in another
/// configuration (`#define REAL float`, `typedef float real;`): a literal made
/// float for this one would then lose digits.
static bool isConfigurable(const Expr *E, const Program &P) {
  const SourceManager &SM = P.sources(Side::Device);
  for (QualType Type = E->IgnoreParenImpCasts()->getType();;) {
    const auto *Alias = Type->getAs<TypedefType>();
    if (!Alias)
      break;
    SourceLocation Loc = SM.getExpansionLoc(Alias->getDecl()->getLocation());
    if (P.isEditable(Side::Device, SM.getFileID(Loc)))
      return true;
    Type = Alias->desugar();
  }
  const Expr *Object = E->IgnoreParenImpCasts();
  while (const auto *Element = dyn_cast<ArraySubscriptExpr>(Object))
    Object = Element->getBase()->IgnoreParenImpCasts();
  const DeclaratorDecl *Declared = nullptr;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Object))
    Declared = dyn_cast<DeclaratorDecl>(Ref->getDecl());
  else if (const auto *Field = dyn_cast<MemberExpr>(Object))
    Declared = dyn_cast<DeclaratorDecl>(Field->getMemberDecl());
  return Declared && Declared->getTypeSpecStartLoc().isMacroID() &&
         P.isEditable(Side::Device, SM.getFileID(SM.getSpellingLoc(
                                        Declared->getTypeSpecStartLoc())));
}

std::optional<DoubleComputation::Part> DoubleComputation::leaf(const Expr *E) {
  if (isFloat(E->getType())) {
    if (isConfigurable(E, *P))
      return std::nullopt;
    FloatLeaves.push_back(E);
    return Part();
  }
  if (E->getType()->isIntegerType())
    return integerLeaf(E);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

std::optional<DoubleComputation::Part>
DoubleComputation::binary(const BinaryOperator *Op) {
  if (Op->isCompoundAssignmentOp() ||
      !(Op->isAdditiveOp() || Op->getOpcode() == BO_Mul ||
        Op->getOpcode() == BO_Div))
    return std::nullopt;
  std::optional<Part> L = visit(Op->getLHS());
  std::optional<Part> R = L ? visit(Op->getRHS()) : std::nullopt;
  if (!R)
    return std::nullopt;
  if (L->Constant && R->Constant)
    return foldedOperation(Op->getOpcode(), *L, *R);
  ++Operations;
  if (Op->isAdditiveOp())
    Addends.insert(Addends.end(), {Op->getLHS(), Op->getRHS()});
  else
    HasProduct = true;
  Part Result;
  bool Plain = L->Rounds == Rounding::None && R->Rounds == Rounding::None;
  Result.Rounds = Plain ? Rounding::Once : Rounding::Many;
  return Result;
}

std::optional<DoubleComputation::Part>
DoubleComputation::choice(const ConditionalOperator *Op) {
  std::optional<Part> L = visit(Op->getTrueExpr());
  std::optional<Part> R = L ? visit(Op->getFalseExpr()) : std::nullopt;
  if (!R)
    return std::nullopt;
  ++Operations;
  Part Result;
  Result.Rounds = std::max(L->Rounds, R->Rounds);
  return Result;
}

/// What a call makes of arguments that round as \p Worst.
static Rounding roundingOfCall(StringRef Name, Rounding Worst) {
  // Selecting and changing the sign commute with rounding.
  bool Selects = llvm::StringSwitch<bool>(Name)
                     .Cases({"fabs", "fmax", "fmin", "max", "min"}, true)
                     .Default(false);
  if (Selects || Worst == Rounding::Many)
    return Worst;
  if (Worst == Rounding::Once)
    return Rounding::Many;
  // Whole numbers near a float are floats.
  return llvm::StringSwitch<Rounding>(Name)
      .Cases({"floor", "ceil", "trunc", "round", "rint", "nearbyint"},
             Rounding::None)
      .Case("sqrt", Rounding::Once)
      .Default(Rounding::Many);
}

std::optional<DoubleComputation::Part>
DoubleComputation::call(const CallExpr *Call) {
  std::optional<MathFunction> Function = mathFunctionOf(Call, *P);
  if (!Function || Function->IsFloat ||
      Call->getCallee()->getBeginLoc().isMacroID())
    return std::nullopt;
  Rounding Worst = Rounding::None;
  for (const Expr *Arg : Call->arguments()) {
    std::optional<Part> A = visit(Arg);
    if (!A)
      return std::nullopt;
    Worst = std::max(Worst, A->Rounds);
  }
  ++Operations;
  std::string Name = Function->Base == "max"   ? "fmax"
                     : Function->Base == "min" ? "fmin"
                                               : Function->Base;
  Calls.push_back({Call, Name + "f"});
  Part Result;
  Result.Rounds = roundingOfCall(Function->Base, Worst);
  return Result;
}

std::optional<DoubleComputation::Part> DoubleComputation::visit(const Expr *E) {
  if (E->getBeginLoc().isMacroID())
    if (std::optional<Part> Constant = macroConstant(E))
      return Constant;
  if (const auto *Paren = dyn_cast<ParenExpr>(E))
    return visit(Paren->getSubExpr());
  // A conversion that the author did not write.
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E)) {
    const Expr *From = Cast->getSubExpr();
    if (Cast->getCastKind() == CK_NoOp)
      return visit(From);
    if (Cast->getCastKind() == CK_FloatingCast ||
        Cast->getCastKind() == CK_IntegralToFloating)
      return isFloat(From->getType()) ? visit(From) : leaf(From);
    // Arguments of a template are not converted.
    return leaf(E);
  }
  if (!isDouble(E->getType())) {
    const auto *Call = dyn_cast<CallExpr>(E);
    std::optional<MathFunction> F =
        Call ? mathFunctionOf(Call, *P) : std::nullopt;
    return F && F->IsMixedPower ? this->call(Call) : leaf(E);
  }
  if (const auto *L = dyn_cast<FloatingLiteral>(E))
    return literal(L);
  if (const auto *Op = dyn_cast<BinaryOperator>(E))
    return binary(Op);
  if (const auto *Op = dyn_cast<ConditionalOperator>(E))
    return choice(Op);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return this->call(Call);
  const auto *Op = dyn_cast<UnaryOperator>(E);
  if (!Op || (Op->getOpcode() != UO_Minus && Op->getOpcode() != UO_Plus))
    return std::nullopt;
  std::optional<Part> Sub = visit(Op->getSubExpr());
  if (Sub && Sub->Constant && Op->getOpcode() == UO_Minus) {
    Sub->InDouble.changeSign();
    Sub->InFloat.changeSign();
  }
  return Sub;
}

} // namespace cudal1

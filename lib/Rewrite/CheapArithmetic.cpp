//===- CheapArithmetic.cpp - Powers and quotients by constants ------------===//

#include "CheapArithmetic.h"
#include "MathFunction.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace clang;

namespace cudal1 {

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// Characters of a base that is written more than once.
static constexpr size_t LongestRepeatedBase = 40;

namespace {

/// A power, and how it is written without pow.
struct Power {
  const CallExpr *Call = nullptr;
  const Expr *Base = nullptr;
  double Exponent = 0;
  /// The new expression is a float; else a double.
  bool InFloat = false;
  /// The base has to be converted first.
  bool Widens = false;
  /// pow computes a double that is rounded to float afterwards.
  bool Narrows = false;
};

} // namespace

static bool isRootExponent(double Exponent) {
  return Exponent == 0.5 || Exponent == -0.5;
}

/// Not -2: x * x overflows where 1 / (x * x) is still a denormal number.
static bool isProductExponent(double Exponent) {
  return llvm::is_contained({2.0, 3.0, 4.0, -1.0}, Exponent);
}

/// Writing it twice means what writing it once means.
static bool isRepeatable(const Expr *E, const EditBuilder &Builder,
                         const ASTContext &Context) {
  StringRef Text = Builder.text(E->getSourceRange());
  return !Text.empty() && Text.size() <= LongestRepeatedBase &&
         !Text.contains('\n') && !E->HasSideEffects(Context);
}

/// The value of the call is converted to float before anything else happens.
static bool isConvertedToFloat(Ancestors Around) {
  while (!Around.empty() && isa<ParenExpr>(Around.back()))
    Around = Around.drop_back();
  const auto *Cast =
      Around.empty() ? nullptr : dyn_cast<CastExpr>(Around.back());
  return Cast && Cast->getCastKind() == CK_FloatingCast &&
         isFloat(Cast->getType());
}

static std::optional<Power> powerOf(const CallExpr *Call, Ancestors Around,
                                    const Program &P) {
  std::optional<MathFunction> F = mathFunctionOf(Call, P);
  if (!F || F->Base != "pow" || Call->getNumArgs() != 2)
    return std::nullopt;
  Power Result;
  Result.Call = Call;
  Result.Base = Call->getArg(0)->IgnoreImpCasts();
  std::optional<double> Exponent =
      constantValue(Call->getArg(1), P.context(Side::Device));
  if (!Exponent || constantValue(Result.Base, P.context(Side::Device)))
    return std::nullopt;
  Result.Exponent = *Exponent;
  // What the arguments' types are before any conversion: a template's
  // arguments are not converted, others are.
  QualType Type = Call->getArg(0)->IgnoreParenImpCasts()->getType();
  bool FromInteger = Type->isIntegerType();
  if (!FromInteger && !isFloat(Type) && !isDouble(Type))
    return std::nullopt;
  Result.InFloat =
      F->IsFloat ||
      (!isDouble(Type) &&
       (F->IsMixedPower ? endsInFloat(Around) : isConvertedToFloat(Around)));
  if (F->IsFloat && isDouble(Type))
    return std::nullopt;
  Result.Widens = FromInteger || (!Result.InFloat && isFloat(Type));
  Result.Narrows = Result.InFloat && !F->IsFloat;
  return Result;
}

/// The operand as a factor, in parentheses where it needs them.
static std::string factor(const Expr *E, const EditBuilder &Builder) {
  const Expr *Inner = E;
  while (const auto *Paren = dyn_cast<ParenExpr>(Inner->IgnoreImpCasts()))
    Inner = Paren->getSubExpr();
  Inner = Inner->IgnoreImpCasts();
  std::string Text = Builder.text(Inner->getSourceRange()).str();
  if (isa<DeclRefExpr, ArraySubscriptExpr, MemberExpr, CallExpr,
          PseudoObjectExpr>(Inner) &&
      !isa<CXXOperatorCallExpr>(Inner))
    return Text;
  return "(" + Text + ")";
}

static std::string productText(const Power &Pow, const EditBuilder &Builder) {
  std::string Type = Pow.InFloat ? "float" : "double";
  std::string B = factor(Pow.Base, Builder);
  std::string First = (Pow.Widens ? "(" + Type + ")" : "") + B;
  std::string Square = First + " * " + B;
  std::string One = Pow.InFloat ? "1.0f" : "1.0";
  if (Pow.Exponent == 2.0)
    return Square;
  if (Pow.Exponent == 3.0)
    return Square + " * " + B;
  if (Pow.Exponent == 4.0)
    return Square + " * (" + Square + ")";
  return One + " / " + B;
}

static std::string rootText(const Power &Pow, const EditBuilder &Builder) {
  std::string Name = Pow.Exponent < 0 ? "rsqrt" : "sqrt";
  Name += Pow.InFloat ? "f(" : "(";
  if (Pow.Widens)
    return Name + (Pow.InFloat ? "(float)" : "(double)") +
           factor(Pow.Base, Builder) + ")";
  return Name + Builder.text(Pow.Base->getSourceRange()).str() + ")";
}

/// Multiplication in place of a call needs parentheses there.
static bool needsParentheses(const CallExpr *Call, Ancestors Around) {
  const Stmt *Child = Call;
  for (const Stmt *S : llvm::reverse(Around)) {
    if (isa<ImplicitCastExpr>(S)) {
      Child = S;
      continue;
    }
    if (!isa<Expr>(S) ||
        isa<ParenExpr, CallExpr, CXXConstructExpr, InitListExpr,
            ConditionalOperator, CXXFunctionalCastExpr>(S))
      return isa<CXXOperatorCallExpr>(S);
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(S))
      return Subscript->getIdx() != Child;
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (!Op)
      return true;
    if (Op->isMultiplicativeOp())
      return Op->getLHS() != Child;
    return Op->isPtrMemOp();
  }
  return false;
}

/// The same text read from the same place.
static bool areAlike(const Expr *A, const Expr *B, const ASTContext &Context) {
  llvm::FoldingSetNodeID First, Second;
  A->IgnoreParenImpCasts()->Profile(First, Context, /*Canonical=*/true);
  B->IgnoreParenImpCasts()->Profile(Second, Context, /*Canonical=*/true);
  return First == Second && !A->HasSideEffects(Context);
}

/// Neither negative nor -0, NaN aside: squares, magnitudes, exponentials and
/// sums of them.
static bool isNeverNegative(const Expr *E, const Program &P) {
  const ASTContext &Context = P.context(Side::Device);
  E = E->IgnoreParenImpCasts();
  if (std::optional<double> Value = constantValue(E, Context))
    return !std::signbit(*Value);
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    std::optional<MathFunction> F = mathFunctionOf(Call, P);
    return F && llvm::is_contained({"fabs", "exp", "exp2", "exp10", "cosh"},
                                   F->Base);
  }
  const auto *Op = dyn_cast<BinaryOperator>(E);
  if (!Op)
    return false;
  if (Op->getOpcode() == BO_Mul && Op->getType()->isRealFloatingType() &&
      areAlike(Op->getLHS(), Op->getRHS(), Context))
    return true;
  return (Op->getOpcode() == BO_Mul || Op->getOpcode() == BO_Add) &&
         Op->getType()->isRealFloatingType() &&
         isNeverNegative(Op->getLHS(), P) && isNeverNegative(Op->getRHS(), P);
}

/// The text of the call can be replaced, and the base repeated if need be.
static bool canWrite(const Power &Pow, const Program &P) {
  EditBuilder Builder(P, Side::Device);
  if (Pow.Call->getBeginLoc().isMacroID() ||
      Pow.Base->getBeginLoc().isMacroID() ||
      !Builder.canEdit(Pow.Call->getSourceRange()))
    return false;
  return isRootExponent(Pow.Exponent) || Pow.Exponent == -1.0 ||
         isRepeatable(Pow.Base, Builder, P.context(Side::Device));
}

/// A product is off by 1.5 ulp at most (fourth powers; 0.5 for squares and
/// reciprocals), pow by 2 (double) or 4 (float): no less accurate than it, like
/// a sum in another order. Not so where pow has the precision of a double and
/// the product rounds to float more than once.
static FpClass classOf(const Power &Pow) {
  bool RoundsOnce = Pow.Exponent == 2.0 || Pow.Exponent == -1.0;
  return isRootExponent(Pow.Exponent) || (Pow.Narrows && !RoundsOnce)
             ? FpClass::Approximate
             : FpClass::Reassociate;
}

static Place placeOfPower(const Power &Pow, bool Parentheses,
                          const Program &P) {
  Place At;
  At.Range = Pow.Call->getSourceRange();
  At.Class = classOf(Pow);
  bool Root = isRootExponent(Pow.Exponent);
  At.Form = std::to_string(Pow.Exponent) + (Pow.InFloat ? "f" : "") +
            (Pow.Widens ? "w" : "");
  if (Root && !isNeverNegative(Pow.Base, P))
    At.Condition = "no base of pow is -0 or -infinity";
  At.Change = [=](EditBuilder &Builder) {
    std::string Text =
        Root ? rootText(Pow, Builder) : productText(Pow, Builder);
    if (!Root && Parentheses)
      Text = "(" + Text + ")";
    Builder.replace(Pow.Call->getSourceRange(), Text);
  };
  return At;
}

std::vector<Place> powerPlaces(const FunctionDecl *Function, const Program &P,
                               bool Roots) {
  std::vector<Place> Result;
  const SourceManager &SM = P.sources(Side::Device);
  walkEvaluated(Function->getBody(), [&](const Stmt *S, Ancestors Around) {
    const auto *Call = dyn_cast<CallExpr>(S);
    std::optional<Power> Pow = Call ? powerOf(Call, Around, P) : std::nullopt;
    if (!Pow || !canWrite(*Pow, P) ||
        !(Roots ? isRootExponent(Pow->Exponent)
                : isProductExponent(Pow->Exponent)))
      return;
    // A power inside of the base of another waits for the next round.
    bool Inside = llvm::any_of(Result, [&](const Place &Outer) {
      return !SM.isBeforeInTranslationUnit(Call->getBeginLoc(),
                                           Outer.Range.getBegin()) &&
             SM.isBeforeInTranslationUnit(Call->getBeginLoc(),
                                          Outer.Range.getEnd());
    });
    if (Inside)
      return;
    bool Parentheses = needsParentheses(Call, Around);
    Result.push_back(placeOfPower(*Pow, Parentheses, P));
    if (Result.back().Class == FpClass::Approximate && Pow->Narrows && !Roots) {
      // As accurate as pow, in the type that pow has.
      Pow->InFloat = Pow->Narrows = false;
      Pow->Widens = true;
      Result.push_back(placeOfPower(*Pow, Parentheses, P));
    }
  });
  return Result;
}

//===----------------------------------------------------------------------===//
// Quotients by constants
//===----------------------------------------------------------------------===//

/// A divisor whose reciprocal is rounded but neither overflows nor is denormal.
static bool isUsefulDivisor(double Divisor, bool InFloat) {
  int Exponent = 0;
  double Mantissa = std::frexp(std::fabs(Divisor), &Exponent);
  if (Mantissa == 0.0 || Mantissa == 0.5)
    return false;
  return std::abs(Exponent) < (InFloat ? 126 : 1022);
}

static std::optional<Place> placeOfQuotient(const BinaryOperator *Op,
                                            const Program &P) {
  const ASTContext &Context = P.context(Side::Device);
  bool Assigns = Op->getOpcode() == BO_DivAssign;
  if ((Op->getOpcode() != BO_Div && !Assigns) ||
      !Context.hasSameUnqualifiedType(Op->getLHS()->getType(),
                                      Op->getRHS()->getType()))
    return std::nullopt;
  bool InFloat = isFloat(Op->getLHS()->getType());
  if (!InFloat && !isDouble(Op->getLHS()->getType()))
    return std::nullopt;
  const Expr *Divisor = Op->getRHS()->IgnoreImpCasts();
  std::optional<double> Value = constantValue(Op->getRHS(), Context);
  if (!isa<FloatingLiteral, IntegerLiteral>(Divisor) || !Value ||
      !isUsefulDivisor(*Value, InFloat) || Divisor->getBeginLoc().isMacroID() ||
      Op->getOperatorLoc().isMacroID() ||
      (!Assigns && constantValue(Op->getLHS(), Context)))
    return std::nullopt;
  // 1.0 / 0.1f would be a quotient of doubles.
  if (InFloat && isDouble(Divisor->getType()))
    return std::nullopt;
  Place At;
  At.Range = Op->getSourceRange();
  At.Form = InFloat ? "f" : "d";
  At.Class = FpClass::Approximate;
  At.Change = [=](EditBuilder &Builder) {
    std::string One = InFloat ? "1.0f / " : "1.0 / ";
    Builder.replace({Op->getOperatorLoc(), Op->getOperatorLoc()},
                    Assigns ? "*=" : "*");
    Builder.replace(Divisor->getSourceRange(),
                    (Assigns ? "" : "(") + One +
                        Builder.text(Divisor->getSourceRange()).str() +
                        (Assigns ? "" : ")"));
  };
  return At;
}

std::vector<Place> constantQuotientPlaces(const FunctionDecl *Function,
                                          const Program &P) {
  std::vector<Place> Result;
  walkEvaluated(Function->getBody(), [&](const Stmt *S, Ancestors) {
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (std::optional<Place> At = Op ? placeOfQuotient(Op, P) : std::nullopt)
      Result.push_back(std::move(*At));
  });
  return Result;
}

} // namespace cudal1

//===- MathFunction.cpp - Calls of the mathematics library ----------------===//

#include "MathFunction.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace cudal1 {

/// Functions with a form for double without suffix and one for float with `f`;
/// max and min have one name for all types.
static const llvm::StringSet<> &baseNames() {
  static const llvm::StringSet<> Names = {
      "acos",  "acosh", "asin",  "asinh",     "atan", "atan2", "atanh",
      "cbrt",  "ceil",  "cos",   "cosh",      "erf",  "erfc",  "exp",
      "exp10", "exp2",  "expm1", "fabs",      "fdim", "floor", "fma",
      "fmax",  "fmin",  "fmod",  "hypot",     "log",  "log10", "log1p",
      "log2",  "max",   "min",   "nearbyint", "pow",  "rint",  "round",
      "rsqrt", "sin",   "sinh",  "sqrt",      "tan",  "tanh",  "trunc"};
  return Names;
}

static bool isLibraryScope(const FunctionDecl &F) {
  const DeclContext *Scope = F.getDeclContext()->getRedeclContext();
  while (const auto *Space = dyn_cast<NamespaceDecl>(Scope)) {
    if (Space->isStdNamespace())
      return true;
    if (!Space->isInline())
      return false;
    Scope = Space->getDeclContext()->getRedeclContext();
  }
  return Scope->isTranslationUnit();
}

static bool isProjectsOwn(const FunctionDecl &F, const Program &P) {
  const FunctionDecl *Definition = nullptr;
  if (!F.hasBody(Definition))
    return false;
  const SourceManager &SM = P.sources(Side::Device);
  return P.isEditable(Side::Device, SM.getFileID(SM.getExpansionLoc(
                                        Definition->getLocation())));
}

bool isFloat(QualType Type) {
  return Type->isSpecificBuiltinType(BuiltinType::Float);
}

bool isDouble(QualType Type) {
  return Type->isSpecificBuiltinType(BuiltinType::Double);
}

std::optional<MathFunction> mathFunctionOf(const CallExpr *Call,
                                           const Program &P) {
  const FunctionDecl *F = Call->getDirectCallee();
  if (!F || !F->getIdentifier() || isa<CXXMethodDecl>(F) ||
      !isLibraryScope(*F) || isProjectsOwn(*F, P))
    return std::nullopt;
  QualType Result = F->getReturnType();
  if (!isFloat(Result) && !isDouble(Result))
    return std::nullopt;
  MathFunction Found;
  Found.IsFloat = isFloat(Result);
  llvm::StringRef Name = F->getName();
  if (!baseNames().contains(Name) && !Name.consume_back("f"))
    return std::nullopt;
  if (!baseNames().contains(Name))
    return std::nullopt;
  Found.Base = Name.str();
  Found.IsMixedPower = Found.IsFloat && Found.Base == "pow" &&
                       F->getNumParams() == 2 &&
                       F->getParamDecl(1)->getType()->isIntegerType();
  if (Found.IsMixedPower)
    Found.IsFloat = false;
  return Found;
}

/// The variable is float by its own declaration, not deduced.
static bool declaresFloat(const Stmt *S) {
  const auto *Declaration = dyn_cast<DeclStmt>(S);
  const auto *V = Declaration && Declaration->isSingleDecl()
                      ? dyn_cast<VarDecl>(Declaration->getSingleDecl())
                      : nullptr;
  return V && isFloat(V->getType()) && !V->getType()->getContainedAutoType();
}

bool endsInFloat(llvm::ArrayRef<const Stmt *> Around) {
  for (const Stmt *S : llvm::reverse(Around)) {
    if (isa<ParenExpr>(S))
      continue;
    if (const auto *Cast = dyn_cast<CastExpr>(S)) {
      if (!isFloat(Cast->getType()))
        return false;
      if (!isa<ImplicitCastExpr>(Cast))
        return true;
      continue;
    }
    if (const auto *Unary = dyn_cast<UnaryOperator>(S)) {
      if (Unary->getOpcode() != UO_Minus && Unary->getOpcode() != UO_Plus)
        return false;
      continue;
    }
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (!Op)
      return declaresFloat(S);
    if (!isFloat(Op->getLHS()->getType()) || !isFloat(Op->getRHS()->getType()))
      return false;
    if (Op->isAssignmentOp())
      return true;
    if (!Op->isAdditiveOp() && !Op->isMultiplicativeOp())
      return false;
  }
  return false;
}

std::optional<double> constantValue(const Expr *E, const ASTContext &Context) {
  if (E->isValueDependent() || E->isTypeDependent())
    return std::nullopt;
  Expr::EvalResult Result;
  if (!E->EvaluateAsRValue(Result, Context) || Result.HasSideEffects)
    return std::nullopt;
  if (Result.Val.isInt()) {
    llvm::APSInt Value = Result.Val.getInt();
    // Beyond 53 bits a double is not exact.
    if (Value.getSignificantBits() > 53)
      return std::nullopt;
    return double(Value.getExtValue());
  }
  if (!Result.Val.isFloat())
    return std::nullopt;
  llvm::APFloat Value = Result.Val.getFloat();
  bool Inexact = false;
  Value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &Inexact);
  if (Inexact || !Value.isFinite())
    return std::nullopt;
  return Value.convertToDouble();
}

DeviceArithmetic deviceArithmetic(const Program &P) {
  DeviceArithmetic Result;
  for (llvm::StringRef Flag : P.input().DeviceArgs) {
    if (Flag == "-fgpu-approx-transcendentals" || Flag == "-ffast-math" ||
        Flag == "-Ofast")
      Result.Approximate = true;
    else if (Flag == "-fgpu-flush-denormals-to-zero")
      Result.Ieee = false;
  }
  if (Result.Approximate)
    Result.Ieee = false;
  Result.Contracts =
      P.context(Side::Device).getLangOpts().getDefaultFPContractMode() !=
      LangOptions::FPM_Off;
  return Result;
}

} // namespace cudal1

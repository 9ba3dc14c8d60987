//===- LaunchArguments.cpp - What launches pass, at compile time ----------===//

#include "LaunchArguments.h"

#include "KernelReferences.h"
#include "cudal1/Analysis/Assignments.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Values of integer expressions of one host function.
class HostConstants {
public:
  HostConstants(const FunctionDecl *Function, const ASTContext &Context)
      : Function(Function), Context(Context),
        Changes(Function && Function->hasBody()
                    ? Assignments::of(Function->getBody())
                    : Assignments()) {}

  std::optional<int64_t> valueOf(const Expr *E);

private:
  std::optional<int64_t> ofVariable(const VarDecl *V);
  std::optional<int64_t> ofBinary(const BinaryOperator *Op);
  std::optional<int64_t> fitting(std::optional<int64_t> Value, QualType Type);

  const FunctionDecl *Function;
  const ASTContext &Context;
  Assignments Changes;
  unsigned Depth = 0;
};

} // namespace

/// Chains of variables that are longer are not followed.
static constexpr unsigned MostDepth = 32;

static bool isIntegral(QualType T) {
  return !T->isDependentType() && T->isIntegralOrEnumerationType() &&
         !T.isVolatileQualified();
}

/// \p Value unless its conversion to \p Type would change it.
std::optional<int64_t> HostConstants::fitting(std::optional<int64_t> Value,
                                              QualType Type) {
  if (!Value || !isIntegral(Type))
    return std::nullopt;
  llvm::APSInt Wide = llvm::APSInt::get(*Value);
  unsigned Bits = Context.getIntWidth(Type);
  bool Unsigned = Type->isUnsignedIntegerOrEnumerationType();
  if (Unsigned ? *Value < 0 || Wide.getActiveBits() > Bits
               : Wide.getSignificantBits() > Bits)
    return std::nullopt;
  return Value;
}

std::optional<int64_t> HostConstants::ofVariable(const VarDecl *V) {
  if (!V->isLocalVarDecl() || !V->hasLocalStorage() || !V->getInit() ||
      V->getType()->isReferenceType() || Changes.isAssigned(V) || !Function ||
      V->getParentFunctionOrMethod() !=
          static_cast<const DeclContext *>(Function))
    return std::nullopt;
  return fitting(valueOf(V->getInit()), V->getType());
}

std::optional<int64_t> HostConstants::ofBinary(const BinaryOperator *Op) {
  std::optional<int64_t> Left = valueOf(Op->getLHS());
  std::optional<int64_t> Right = valueOf(Op->getRHS());
  if (!Left || !Right)
    return std::nullopt;
  int64_t Result = 0;
  switch (Op->getOpcode()) {
  case BO_Add:
    if (llvm::AddOverflow(*Left, *Right, Result))
      return std::nullopt;
    break;
  case BO_Sub:
    if (llvm::SubOverflow(*Left, *Right, Result))
      return std::nullopt;
    break;
  case BO_Mul:
    if (llvm::MulOverflow(*Left, *Right, Result))
      return std::nullopt;
    break;
  case BO_Div:
    if (*Right <= 0)
      return std::nullopt;
    Result = *Left / *Right;
    break;
  case BO_Rem:
    if (*Right <= 0)
      return std::nullopt;
    Result = *Left % *Right;
    break;
  default:
    return std::nullopt;
  }
  return fitting(Result, Op->getType());
}

std::optional<int64_t> HostConstants::valueOf(const Expr *E) {
  if (!isIntegral(E->getType()) || E->isValueDependent() || Depth > MostDepth)
    return std::nullopt;
  Expr::EvalResult Value;
  if (E->EvaluateAsInt(Value, Context))
    return !Value.HasSideEffects && Value.Val.getInt().isRepresentableByInt64()
               ? std::optional<int64_t>(Value.Val.getInt().getExtValue())
               : std::nullopt;
  ++Depth;
  std::optional<int64_t> Result;
  E = E->IgnoreParens();
  if (const auto *Full = dyn_cast<FullExpr>(E)) {
    Result = valueOf(Full->getSubExpr());
  } else if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_NoOp ||
        Cast->getCastKind() == CK_IntegralCast)
      Result = fitting(valueOf(Cast->getSubExpr()), Cast->getType());
  } else if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
      Result = ofVariable(V);
  } else if (const auto *Op = dyn_cast<BinaryOperator>(E)) {
    Result = ofBinary(Op);
  }
  --Depth;
  return Result;
}

std::optional<int64_t> hostConstant(const Expr *E, const FunctionDecl *Function,
                                    const ASTContext &Context) {
  return HostConstants(Function, Context).valueOf(E);
}

std::optional<int64_t> constantArgument(const Kernel &K,
                                        const ProgramAnalysis &A,
                                        unsigned Index, std::string &Obstacle) {
  auto No = [&](std::string Why) {
    Obstacle = std::move(Why);
    return std::nullopt;
  };
  if (auto Unseen = A.unseenLaunches(K))
    return No(*Unseen);
  KernelReferences References = findReferences(A.program(), K);
  if (References.escapes() || !References.ErasedType.empty())
    return No(
        "`" + K.Name + "` is used other than in launches at " +
        (References.escapes() ? References.Escape : References.ErasedType));
  if (K.Launches.empty())
    return No("`" + K.DisplayName + "` is not launched in this unit");
  const ASTContext &Host = A.program().context(Side::Host);
  std::optional<int64_t> Seen;
  for (const Launch *L : K.Launches) {
    std::string Where = "the launch at line " + std::to_string(L->Line);
    if (Index >= L->Arguments.size() || !L->Arguments[Index])
      return No(Where + " does not show its arguments");
    auto Passed =
        HostConstants(L->HostFunction, Host).valueOf(L->Arguments[Index]);
    if (!Passed)
      return No(Where + " passes a value that only a run knows");
    if (Seen && *Seen != *Passed)
      return No(Where + " passes another value than the first launch");
    Seen = Passed;
  }
  return Seen;
}

} // namespace cudal1

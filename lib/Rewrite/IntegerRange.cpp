//===- IntegerRange.cpp - Which values an index can have ------------------===//

#include "IntegerRange.h"

#include "cudal1/Analysis/BuiltinVariables.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;

namespace cudal1 {

/// Limits of every architecture up to compute capability 12 (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability").
static constexpr int64_t MaxThreads[3] = {1024, 1024, 64};
static constexpr int64_t MaxBlocks[3] = {2147483647, 65535, 65535};
/// Expressions nested deeper are not followed.
static constexpr unsigned MaxDepth = 24;

std::optional<IntegerRange> rangeOfType(QualType Type,
                                        const ASTContext &Context) {
  if (!Type->isIntegerType() || Type->isDependentType())
    return std::nullopt;
  unsigned Bits = Context.getIntWidth(Type);
  bool Signed = Type->isSignedIntegerOrEnumerationType();
  if (Bits > 64 || (Bits == 64 && !Signed))
    return std::nullopt;
  if (Signed)
    return IntegerRange{llvm::minIntN(Bits), llvm::maxIntN(Bits)};
  return IntegerRange{0, int64_t(llvm::maxUIntN(Bits))};
}

/// \p R after a conversion to \p Type.
std::optional<IntegerRange>
RangeAnalysis::converted(std::optional<IntegerRange> R, QualType Type) const {
  if (!Type->isIntegerType() || Type->isDependentType())
    return std::nullopt;
  std::optional<IntegerRange> All = rangeOfType(Type, *K.Context);
  if (!All) // 64 bits without sign
    return R && R->Min >= 0 ? R : std::nullopt;
  return R && R->within(All->Min, All->Max) ? R : All;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

bool RangeAnalysis::seesAllLaunches() const {
  if (!AllLaunches)
    AllLaunches = A.seesEveryLaunch(K);
  return *AllLaunches;
}

static IntegerRange join(IntegerRange X, IntegerRange Y) {
  return {std::min(X.Min, Y.Min), std::max(X.Max, Y.Max)};
}

IntegerRange RangeAnalysis::blockExtent(unsigned Axis) const {
  IntegerRange Legal{1, MaxThreads[Axis]};
  if (Shapes == BlockShapes::AnyLegal || !seesAllLaunches())
    return Legal;
  std::optional<IntegerRange> Seen;
  for (const Launch *L : K.Launches) {
    const LaunchExtent &Extent = L->BlockExtent[Axis];
    if (!Extent.Known || !Extent.Value || *Extent.Value < 1)
      return Legal;
    IntegerRange Own{*Extent.Value, *Extent.Value};
    Seen = Seen ? join(*Seen, Own) : Own;
  }
  return Seen.value_or(Legal);
}

std::optional<IntegerRange> RangeAnalysis::ofBuiltin(SymbolKind Kind,
                                                     unsigned Axis) const {
  IntegerRange Threads = blockExtent(Axis), Blocks{1, MaxBlocks[Axis]};
  switch (Kind) {
  case SymbolKind::ThreadIdx:
    return IntegerRange{0, Threads.Max - 1};
  case SymbolKind::BlockIdx:
    return IntegerRange{0, Blocks.Max - 1};
  case SymbolKind::BlockDim:
    return Threads;
  case SymbolKind::GridDim:
    return Blocks;
  default:
    return std::nullopt;
  }
}

/// The constants that launches pass, if they all do.
std::optional<IntegerRange>
RangeAnalysis::ofParameter(const KernelParameter &P) const {
  if (!seesAllLaunches())
    return std::nullopt;
  const ASTContext &Host = A.program().context(Side::Host);
  std::optional<IntegerRange> Seen;
  for (const Launch *L : K.Launches) {
    Expr::EvalResult Value;
    if (P.Index >= L->Arguments.size() || !L->Arguments[P.Index] ||
        L->Arguments[P.Index]->isValueDependent() ||
        !L->Arguments[P.Index]->EvaluateAsInt(Value, Host) ||
        Value.HasSideEffects || !Value.Val.getInt().isRepresentableByInt64())
      return std::nullopt;
    int64_t Passed = Value.Val.getInt().getExtValue();
    Seen = Seen ? join(*Seen, {Passed, Passed}) : IntegerRange{Passed, Passed};
  }
  return Seen;
}

/// The variable lives in the loop only.
static bool declaresVariable(const Loop &L) {
  const auto *For = dyn_cast<ForStmt>(L.Statement);
  const auto *Decls =
      For ? dyn_cast_or_null<DeclStmt>(For->getInit()) : nullptr;
  return Decls && llvm::is_contained(Decls->decls(), L.Variable);
}

std::optional<IntegerRange> RangeAnalysis::of(const VarDecl *V) const {
  QualType Type = V->getType();
  if (!Type->isIntegerType() || Type.isVolatileQualified())
    return converted(std::nullopt, Type);
  for (const std::unique_ptr<Loop> &L : K.Loops)
    if (L->Counted && L->Variable == V && declaresVariable(*L))
      return converted(ofLoop(*L), Type);
  if (Changes.isAssigned(V))
    return converted(std::nullopt, Type);
  if (const KernelParameter *P = K.parameter(V))
    return converted(ofParameter(*P), Type);
  if (!V->isLocalVarDecl() || V->isStaticLocal() || !V->getInit())
    return converted(std::nullopt, Type);
  return converted(of(V->getInit()), Type);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool isVariable(const Expr *E, const VarDecl *V) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref && Ref->getDecl() == V;
}

static bool setStep(CountedFor &Parts, const Expr *Increment,
                    const VarDecl *V) {
  Increment = Increment->IgnoreParens();
  if (const auto *Op = dyn_cast<UnaryOperator>(Increment)) {
    Parts.StepType = V->getType();
    return Op->isIncrementOp() && isVariable(Op->getSubExpr(), V);
  }
  const auto *Op = dyn_cast<CompoundAssignOperator>(Increment);
  if (!Op || Op->getOpcode() != BO_AddAssign || !isVariable(Op->getLHS(), V))
    return false;
  Parts.Step = Op->getRHS();
  Parts.StepType = Op->getComputationResultType();
  return true;
}

std::optional<CountedFor> partsOf(const Loop &L) {
  const auto *For = dyn_cast<ForStmt>(L.Statement);
  if (!L.Counted || !For || !For->getInc())
    return std::nullopt;
  CountedFor Parts;
  Parts.For = For;
  if (isa_and_nonnull<DeclStmt>(For->getInit()))
    Parts.Start = L.Variable->getInit();
  else if (const auto *Assign =
               dyn_cast_or_null<BinaryOperator>(For->getInit()))
    Parts.Start = Assign->getRHS();
  const auto *Condition = dyn_cast_or_null<BinaryOperator>(
      For->getCond() ? For->getCond()->IgnoreParenImpCasts() : nullptr);
  if (!Parts.Start || !Condition || !setStep(Parts, For->getInc(), L.Variable))
    return std::nullopt;
  Parts.Condition = Condition;
  Parts.VariableOnLeft = isVariable(Condition->getLHS(), L.Variable);
  Parts.Bound =
      Parts.VariableOnLeft ? Condition->getRHS() : Condition->getLHS();
  BinaryOperatorKind Kind = Condition->getOpcode();
  bool Upwards = Parts.VariableOnLeft ? Kind == BO_LT || Kind == BO_LE
                                      : Kind == BO_GT || Kind == BO_GE;
  return Upwards ? std::optional(Parts) : std::nullopt;
}

/// The largest value of the variable in the body, from the comparison.
static std::optional<int64_t> largestInside(const CountedFor &Parts,
                                            const RangeAnalysis &Ranges) {
  std::optional<IntegerRange> Bound = Ranges.of(Parts.Bound);
  if (!Bound)
    return std::nullopt;
  BinaryOperatorKind Kind = Parts.Condition->getOpcode();
  bool Exclusive = Kind == BO_LT || Kind == BO_GT;
  if (Exclusive && Bound->Max == INT64_MIN)
    return std::nullopt;
  return Exclusive ? Bound->Max - 1 : Bound->Max;
}

/// The comparison happens in a type that holds the variable's values as they
/// are: no negative one turns into a large one.
static bool comparesAsItIs(const CountedFor &Parts, const VarDecl *V,
                           const ASTContext &Context) {
  const Expr *Side = Parts.VariableOnLeft ? Parts.Condition->getLHS()
                                          : Parts.Condition->getRHS();
  QualType Type = Side->getType();
  return Type->isIntegerType() &&
         Context.getIntWidth(Type) >= Context.getIntWidth(V->getType()) &&
         (Type->isSignedIntegerOrEnumerationType() ||
          V->getType()->isUnsignedIntegerOrEnumerationType());
}

bool RangeAnalysis::stepsWithoutWrapping(const Loop &L) const {
  std::optional<CountedFor> Parts = partsOf(L);
  if (!Parts || !comparesAsItIs(*Parts, L.Variable, *K.Context))
    return false;
  QualType Type = L.Variable->getType();
  BinaryOperatorKind Kind = Parts->Condition->getOpcode();
  bool Exclusive = Kind == BO_LT || Kind == BO_GT;
  // v < bound, both of one type: v + 1 <= bound.
  const Expr *Bound = Parts->Bound->IgnoreParenImpCasts();
  if (L.Step == 1 && Exclusive &&
      K.Context->hasSameUnqualifiedType(Bound->getType(), Type))
    return true;
  // Overflow of a signed sum is undefined: it does not happen.
  std::optional<IntegerRange> Step =
      Parts->Step ? of(Parts->Step) : IntegerRange{1, 1};
  if (!Step || Step->Min < 0)
    return false;
  if (Parts->StepType->isSignedIntegerType() &&
      K.Context->hasSameUnqualifiedType(Parts->StepType, Type) &&
      K.Context->getIntWidth(Type) >= 32)
    return true;
  std::optional<int64_t> Last = largestInside(*Parts, *this);
  std::optional<IntegerRange> All = rangeOfType(Type, *K.Context);
  std::optional<IntegerRange> Sum = rangeOfType(Parts->StepType, *K.Context);
  int64_t Limit = INT64_MAX;
  if (All)
    Limit = std::min(Limit, All->Max);
  if (Sum)
    Limit = std::min(Limit, Sum->Max);
  return Last && *Last <= Limit - Step->Max;
}

std::optional<IntegerRange> RangeAnalysis::ofLoop(const Loop &L) const {
  std::optional<CountedFor> Parts = partsOf(L);
  if (!Parts || Depth > MaxDepth || !stepsWithoutWrapping(L))
    return std::nullopt;
  ++Depth;
  std::optional<IntegerRange> Start =
      converted(of(Parts->Start), L.Variable->getType());
  std::optional<int64_t> Last = largestInside(*Parts, *this);
  --Depth;
  std::optional<IntegerRange> Step =
      Parts->Step ? of(Parts->Step) : IntegerRange{1, 1};
  if (!Start || !Step || Step->Min < 0)
    return std::nullopt;
  std::optional<IntegerRange> All =
      rangeOfType(L.Variable->getType(), *K.Context);
  int64_t Max = Last ? *Last : INT64_MAX;
  if (All)
    Max = std::min(Max, All->Max);
  if (!Last && !All)
    return std::nullopt;
  // The last value is reached in whole steps from a known first one.
  if (Start->Min == Start->Max && Step->Min == Step->Max && Step->Min > 0 &&
      Max > Start->Min)
    Max -=
        int64_t((uint64_t(Max) - uint64_t(Start->Min)) % uint64_t(Step->Min));
  // After the loop, and where the body never runs, it is the start or a value
  // at or behind the bound; only the body is asked about.
  return IntegerRange{Start->Min, std::max(Max, Start->Min)};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The values of `X op Y` without any limit of width; nothing for unknown
/// operators and where 64 bits do not suffice.
static std::optional<IntegerRange> combine(BinaryOperatorKind Kind,
                                           IntegerRange X, IntegerRange Y) {
  IntegerRange R;
  switch (Kind) {
  case BO_Add:
    if (llvm::AddOverflow(X.Min, Y.Min, R.Min) ||
        llvm::AddOverflow(X.Max, Y.Max, R.Max))
      return std::nullopt;
    return R;
  case BO_Sub:
    if (llvm::SubOverflow(X.Min, Y.Max, R.Min) ||
        llvm::SubOverflow(X.Max, Y.Min, R.Max))
      return std::nullopt;
    return R;
  case BO_Mul: {
    int64_t Corners[4];
    if (llvm::MulOverflow(X.Min, Y.Min, Corners[0]) ||
        llvm::MulOverflow(X.Min, Y.Max, Corners[1]) ||
        llvm::MulOverflow(X.Max, Y.Min, Corners[2]) ||
        llvm::MulOverflow(X.Max, Y.Max, Corners[3]))
      return std::nullopt;
    auto [Low, High] =
        std::minmax_element(std::begin(Corners), std::end(Corners));
    return IntegerRange{*Low, *High};
  }
  case BO_Div:
    if (X.Min < 0 || Y.Min < 1)
      return std::nullopt;
    return IntegerRange{X.Min / Y.Max, X.Max / Y.Min};
  case BO_Rem:
    if (X.Min < 0 || Y.Min < 1)
      return std::nullopt;
    return IntegerRange{0, std::min(X.Max, Y.Max - 1)};
  case BO_And:
    if (X.Min >= 0 || Y.Min >= 0)
      return IntegerRange{0, X.Min < 0   ? Y.Max
                             : Y.Min < 0 ? X.Max
                                         : std::min(X.Max, Y.Max)};
    return std::nullopt;
  case BO_Shr:
    if (X.Min < 0 || Y.Min < 0 || Y.Max > 62)
      return std::nullopt;
    return IntegerRange{X.Min >> Y.Max, X.Max >> Y.Min};
  default:
    return std::nullopt;
  }
}

std::optional<IntegerRange>
RangeAnalysis::ofBinary(const BinaryOperator *Op) const {
  if (Op->isComparisonOp() || Op->isLogicalOp())
    return IntegerRange{0, 1};
  if (Op->getOpcode() == BO_Comma)
    return of(Op->getRHS());
  if (Op->isAssignmentOp())
    return std::nullopt;
  std::optional<IntegerRange> X = of(Op->getLHS()), Y = of(Op->getRHS());
  std::optional<IntegerRange> R =
      X && Y ? combine(Op->getOpcode(), *X, *Y) : std::nullopt;
  std::optional<IntegerRange> All = rangeOfType(Op->getType(), *K.Context);
  // What a signed operation could not hold does not happen.
  if (R && All && Op->getType()->isSignedIntegerType()) {
    IntegerRange Cut{std::max(R->Min, All->Min), std::min(R->Max, All->Max)};
    return Cut.Min <= Cut.Max ? Cut : *All;
  }
  return R;
}

/// min and max of integers.
std::optional<IntegerRange> RangeAnalysis::ofCall(const CallExpr *Call) const {
  const FunctionDecl *F = Call->getDirectCallee();
  const FunctionDecl *Body = nullptr;
  if (!F || !F->getIdentifier() || Call->getNumArgs() != 2 ||
      (F->getName() != "min" && F->getName() != "max") ||
      (F->hasBody(Body) &&
       A.program().isEditable(
           Side::Device,
           A.program()
               .sources(Side::Device)
               .getFileID(A.program()
                              .sources(Side::Device)
                              .getExpansionLoc(Body->getLocation())))))
    return std::nullopt;
  std::optional<IntegerRange> X = of(Call->getArg(0)), Y = of(Call->getArg(1));
  if (!X || !Y)
    return std::nullopt;
  if (F->getName() == "min")
    return IntegerRange{std::min(X->Min, Y->Min), std::min(X->Max, Y->Max)};
  return IntegerRange{std::max(X->Min, Y->Min), std::max(X->Max, Y->Max)};
}

std::optional<IntegerRange> RangeAnalysis::of(const Expr *E) const {
  E = E->IgnoreParens();
  QualType Type = E->getType();
  if (E->isTypeDependent() || E->isValueDependent() || Depth > MaxDepth)
    return std::nullopt;
  Expr::EvalResult Value;
  if (Type->isIntegerType() && E->EvaluateAsInt(Value, *K.Context) &&
      !Value.HasSideEffects && Value.Val.getInt().isRepresentableByInt64())
    return IntegerRange{Value.Val.getInt().getExtValue(),
                        Value.Val.getInt().getExtValue()};
  ++Depth;
  std::optional<IntegerRange> R;
  if (std::optional<BuiltinVariable> Builtin = asBuiltinVariable(E)) {
    // Looks through conversions: these values fit every type of 32 bits.
    R = ofBuiltin(Builtin->Kind, Builtin->Axis);
  } else if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    const Expr *Sub = Cast->getSubExpr();
    if (Sub->getType()->isIntegerType() || Sub->isLValue())
      R = of(Sub);
  } else if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
      R = of(V);
  } else if (const auto *Op = dyn_cast<BinaryOperator>(E)) {
    R = ofBinary(Op);
  } else if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
    if (Unary->getOpcode() == UO_Plus)
      R = of(Unary->getSubExpr());
  } else if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    auto X = of(Choice->getTrueExpr()), Y = of(Choice->getFalseExpr());
    if (X && Y)
      R = join(*X, *Y);
  } else if (const auto *Call = dyn_cast<CallExpr>(E)) {
    R = ofCall(Call);
  }
  --Depth;
  return converted(R, Type);
}

} // namespace cudal1

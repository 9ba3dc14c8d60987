//===- Reduction.cpp - Loops that reduce into one value -------------------===//

#include "cudal1/Analysis/Reduction.h"

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/HostIndex.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

bool Reduction::isExact() const {
  if (Type->isIntegerType())
    return true;
  return (Op == ReductionOp::Min || Op == ReductionOp::Max) && !Compares;
}

namespace {

/// Reads the updates of one target in the body of a loop.
class UpdateReader : public RecursiveASTVisitor<UpdateReader> {
public:
  UpdateReader(const Kernel &K, QualType Type,
               std::function<bool(const Expr *)> IsTarget)
      : K(K), Type(Type), IsTarget(std::move(IsTarget)) {}

  /// Every mention of the target in \p Body belongs to an update by one
  /// operation, and there is one.
  bool read(const Stmt *Body) {
    TraverseStmt(const_cast<Stmt *>(Body));
    return Agree && Op && Accounted == mentions(Body);
  }

  bool VisitCompoundAssignOperator(CompoundAssignOperator *E);
  bool VisitBinaryOperator(BinaryOperator *E);
  bool VisitUnaryOperator(UnaryOperator *E);
  bool VisitIfStmt(IfStmt *If);

  std::optional<ReductionOp> Op;
  bool Compares = false;

private:
  unsigned mentions(const Stmt *S) const;
  bool isTarget(const Expr *E) const { return IsTarget(E->IgnoreParens()); }
  bool isTargetValue(const Expr *E) const;
  bool mayCompute(QualType T) const;
  bool combines(const Expr *E, ReductionOp By) const;
  bool combinesCall(const CallExpr *Call, ReductionOp By) const;
  std::optional<ReductionOp> operationIn(const Expr *E) const;
  std::optional<ReductionOp> comparison(const Expr *Condition, const Expr *Then,
                                        const Expr *Else) const;
  void account(ReductionOp By, unsigned Mentions);

  const Kernel &K;
  QualType Type;
  std::function<bool(const Expr *)> IsTarget;
  unsigned Accounted = 0;
  bool Agree = true;
};

} // namespace

unsigned UpdateReader::mentions(const Stmt *S) const {
  if (!S)
    return 0;
  const auto *E = dyn_cast<Expr>(S);
  if (E && !isa<ParenExpr>(E) && IsTarget(E))
    return 1;
  unsigned Count = 0;
  for (const Stmt *Child : S->children())
    Count += mentions(Child);
  // Initialisers of variables are children of their declaration statement.
  return Count;
}

void UpdateReader::account(ReductionOp By, unsigned Mentions) {
  Agree &= !Op || *Op == By;
  Op = By;
  Accounted += Mentions;
}

/// The target read, converted only in ways that keep the operation associative.
bool UpdateReader::isTargetValue(const Expr *E) const {
  return isTarget(E->IgnoreParenImpCasts()) && mayCompute(E->getType());
}

/// Integers are combined modulo a power of two, floating-point numbers with a
/// rounding that may change.
bool UpdateReader::mayCompute(QualType T) const {
  return Type->isIntegerType() ? T->isIntegerType() : T->isFloatingType();
}

static std::optional<ReductionOp> operationOf(BinaryOperatorKind Kind) {
  switch (Kind) {
  case BO_Add:
  case BO_Sub:
  case BO_AddAssign:
  case BO_SubAssign:
    return ReductionOp::Sum;
  case BO_Mul:
  case BO_MulAssign:
    return ReductionOp::Product;
  case BO_And:
  case BO_AndAssign:
    return ReductionOp::And;
  case BO_Or:
  case BO_OrAssign:
    return ReductionOp::Or;
  case BO_Xor:
  case BO_XorAssign:
    return ReductionOp::Xor;
  default:
    return std::nullopt;
  }
}

/// What a function of CUDA or the C library combines its first two arguments
/// (for a fused operation the third one and the rest) by.
static std::optional<ReductionOp> operationOf(const CallExpr *Call,
                                              const ASTContext &Context) {
  const FunctionDecl *F = Call->getDirectCallee();
  if (!F || !F->getIdentifier() || isa<CXXMethodDecl>(F))
    return std::nullopt;
  const SourceManager &SM = Context.getSourceManager();
  if (!F->getBuiltinID() &&
      !SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation())))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<ReductionOp>>(F->getName())
      .Cases({"max", "fmax", "fmaxf", "umax", "llmax", "ullmax"},
             ReductionOp::Max)
      .Cases({"min", "fmin", "fminf", "umin", "llmin", "ullmin"},
             ReductionOp::Min)
      .Cases({"fma", "fmaf", "__fmaf_rn", "__fma_rn"}, ReductionOp::Sum)
      .Default(std::nullopt);
}

bool UpdateReader::combinesCall(const CallExpr *Call, ReductionOp By) const {
  if (operationOf(Call, *K.Context) != By)
    return false;
  QualType Result = Call->getType().getCanonicalType().getUnqualifiedType();
  if (By == ReductionOp::Sum)
    return Call->getNumArgs() == 3 && mayCompute(Result) &&
           !mentions(Call->getArg(0)) && !mentions(Call->getArg(1)) &&
           combines(Call->getArg(2), By);
  if (Call->getNumArgs() != 2 || Result != Type)
    return false;
  const Expr *One = Call->getArg(0), *Other = Call->getArg(1);
  if (mentions(One))
    std::swap(One, Other);
  return !mentions(One) && combines(Other, By);
}

/// \p E is the target combined with other values by \p By.
bool UpdateReader::combines(const Expr *E, ReductionOp By) const {
  if (isTargetValue(E))
    return true;
  if (!mayCompute(E->getType()))
    return false;
  E = E->IgnoreParenImpCasts();
  if (!mayCompute(E->getType()))
    return false;
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return combinesCall(Call, By);
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  if (!Binary || operationOf(Binary->getOpcode()) != By ||
      Binary->isAssignmentOp())
    return false;
  if (!mentions(Binary->getRHS()))
    return combines(Binary->getLHS(), By);
  return Binary->getOpcode() != BO_Sub && !mentions(Binary->getLHS()) &&
         combines(Binary->getRHS(), By);
}

std::optional<ReductionOp> UpdateReader::operationIn(const Expr *E) const {
  E = E->IgnoreParenImpCasts();
  std::optional<ReductionOp> By;
  if (const auto *Call = dyn_cast<CallExpr>(E))
    By = operationOf(Call, *K.Context);
  else if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    By = operationOf(Binary->getOpcode());
  return By;
}

bool UpdateReader::VisitCompoundAssignOperator(CompoundAssignOperator *E) {
  auto By = operationOf(E->getOpcode());
  if (By && isTarget(E->getLHS()) && !mentions(E->getRHS()) &&
      mayCompute(E->getComputationResultType()))
    account(*By, 1);
  return true;
}

bool UpdateReader::VisitBinaryOperator(BinaryOperator *E) {
  if (E->getOpcode() != BO_Assign || !isTarget(E->getLHS()))
    return true;
  const Expr *Value = E->getRHS();
  if (const auto *Choice =
          dyn_cast<ConditionalOperator>(Value->IgnoreParenImpCasts())) {
    if (auto By = comparison(Choice->getCond(), Choice->getTrueExpr(),
                             Choice->getFalseExpr())) {
      Compares = true;
      account(*By, 3);
    }
    return true;
  }
  auto By = operationIn(Value);
  if (By && combines(Value, *By) && mentions(Value) == 1)
    account(*By, 2);
  return true;
}

bool UpdateReader::VisitUnaryOperator(UnaryOperator *E) {
  if (E->isIncrementDecrementOp() && isTarget(E->getSubExpr()))
    account(ReductionOp::Sum, 1);
  return true;
}

/// `if (x > m) m = x;`
bool UpdateReader::VisitIfStmt(IfStmt *If) {
  if (If->getElse() || If->getInit() || If->getConditionVariable())
    return true;
  const Stmt *Then = If->getThen();
  if (const auto *Block = dyn_cast<CompoundStmt>(Then))
    Then = Block->size() == 1 ? Block->body_front() : nullptr;
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(Then);
  if (!Assign || Assign->getOpcode() != BO_Assign ||
      !isTarget(Assign->getLHS()))
    return true;
  if (auto By = comparison(If->getCond(), Assign->getRHS(), nullptr)) {
    Compares = true;
    account(*By, 2);
  }
  return true;
}

/// \p Then is taken where \p Condition holds, \p Else (the target when null)
/// otherwise. Of numbers that compare with nothing the target stays, so that
/// all orders agree.
std::optional<ReductionOp> UpdateReader::comparison(const Expr *Condition,
                                                    const Expr *Then,
                                                    const Expr *Else) const {
  const auto *Op = dyn_cast<BinaryOperator>(Condition->IgnoreParenImpCasts());
  if (!Op || !Op->isRelationalOp())
    return std::nullopt;
  BinaryOperatorKind Kind = Op->getOpcode();
  const Expr *Value = Op->getLHS(), *Target = Op->getRHS();
  if (isTarget(Value->IgnoreParenImpCasts())) {
    std::swap(Value, Target);
    Kind = BinaryOperator::reverseComparisonOp(Kind);
  }
  // `m > x ? m : x`
  if (Else && !isTarget(Else->IgnoreParenImpCasts())) {
    if (!Type->isIntegerType())
      return std::nullopt;
    std::swap(Then, Else);
    Kind = BinaryOperator::negateComparisonOp(Kind);
  }
  auto HasType = [&](const Expr *E) {
    return K.Context->hasSameUnqualifiedType(E->getType(), Type) &&
           K.Context->hasSameUnqualifiedType(
               E->IgnoreParenImpCasts()->getType(), Type);
  };
  if (!isTarget(Target->IgnoreParenImpCasts()) || mentions(Value) ||
      (Else && !isTarget(Else->IgnoreParenImpCasts())) || !HasType(Value) ||
      !HasType(Target) || !HasType(Then) || Value->HasSideEffects(*K.Context) ||
      !sameExpression(Value->IgnoreParenImpCasts(), Then->IgnoreParenImpCasts(),
                      *K.Context))
    return std::nullopt;
  return Kind == BO_GT || Kind == BO_GE ? ReductionOp::Max : ReductionOp::Min;
}

/// Types that shuffles exchange and that hold all that is combined.
static bool isReducible(QualType Type) {
  const auto *Builtin = Type->getAs<BuiltinType>();
  if (!Builtin || Type.isVolatileQualified())
    return false;
  switch (Builtin->getKind()) {
  case BuiltinType::Int:
  case BuiltinType::UInt:
  case BuiltinType::Long:
  case BuiltinType::ULong:
  case BuiltinType::LongLong:
  case BuiltinType::ULongLong:
  case BuiltinType::Float:
  case BuiltinType::Double:
    return true;
  default:
    return false;
  }
}

static std::optional<Reduction> read(const Kernel &K, const Loop &L,
                                     QualType Type, llvm::StringRef Name,
                                     std::function<bool(const Expr *)> IsTarget,
                                     std::string &Obstacle) {
  if (!isReducible(Type.getCanonicalType())) {
    Obstacle = "`" + Name.str() + "` is of a type that lanes do not exchange";
    return std::nullopt;
  }
  Reduction R;
  R.Type = Type.getCanonicalType().getUnqualifiedType();
  UpdateReader Reader(K, R.Type, std::move(IsTarget));
  if (!Reader.read(L.Statement)) {
    Obstacle = "`" + Name.str() +
               "` is carried from one iteration to the next by more than one "
               "associative operation";
    return std::nullopt;
  }
  R.Op = *Reader.Op;
  R.Compares = Reader.Compares;
  return R;
}

std::optional<Reduction> findReduction(const Kernel &K, const Loop &L,
                                       const VarDecl *Variable,
                                       std::string &Obstacle) {
  std::string Name = Variable->getNameAsString();
  if (!Variable->hasLocalStorage() || Variable->getType()->isReferenceType()) {
    Obstacle = "`" + Name + "` is no local variable";
    return std::nullopt;
  }
  const Assignments Changes = Assignments::of(K.Function->getBody());
  for (const Assignments::Change &C : Changes.changesOf(Variable))
    if (C.Escapes) {
      Obstacle = "the address of `" + Name + "` is taken";
      return std::nullopt;
    }
  auto R = read(
      K, L, Variable->getType(), Name,
      [&](const Expr *E) {
        const auto *Ref = dyn_cast<DeclRefExpr>(E);
        return Ref && Ref->getDecl() == Variable;
      },
      Obstacle);
  if (R)
    R->Variable = Variable;
  return R;
}

std::optional<Reduction>
findReduction(const Kernel &K, const Loop &L,
              llvm::ArrayRef<const MemoryAccess *> Element,
              std::string &Obstacle) {
  const MemoryAccess &First = *Element.front();
  auto R = read(
      K, L, First.Expression->getType(), First.Base->getNameAsString(),
      [&](const Expr *E) {
        return llvm::any_of(Element, [&](const MemoryAccess *Access) {
          return Access->Expression->IgnoreParens() == E;
        });
      },
      Obstacle);
  if (R)
    R->Element = Element.vec();
  return R;
}

} // namespace cudal1

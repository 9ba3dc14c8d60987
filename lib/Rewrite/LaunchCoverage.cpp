//===- LaunchCoverage.cpp - Does a grid cover a count? --------------------===//

#include "LaunchCoverage.h"

#include "HostChanges.h"
#include "RoundedQuotient.h"

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/HostIndex.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace clang;

namespace cudal1 {

namespace {

/// One launch and the constants that are known of it.
class Coverage {
public:
  Coverage(const Launch &L, unsigned Axis, const ProgramAnalysis &A,
           std::optional<int64_t> Threads = std::nullopt)
      : L(L), Axis(Axis), A(A), C(A.program().context(Side::Host)),
        Block(Threads ? Threads : L.BlockExtent[Axis].Value) {
    auto Grid = geometryOf(L.Grid, A);
    GridIsInline =
        Grid && !Grid->Variable && (Grid->Constructor || Grid->Scalar);
    // A plain number may be a variable that was set long before.
    if (GridIsInline && isa<DeclRefExpr>(Grid->Written))
      GridIsInline = false;
  }

  /// Blocks of the launch have at least \p Count threads in all.
  bool covers(const Expr *Count) const;
  /// There is a block even where \p Count is 0.
  bool startsForNone(const Expr *Count) const;
  /// There are `Count / B` blocks of B threads.
  bool isQuotient(const Expr *Count) const;
  /// There are `(Count + B - 1) / B` blocks of B threads.
  bool isRoundedUpQuotient(const Expr *Count) const;
  std::optional<int64_t> constantBlocks() const;

private:
  std::optional<int64_t> integer(const Expr *E) const;
  std::optional<double> real(const Expr *E) const;
  /// A number of blocks, each of which counts for so many threads.
  struct Cut {
    const Expr *Blocks = nullptr;
    int64_t Threads = 0;
  };
  std::optional<Cut> recut(const Cut &Of) const;
  bool covers(const Cut &Of, const Expr *Count) const;
  bool startsForNone(const Cut &Of, const Expr *Count) const;
  bool isRoundedUp(const Cut &Of, const Expr *Count) const;
  std::optional<int64_t> surplus(const Cut &Of, const Expr *Count) const;
  int64_t takeConstants(const Expr *&Sum) const;
  const Expr *numberOf(const Expr *E) const;
  const Expr *componentOf(const Expr *E) const;
  bool isInline(SourceLocation At) const;
  const Expr *blocks(const Expr *Count) const;
  bool isSteady(const Expr *E, SourceLocation From) const;
  bool isSteady(const VarDecl *V, SourceLocation From) const;
  bool isSteadyField(const ValueDecl *Field, SourceLocation From) const;

  const Launch &L;
  unsigned Axis;
  const ProgramAnalysis &A;
  const ASTContext &C;
  /// Threads of a block that count along the axis.
  std::optional<int64_t> Block;
  bool GridIsInline = false;
};

} // namespace

/// A constant, or a component of the block as the launch names it.
std::optional<int64_t> Coverage::integer(const Expr *E) const {
  E = E->IgnoreParenImpCasts();
  const Expr *Object = E;
  unsigned Component = 0;
  if (const auto *Member = dyn_cast<MemberExpr>(E);
      Member && !Member->isArrow() &&
      Member->getMemberDecl()->getIdentifier()) {
    StringRef Name = Member->getMemberDecl()->getName();
    if (Name.size() == 1 && Name[0] >= 'x' && Name[0] <= 'z') {
      Component = unsigned(Name[0] - 'x');
      Object = Member->getBase()->IgnoreParenImpCasts();
    }
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(Object);
  auto Block = geometryOf(L.Block, A);
  const auto *BlockRef = dyn_cast_or_null<DeclRefExpr>(
      Block && Block->Written ? Block->Written : nullptr);
  bool Whole = Object == E;
  if (Ref && BlockRef && Ref->getDecl() == BlockRef->getDecl() &&
      Whole == Block->Scalar)
    return L.BlockExtent[Component].Value;
  Expr::EvalResult Value;
  if (E->isValueDependent() || !E->EvaluateAsInt(Value, C) ||
      Value.Val.getInt().getSignificantBits() > 63)
    return std::nullopt;
  return Value.Val.getInt().getExtValue();
}

/// Takes what is added to and subtracted from a sum off it.
int64_t Coverage::takeConstants(const Expr *&Sum) const {
  int64_t Total = 0;
  while (const auto *Op = dyn_cast<BinaryOperator>(Sum)) {
    if (Op->getOpcode() != BO_Add && Op->getOpcode() != BO_Sub)
      break;
    bool Adds = Op->getOpcode() == BO_Add;
    if (auto Right = integer(Op->getRHS())) {
      Total += Adds ? *Right : -*Right;
      Sum = Op->getLHS()->IgnoreParenImpCasts();
    } else if (auto Left = integer(Op->getLHS()); Left && Adds) {
      Total += *Left;
      Sum = Op->getRHS()->IgnoreParenImpCasts();
    } else if (const auto *Inner = dyn_cast<BinaryOperator>(
                   Op->getRHS()->IgnoreParenImpCasts());
               Inner && Adds && Inner->getOpcode() == BO_Sub &&
               integer(Inner->getLHS()) && integer(Inner->getRHS())) {
      // `n + (B - 1)`
      Total += *integer(Inner->getLHS()) - *integer(Inner->getRHS());
      Sum = Op->getLHS()->IgnoreParenImpCasts();
    } else {
      break;
    }
  }
  return Total;
}

/// \p At stands in the launch itself.
bool Coverage::isInline(SourceLocation At) const {
  const SourceManager &SM = C.getSourceManager();
  return GridIsInline && !SM.isBeforeInTranslationUnit(
                             At, SM.getExpansionLoc(L.Grid->getBeginLoc()));
}

/// Nothing changes \p V from \p From on to the launch.
bool Coverage::isSteady(const VarDecl *V, SourceLocation From) const {
  if (V->getType().isConstQualified() && !V->getType().isVolatileQualified())
    return true;
  if (V->getType().getNonReferenceType().isVolatileQualified())
    return false;
  // Count and grid are evaluated at the launch, one after the other.
  if (isInline(From))
    return true;
  if (!V->hasLocalStorage() || V->getType()->isReferenceType() ||
      !L.HostFunction || !L.HostFunction->hasBody() ||
      V->getParentFunctionOrMethod() != L.HostFunction->getDefinition())
    return false;
  const SourceManager &SM = C.getSourceManager();
  const Stmt *Body = L.HostFunction->getBody();
  PassingCalls Passing(V, SM);
  Passing.TraverseStmt(const_cast<Stmt *>(Body));
  const Assignments Changes = Assignments::of(Body);
  for (const Assignments::Change &Change : Changes.changesOf(V)) {
    // Before the grid is made, by something that does not outlive it.
    if (Change.Escapes && !Passing.Harmless.contains(Change.Where))
      return false;
    if (!SM.isBeforeInTranslationUnit(
            SM.getExpansionLoc(Change.Where->getEndLoc()), From) &&
        !isMadeAnew(From, L, Change.Where, SM))
      return false;
  }
  return true;
}

/// Nothing in the function of the launch changes the object's \p Field from
/// \p From on to the launch.
bool Coverage::isSteadyField(const ValueDecl *Field,
                             SourceLocation From) const {
  if (Field->getType()->isReferenceType() ||
      Field->getType().isVolatileQualified() || !L.HostFunction ||
      !L.HostFunction->hasBody())
    return false;
  FieldChanges Changes(Field, From, C.getSourceManager());
  Changes.TraverseStmt(L.HostFunction->getBody());
  return !Changes.Any;
}

bool Coverage::isSteady(const Expr *E, SourceLocation From) const {
  E = E->IgnoreParenImpCasts();
  if (integer(E))
    return true;
  if (const auto *Member = dyn_cast<MemberExpr>(E);
      Member && isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
    return isSteadyField(Member->getMemberDecl(), From);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    return !V || isSteady(V, From);
  }
  if (!isa<BinaryOperator, UnaryOperator, CStyleCastExpr>(E) ||
      E->HasSideEffects(C))
    return false;
  return llvm::all_of(E->children(), [&](const Stmt *Child) {
    const auto *Sub = dyn_cast_or_null<Expr>(Child);
    return Sub && isSteady(Sub, From);
  });
}

/// The argument of `ceil`, or null.
static const Expr *ceiled(const Expr *E, const SourceManager &SM) {
  const auto *Call = dyn_cast<CallExpr>(E->IgnoreParenCasts());
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  bool Ceils = Callee && Callee->getIdentifier() && Call->getNumArgs() == 1 &&
               SM.isInSystemHeader(Callee->getLocation()) &&
               (Callee->getName() == "ceil" || Callee->getName() == "ceilf");
  return Ceils ? Call->getArg(0) : nullptr;
}

/// A number computed in floating point from constants and the block's extents,
/// rounded as its type says: `ceil((float)N / block.x)`.
std::optional<double> Coverage::real(const Expr *E) const {
  E = E->IgnoreParens();
  auto Rounded = [&](std::optional<double> V) {
    bool Single = E->getType()->isSpecificBuiltinType(BuiltinType::Float);
    return V && Single ? std::optional<double>(float(*V)) : V;
  };
  if (E->getType()->isIntegerType()) {
    const auto *Cast = dyn_cast<CastExpr>(E);
    if (Cast && Cast->getCastKind() == CK_FloatingToIntegral) {
      auto V = real(Cast->getSubExpr());
      return V ? std::optional(std::trunc(*V)) : V;
    }
    if (Cast && (Cast->getCastKind() == CK_IntegralCast ||
                 Cast->getCastKind() == CK_NoOp))
      return real(Cast->getSubExpr());
    auto V = integer(E);
    return V ? std::optional(double(*V)) : std::nullopt;
  }
  if (const auto *Literal = dyn_cast<FloatingLiteral>(E))
    return Literal->getValueAsApproximateDouble();
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return Rounded(real(Cast->getSubExpr()));
  if (const auto *Op = dyn_cast<BinaryOperator>(E);
      Op && Op->getOpcode() == BO_Div) {
    auto Left = real(Op->getLHS()), Right = real(Op->getRHS());
    return Left && Right && *Right != 0 ? Rounded(*Left / *Right)
                                        : std::nullopt;
  }
  const Expr *Argument = ceiled(E, C.getSourceManager());
  auto V = Argument ? real(Argument) : std::nullopt;
  return V ? std::optional(std::ceil(*V)) : V;
}

/// The conversions around \p E hold every number of 32 bits.
static bool convertsExactly(const Expr *E, const ASTContext &C) {
  constexpr uint64_t LeastBits = 32;
  E = E->IgnoreParens();
  while (const auto *Cast = dyn_cast<CastExpr>(E)) {
    QualType Type = Cast->getType();
    if (Type->isIntegerType()
            ? C.getTypeSize(Type) < LeastBits
            : !Type->isSpecificBuiltinType(BuiltinType::Double))
      return Cast->getCastKind() == CK_LValueToRValue;
    E = Cast->getSubExpr()->IgnoreParens();
  }
  return true;
}

/// `ceil(n / 16.0)`: a double holds every n, and the quotient is never rounded
/// onto a whole number. A float need not.
bool Coverage::isRoundedUp(const Cut &Of, const Expr *Count) const {
  const Expr *Argument = ceiled(Of.Blocks, C.getSourceManager());
  const auto *Division = dyn_cast_or_null<BinaryOperator>(
      Argument ? Argument->IgnoreParenImpCasts() : nullptr);
  if (!Division || Division->getOpcode() != BO_Div ||
      !Division->getType()->isSpecificBuiltinType(BuiltinType::Double))
    return false;
  const Expr *Sum = Division->getLHS()->IgnoreParenCasts();
  return Sum->getType()->isIntegerType() &&
         convertsExactly(Division->getLHS(), C) &&
         real(Division->getRHS()) == double(Of.Threads) &&
         sameExpression(Sum, Count, C);
}

std::optional<int64_t> Coverage::constantBlocks() const {
  if (L.GridExtent[Axis].Value)
    return L.GridExtent[Axis].Value;
  const Expr *Blocks = L.GridExtent[Axis].Expression;
  if (!Blocks)
    return std::nullopt;
  if (auto Value = integer(Blocks))
    return Value;
  // Beyond this a double may have been rounded.
  constexpr double MostBlocks = 4294967296.0;
  auto Value = real(Blocks);
  return Value && *Value >= 0 && *Value < MostBlocks
             ? std::optional(int64_t(*Value))
             : std::nullopt;
}

/// \p E without conversions between integers that hold every number of blocks:
/// `(unsigned)((n + 15) / 16)`.
static const Expr *withoutWideCasts(const Expr *E, const ASTContext &C) {
  constexpr uint64_t LeastBits = 32;
  while (true) {
    E = E->IgnoreParenImpCasts();
    const auto *Cast = dyn_cast<ExplicitCastExpr>(E);
    if (!Cast || !Cast->getType()->isIntegerType() ||
        !Cast->getSubExpr()->getType()->isIntegerType() ||
        C.getTypeSize(Cast->getType()) < LeastBits)
      return E;
    E = Cast->getSubExpr();
  }
}

/// What a local number was set to, when nothing changes it afterwards.
const Expr *Coverage::numberOf(const Expr *E) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->isLocalVarDecl() || !V->hasLocalStorage() || !V->getInit() ||
      !V->getType()->isIntegerType() ||
      C.getTypeSize(V->getType()) < C.getTypeSize(C.IntTy) || !L.HostFunction ||
      !L.HostFunction->hasBody() ||
      V->getParentFunctionOrMethod() != L.HostFunction->getDefinition() ||
      Assignments::of(L.HostFunction->getBody()).isAssigned(V))
    return E;
  return V->getInit()->IgnoreParenImpCasts();
}

/// What a component of a dim3 variable was set to, when nothing changes it.
const Expr *Coverage::componentOf(const Expr *E) const {
  const auto *Member = dyn_cast<MemberExpr>(E);
  if (!Member || Member->isArrow() || !Member->getMemberDecl()->getIdentifier())
    return E;
  StringRef Name = Member->getMemberDecl()->getName();
  size_t Component = StringRef("xyz").find(Name);
  auto Shape = Name.size() == 1 && Component < 3
                   ? geometryOf(Member->getBase(), A)
                   : std::nullopt;
  if (!Shape || !Shape->Constructor || Shape->Constructor->getNumArgs() != 3)
    return E;
  const Expr *Argument = Shape->Constructor->getArg(unsigned(Component));
  return isa<CXXDefaultArgExpr>(Argument) ? E : withoutWideCasts(Argument, C);
}

/// The number of blocks, without names and conversions that keep it. \p Count
/// itself stays a name.
const Expr *Coverage::blocks(const Expr *Count) const {
  const Expr *Blocks = withoutWideCasts(L.GridExtent[Axis].Expression, C);
  Blocks = withoutWideCasts(componentOf(Blocks), C);
  if (sameExpression(Blocks, Count, C))
    return Blocks;
  return withoutWideCasts(numberOf(Blocks), C);
}

bool Coverage::covers(const Expr *Count) const {
  const Expr *Blocks = L.GridExtent[Axis].Expression;
  if (!Blocks || !Block)
    return false;
  Count = Count->IgnoreParenImpCasts();
  Blocks = blocks(Count);
  auto Value = constantBlocks(), Elements = integer(Count);
  if (Value && Elements)
    return *Value >= 0 && *Value * *Block >= *Elements;
  return covers(Cut{Blocks, *Block}, Count);
}

bool Coverage::covers(const Cut &Of, const Expr *Count) const {
  if (!isSteady(Count,
                C.getSourceManager().getExpansionLoc(Of.Blocks->getBeginLoc())))
    return false;
  if (isRoundedUp(Of, Count))
    return true;
  std::optional<int64_t> Surplus = surplus(Of, Count);
  if (Surplus && *Surplus >= Of.Threads - 1)
    return true;
  std::optional<Cut> Before = recut(Of);
  return Before && covers(*Before, Count);
}

/// `2 * g` and `(g + 1) / 2`: g blocks of twice or half the threads, as they
/// stand where blocks of another size have come. There are no fewer of them.
std::optional<Coverage::Cut> Coverage::recut(const Cut &Of) const {
  const auto *Op = dyn_cast<BinaryOperator>(Of.Blocks->IgnoreParenImpCasts());
  if (!Op)
    return std::nullopt;
  auto Left = integer(Op->getLHS()), Right = integer(Op->getRHS());
  auto Inner = [&](const Expr *E) {
    return withoutWideCasts(numberOf(componentOf(withoutWideCasts(E, C))), C);
  };
  if (Op->getOpcode() == BO_Mul && Left && *Left > 0)
    return Cut{Inner(Op->getRHS()), Of.Threads * *Left};
  if (Op->getOpcode() == BO_Mul && Right && *Right > 0)
    return Cut{Inner(Op->getLHS()), Of.Threads * *Right};
  if (Op->getOpcode() != BO_Div || !Right || *Right < 1 ||
      Of.Threads % *Right != 0)
    return std::nullopt;
  const Expr *Sum = Op->getLHS()->IgnoreParenImpCasts();
  if (takeConstants(Sum) < *Right - 1)
    return std::nullopt;
  return Cut{Inner(Sum), Of.Threads / *Right};
}

/// `(n + k) / B + c`: k + c * B.
std::optional<int64_t> Coverage::surplus(const Cut &Of,
                                         const Expr *Count) const {
  const Expr *Blocks = Of.Blocks;
  int64_t More = takeConstants(Blocks);
  if (Of.Threads == 1 && sameExpression(Blocks, Count, C))
    return More;
  if (auto Rounded = roundedQuotient(Blocks, C);
      Rounded && integer(Rounded->Divisor) == Of.Threads) {
    const Expr *Sum = Rounded->Dividend->IgnoreParenImpCasts();
    int64_t Added = takeConstants(Sum) + Of.Threads - 1;
    return sameExpression(Sum, Count, C)
               ? std::optional(Added + More * Of.Threads)
               : std::nullopt;
  }
  const auto *Division = dyn_cast<BinaryOperator>(Blocks);
  if (!Division || Division->getOpcode() != BO_Div ||
      integer(Division->getRHS()) != Of.Threads)
    return std::nullopt;
  const Expr *Sum = Division->getLHS()->IgnoreParenImpCasts();
  int64_t Added = takeConstants(Sum);
  return sameExpression(Sum, Count, C)
             ? std::optional(Added + More * Of.Threads)
             : std::nullopt;
}

bool Coverage::startsForNone(const Expr *Count) const {
  if (!L.GridExtent[Axis].Expression || !Block)
    return false;
  Count = Count->IgnoreParenImpCasts();
  return startsForNone(Cut{blocks(Count), *Block}, Count);
}

bool Coverage::startsForNone(const Cut &Of, const Expr *Count) const {
  std::optional<int64_t> Surplus = surplus(Of, Count);
  if (Surplus && *Surplus >= Of.Threads)
    return true;
  std::optional<Cut> Before = recut(Of);
  return Before && startsForNone(*Before, Count);
}

bool Coverage::isQuotient(const Expr *Count) const {
  const Expr *Blocks = L.GridExtent[Axis].Expression;
  if (!Blocks || !Block)
    return false;
  Count = Count->IgnoreParenImpCasts();
  Blocks = blocks(Count);
  const auto *Division = dyn_cast<BinaryOperator>(Blocks);
  bool Divides =
      Division && Division->getOpcode() == BO_Div &&
      integer(Division->getRHS()) == Block &&
      sameExpression(Division->getLHS()->IgnoreParenImpCasts(), Count, C);
  bool IsCount = Block == 1 && sameExpression(Blocks, Count, C);
  return (Divides || IsCount) &&
         isSteady(Count,
                  C.getSourceManager().getExpansionLoc(Blocks->getBeginLoc()));
}

bool Coverage::isRoundedUpQuotient(const Expr *Count) const {
  const Expr *Blocks = L.GridExtent[Axis].Expression;
  if (!Blocks || !Block)
    return false;
  Count = Count->IgnoreParenImpCasts();
  Blocks = blocks(Count);
  auto Value = constantBlocks(), Elements = integer(Count);
  if (Value && Elements)
    return *Elements > 0 && *Value == (*Elements + *Block - 1) / *Block;
  return surplus(Cut{Blocks, *Block}, Count) == *Block - 1 &&
         isSteady(Count,
                  C.getSourceManager().getExpansionLoc(Blocks->getBeginLoc()));
}

bool startsBlocksFor(const ParmVarDecl &Count, unsigned Axis,
                     const LaunchSet &Set, const ProgramAnalysis &A) {
  unsigned Index = Count.getFunctionScopeIndex();
  return llvm::all_of(Set.All, [&](const Launch *L) {
    return Index < L->Arguments.size() &&
           Coverage(*L, Axis, A).isRoundedUpQuotient(L->Arguments[Index]);
  });
}

std::optional<int64_t> constantBlocks(const Launch &L, unsigned Axis,
                                      const ProgramAnalysis &A) {
  return Coverage(L, Axis, A).constantBlocks();
}

bool coversBound(const ParmVarDecl &Bound, unsigned Axis, const LaunchSet &Set,
                 const ProgramAnalysis &A, std::optional<int64_t> Threads) {
  unsigned Index = Bound.getFunctionScopeIndex();
  return llvm::all_of(Set.All, [&](const Launch *L) {
    return Index < L->Arguments.size() &&
           Coverage(*L, Axis, A, Threads).covers(L->Arguments[Index]);
  });
}

std::optional<TileBound> coveredBound(const ContractionCoordinate &C,
                                      const LaunchSet &Set,
                                      const ProgramAnalysis &A) {
  for (const CoordinateGuard &G : C.Guards) {
    if (G.Op != BO_LT || !G.Bound)
      continue;
    const Expr *Bound = G.Bound->IgnoreParenImpCasts();
    if (std::optional<int64_t> Value = G.BoundForm.constant()) {
      bool Covered = llvm::all_of(Set.All, [&](const Launch *L) {
        auto Blocks = constantBlocks(*L, C.Axis, A);
        auto Threads = C.Threads ? C.Threads : L->BlockExtent[C.Axis].Value;
        return Blocks && Threads && *Blocks * *Threads >= *Value;
      });
      if (Covered && *Value > 0)
        return TileBound{nullptr, *Value};
      continue;
    }
    // `n - 1` is less than n.
    if (const auto *Less = dyn_cast<BinaryOperator>(Bound);
        Less && Less->getOpcode() == BO_Sub &&
        Less->getType()->isSignedIntegerType())
      if (isa<IntegerLiteral>(Less->getRHS()->IgnoreParenImpCasts()))
        Bound = Less->getLHS()->IgnoreParenImpCasts();
    const auto *Ref = dyn_cast<DeclRefExpr>(Bound);
    const auto *Parameter =
        Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
    if (Parameter && coversBound(*Parameter, C.Axis, Set, A, C.Threads))
      return TileBound{Parameter, 0};
  }
  return std::nullopt;
}

bool startsForNone(const ParmVarDecl &Bound, unsigned Axis, const Launch &L,
                   const ProgramAnalysis &A, std::optional<int64_t> Threads) {
  unsigned Index = Bound.getFunctionScopeIndex();
  return Index < L.Arguments.size() &&
         Coverage(L, Axis, A, Threads).startsForNone(L.Arguments[Index]);
}

bool startsWholeBlocksOf(const ParmVarDecl &Count, unsigned Axis,
                         const LaunchSet &Set, const ProgramAnalysis &A,
                         std::optional<int64_t> Threads) {
  unsigned Index = Count.getFunctionScopeIndex();
  return llvm::all_of(Set.All, [&](const Launch *L) {
    return Index < L->Arguments.size() &&
           Coverage(*L, Axis, A, Threads).isQuotient(L->Arguments[Index]);
  });
}

} // namespace cudal1

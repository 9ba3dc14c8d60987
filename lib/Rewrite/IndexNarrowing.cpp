//===- IndexNarrowing.cpp - 64-bit indices that fit 32 bits ---------------===//

#include "IndexNarrowing.h"
#include "DeviceCode.h"
#include "IntegerRange.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Decides whether a variable may become one of 32 bits: whether every
/// expression that thereby is computed in 32 bits keeps its value.
class NarrowCheck {
public:
  NarrowCheck(const Kernel &K, const RangeAnalysis &Ranges, const VarDecl *V)
      : C(*K.Context), K(K), Ranges(Ranges), V(V) {}

  /// The new type, if there is one.
  std::optional<QualType> run(const Assignments &Changes);
  const IntegerRange &values() const { return Values; }

private:
  /// The values of the variable, those after the last step included.
  std::optional<IntegerRange> allValues(const Assignments &Changes) const;
  /// The use of the variable that \p Around holds stays right.
  bool isSafeUse(Ancestors Around);
  /// An expression of the former type, now of type \p Now and of the same
  /// value, is used by \p Parent.
  enum class Step { Safe, Unsafe, Continue };
  Step use(const Stmt *Child, const Stmt *Parent, QualType &Now);
  Step binary(const Stmt *Child, const BinaryOperator *Op, QualType &Now);
  Step arithmetic(const BinaryOperator *Op, const Expr *Other, QualType &Now);
  bool isHeaderStep(const Stmt *S) const;
  /// Both sides keep their values in every type of 32 bits.
  bool fitEitherSign(const BinaryOperator *Op) const;
  /// Becomes narrow itself, or may.
  bool mentionsVariable(const Expr *E) const;
  bool isWide(const Expr *E) const {
    QualType Type = E->IgnoreParenImpCasts()->getType();
    return !Type->isIntegerType() || C.getIntWidth(Type) > 32;
  }

  const ASTContext &C;
  const Kernel &K;
  const RangeAnalysis &Ranges;
  const VarDecl *V;
  const Loop *L = nullptr;
  IntegerRange Values;
  /// Products, quotients and remainders that become narrow.
  unsigned Gains = 0;
};

/// Counts mentions of a variable, those that are not evaluated included.
class MentionCounter : public RecursiveASTVisitor<MentionCounter> {
public:
  explicit MentionCounter(const VarDecl *V) : V(V) {}
  bool VisitDeclRefExpr(DeclRefExpr *Ref) {
    Count += Ref->getDecl() == V;
    return true;
  }
  unsigned Count = 0;

private:
  const VarDecl *V;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<IntegerRange>
NarrowCheck::allValues(const Assignments &Changes) const {
  if (!L)
    return Changes.isAssigned(V) ? std::nullopt : Ranges.of(V);
  std::optional<CountedFor> Parts = partsOf(*L);
  std::optional<IntegerRange> Inside = Ranges.ofLoop(*L);
  if (!Parts || !Inside)
    return std::nullopt;
  std::optional<IntegerRange> By =
      Parts->Step ? Ranges.of(Parts->Step) : IntegerRange{1, 1};
  // Large as they may be, start and step are added to what fits.
  constexpr int64_t Large = int64_t(1) << 40;
  std::optional<IntegerRange> Start = Ranges.of(Parts->Start);
  if (!By || !Start || Inside->Max > Large || By->Max > Large ||
      Start->Max > Large)
    return std::nullopt;
  return IntegerRange{Inside->Min, std::max(Inside->Max + By->Max, Start->Max)};
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// `++v` and `v += e` of the loop that counts with the variable.
bool NarrowCheck::isHeaderStep(const Stmt *S) const {
  const auto *For = L ? dyn_cast<ForStmt>(L->Statement) : nullptr;
  return For && For->getInc() && For->getInc()->IgnoreParens() == S;
}

bool NarrowCheck::mentionsVariable(const Expr *E) const {
  MentionCounter Mentions(V);
  Mentions.TraverseStmt(const_cast<Expr *>(E));
  return Mentions.Count != 0;
}

bool NarrowCheck::fitEitherSign(const BinaryOperator *Op) const {
  for (const Expr *E : {Op->getLHS(), Op->getRHS()}) {
    std::optional<IntegerRange> R = Ranges.of(E);
    if (!R || !R->within(0, INT32_MAX))
      return false;
  }
  return true;
}

NarrowCheck::Step NarrowCheck::arithmetic(const BinaryOperator *Op,
                                          const Expr *Other, QualType &Now) {
  if (mentionsVariable(Other)) {
    std::optional<IntegerRange> R = Ranges.of(Op);
    if (!fitEitherSign(Op) || !R || !R->within(0, INT32_MAX))
      return Step::Unsafe;
    Gains += !Op->isAdditiveOp();
    return Step::Continue;
  }
  // The other operand keeps the operation wide.
  if (isWide(Other))
    return Step::Safe;
  QualType OtherType = Other->IgnoreParenImpCasts()->getType();
  bool Unsigned =
      Now->isUnsignedIntegerType() ||
      (OtherType->isUnsignedIntegerType() && C.getIntWidth(OtherType) == 32);
  QualType Common = Unsigned ? C.UnsignedIntTy : C.IntTy;
  std::optional<IntegerRange> Fits = rangeOfType(Common, C);
  const Expr *Involved[] = {Op, Op->getLHS(), Op->getRHS()};
  for (const Expr *E : Involved) {
    std::optional<IntegerRange> R = Ranges.of(E);
    if (!R || !R->within(Fits->Min, Fits->Max))
      return Step::Unsafe;
  }
  Gains += !Op->isAdditiveOp();
  Now = Common;
  return Step::Continue;
}

NarrowCheck::Step NarrowCheck::binary(const Stmt *Child,
                                      const BinaryOperator *Op, QualType &Now) {
  bool Left = Op->getLHS() == Child;
  const Expr *Other = Left ? Op->getRHS() : Op->getLHS();
  if (Op->isComparisonOp()) {
    if (mentionsVariable(Other))
      return fitEitherSign(Op) ? Step::Safe : Step::Unsafe;
    if (isWide(Other))
      return Step::Safe;
    QualType Type = Other->IgnoreParenImpCasts()->getType();
    std::optional<IntegerRange> R = Ranges.of(Other->IgnoreParenImpCasts());
    // Of one sign they are compared as numbers; a mixed comparison could be
    // another one, or a new warning.
    bool Same = Type->isUnsignedIntegerType() == Now->isUnsignedIntegerType();
    return Same || (isa<IntegerLiteral>(Other->IgnoreParenImpCasts()) && R &&
                    R->Min >= 0)
               ? Step::Safe
               : Step::Unsafe;
  }
  if (Op->isAssignmentOp()) {
    if (Left)
      return Step::Unsafe;
    QualType Target = Op->getLHS()->getType();
    return Op->getOpcode() == BO_Assign || Target->isPointerType() ||
                   isWide(Op->getLHS())
               ? Step::Safe
               : Step::Unsafe;
  }
  if (Op->getType()->isPointerType())
    return Step::Safe;
  if (Op->isAdditiveOp() || Op->isMultiplicativeOp())
    return arithmetic(Op, Other, Now);
  return Step::Unsafe;
}

NarrowCheck::Step NarrowCheck::use(const Stmt *Child, const Stmt *Parent,
                                   QualType &Now) {
  if (isa<ParenExpr>(Parent))
    return Step::Continue;
  if (const auto *Cast = dyn_cast<CastExpr>(Parent)) {
    switch (Cast->getCastKind()) {
    case CK_IntegralCast:
    case CK_IntegralToFloating:
    case CK_IntegralToBoolean:
      // What an operation converts its operands to is looked at there.
      return isa<ImplicitCastExpr>(Cast) && Cast->getType()->isIntegerType() &&
                     C.getIntWidth(Cast->getType()) == 64
                 ? Step::Continue
                 : Step::Safe;
    case CK_LValueToRValue:
    case CK_NoOp:
      return Step::Continue;
    default:
      return Step::Unsafe;
    }
  }
  if (isa<ArraySubscriptExpr>(Parent))
    return Step::Safe;
  if (const auto *Op = dyn_cast<BinaryOperator>(Parent))
    return binary(Child, Op, Now);
  const auto *Declaration = dyn_cast<DeclStmt>(Parent);
  const auto *Target = Declaration && Declaration->isSingleDecl()
                           ? dyn_cast<VarDecl>(Declaration->getSingleDecl())
                           : nullptr;
  return Target && Target->getType()->isArithmeticType() &&
                 Target->getInitStyle() == VarDecl::CInit &&
                 !Target->getType()->getContainedAutoType()
             ? Step::Safe
             : Step::Unsafe;
}

bool NarrowCheck::isSafeUse(Ancestors Around) {
  QualType Now =
      V->getType()->isUnsignedIntegerType() ? C.UnsignedIntTy : C.IntTy;
  if (!Around.empty() && isHeaderStep(Around.back()))
    return true;
  // Everything but reading the value needs the variable itself.
  const auto *Read =
      Around.empty() ? nullptr : dyn_cast<ImplicitCastExpr>(Around.back());
  if (!Read || Read->getCastKind() != CK_LValueToRValue)
    return false;
  const Stmt *Child = Read;
  for (const Stmt *Parent : llvm::reverse(Around.drop_back())) {
    switch (use(Child, Parent, Now)) {
    case Step::Safe:
      return true;
    case Step::Unsafe:
      return false;
    case Step::Continue:
      Child = Parent;
    }
  }
  return false;
}

std::optional<QualType> NarrowCheck::run(const Assignments &Changes) {
  for (const std::unique_ptr<Loop> &Each : K.Loops) {
    const auto *For = dyn_cast<ForStmt>(Each->Statement);
    const auto *Init =
        For ? dyn_cast_or_null<DeclStmt>(For->getInit()) : nullptr;
    if (Each->Counted && Init && llvm::is_contained(Init->decls(), V))
      L = Each.get();
  }
  QualType Narrow =
      V->getType()->isUnsignedIntegerType() ? C.UnsignedIntTy : C.IntTy;
  std::optional<IntegerRange> Fits = rangeOfType(Narrow, C);
  std::optional<IntegerRange> Possible = allValues(Changes);
  if (!Possible || !Possible->within(Fits->Min, Fits->Max))
    return std::nullopt;
  Values = *Possible;
  unsigned Evaluated = 0;
  bool Safe = true;
  walkEvaluated(K.Function->getBody(), [&](const Stmt *S, Ancestors Around) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (!Ref || Ref->getDecl() != V)
      return;
    ++Evaluated;
    Safe =
        Safe && !Ref->refersToEnclosingVariableOrCapture() && isSafeUse(Around);
  });
  MentionCounter All(V);
  All.TraverseStmt(K.Function->getBody());
  return Safe && Gains && All.Count == Evaluated ? std::optional(Narrow)
                                                 : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

/// The words of the type in the declaration, when they are all of it.
static std::optional<SourceRange> typeWords(const VarDecl *V,
                                            const EditBuilder &Builder) {
  if (!V->getTypeSourceInfo())
    return std::nullopt;
  SourceRange Range =
      V->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc().getSourceRange();
  bool Known =
      llvm::StringSwitch<bool>(Builder.text(Range))
          .Cases({"size_t", "std::size_t", "uint64_t", "std::uint64_t"}, true)
          .Cases({"int64_t", "std::int64_t", "ptrdiff_t", "std::ptrdiff_t"},
                 true)
          .Cases({"long", "long int", "long long", "long long int"}, true)
          .Cases({"unsigned long", "unsigned long int", "unsigned long long",
                  "unsigned long long int"},
                 true)
          .Default(false);
  return Known && Range.getBegin().isFileID() ? std::optional(Range)
                                              : std::nullopt;
}

static bool isCandidate(const VarDecl *V, const ASTContext &C) {
  QualType Type = V->getType();
  return V->isLocalVarDecl() && !V->isStaticLocal() && V->getInit() &&
         V->getInitStyle() == VarDecl::CInit &&
         !isa<InitListExpr>(V->getInit()) && Type->isIntegerType() &&
         !Type.isVolatileQualified() && C.getIntWidth(Type) == 64 &&
         !Type->getContainedAutoType() && !V->isConstexpr();
}

void findNarrowIndices(const Rule &R, const Kernel &K, const ProgramAnalysis &A,
                       std::vector<Site> &Out) {
  if (!K.Editable || !K.Function->hasBody() || isTemplateOfHeader(K, A))
    return;
  const Program &P = A.program();
  Assignments Changes = Assignments::of(K.Function->getBody());
  RangeAnalysis Ranges(K, A, Changes);
  EditBuilder Reader(P, Side::Device);
  walkEvaluated(K.Function->getBody(), [&](const Stmt *S, Ancestors) {
    const auto *Declaration = dyn_cast<DeclStmt>(S);
    const auto *V = Declaration && Declaration->isSingleDecl()
                        ? dyn_cast<VarDecl>(Declaration->getSingleDecl())
                        : nullptr;
    if (!V || !isCandidate(V, *K.Context))
      return;
    std::optional<SourceRange> Words = typeWords(V, Reader);
    if (!Words || !Reader.canEdit(*Words))
      return;
    NarrowCheck Check(K, Ranges, V);
    std::optional<QualType> Narrow = Check.run(Changes);
    if (!Narrow)
      return;
    std::string Name = (*Narrow)->isSignedIntegerType() ? "int" : "unsigned";
    Site Found = siteAt(R, K, A, V->getLocation());
    Found.Class = FpClass::Exact;
    Found.Subject = V->getNameAsString();
    Found.Description = "declare `" + Found.Subject + "` as " + Name +
                        " instead of " + Reader.text(*Words).str();
    Found.Evidence = {
        "`" + Found.Subject + "` is between " +
            std::to_string(Check.values().Min) + " and " +
            std::to_string(Check.values().Max),
        "every result that is computed in 32 bits with it fits 32 bits"};
    Found.Apply = [&P, Range = *Words, Name](const RewriteParams &) {
      EditBuilder Builder(P, Side::Device);
      Builder.replace(Range, Name);
      return Builder.finish();
    };
    Out.push_back(std::move(Found));
  });
}

} // namespace cudal1

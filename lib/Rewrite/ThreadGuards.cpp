//===- ThreadGuards.cpp - Thread numbers and their guards -----------------===//

#include "ThreadGuards.h"

#include "cudal1/Analysis/DeviceFunctions.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Nothing that another thread could see, and no access that could fault.
class Harmless : public RecursiveASTVisitor<Harmless> {
public:
  bool Yes = true;
  bool no() { return Yes = false; }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *) { return no(); }
  bool VisitUnaryOperator(UnaryOperator *Op) {
    return Op->getOpcode() != UO_Deref || no();
  }
  bool VisitMemberExpr(MemberExpr *M) { return !M->isArrow() || no(); }
  bool VisitAsmStmt(AsmStmt *) { return no(); }
  bool VisitReturnStmt(ReturnStmt *) { return no(); }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    return !V || V->isLocalVarDeclOrParm() || V->getType().isConstQualified() ||
           no();
  }
  bool TraversePseudoObjectExpr(PseudoObjectExpr *) { return true; }
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    return (F && classify(*F) == DeviceFunction::Pure) || no();
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *C) {
    return C->getConstructor()->isTrivial() || no();
  }
};

} // namespace

static bool isHarmless(const Stmt *S) {
  Harmless Check;
  Check.TraverseStmt(const_cast<Stmt *>(S));
  return Check.Yes;
}

/// The axis whose thread number an expression is.
std::optional<unsigned> GuardAnalysis::numberOf(const Expr *E) const {
  E = IdFinder::plain(E);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V || isa<ParmVarDecl>(V) || !V->getInit() || Changes.isAssigned(V) ||
        !IdFinder::isWide(V->getType().getCanonicalType()))
      return std::nullopt;
    E = IdFinder::plain(V->getInit());
  }
  for (const IdFinder::Number &N : Ids.Numbers)
    if (N.Alone && IdFinder::plain(N.E) == E)
      return N.Axis;
  return std::nullopt;
}

/// `n`, or `n - c`: at most the parameter n.
const ParmVarDecl *GuardAnalysis::boundOf(const Expr *E) const {
  E = E->IgnoreParenImpCasts();
  if (const auto *Op = dyn_cast<BinaryOperator>(E);
      Op && Op->getOpcode() == BO_Sub) {
    Expr::EvalResult Value;
    if (Op->getRHS()->EvaluateAsInt(Value, *K.Context) &&
        !Value.Val.getInt().isNegative() &&
        Op->getLHS()->getType()->isSignedIntegerType())
      E = Op->getLHS()->IgnoreParenImpCasts();
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  return P && P->getType()->isIntegerType() && !Changes.isAssigned(P) ? P
                                                                      : nullptr;
}

void GuardAnalysis::learn(const Expr *Condition, bool Holds,
                          Bounds &Guards) const {
  const Expr *E = Condition->IgnoreParenImpCasts();
  if (const auto *Not = dyn_cast<UnaryOperator>(E);
      Not && Not->getOpcode() == UO_LNot)
    return learn(Not->getSubExpr(), !Holds, Guards);
  const auto *Op = dyn_cast<BinaryOperator>(E);
  if (!Op)
    return;
  if (Op->getOpcode() == (Holds ? BO_LAnd : BO_LOr)) {
    learn(Op->getLHS(), Holds, Guards);
    learn(Op->getRHS(), Holds, Guards);
    return;
  }
  BinaryOperatorKind Kind = Op->getOpcode();
  if (!Op->isRelationalOp())
    return;
  if (!Holds)
    Kind = BinaryOperator::negateComparisonOp(Kind);
  const Expr *Left = Op->getLHS(), *Right = Op->getRHS();
  if (Kind == BO_GT || Kind == BO_GE) {
    std::swap(Left, Right);
    Kind = BinaryOperator::reverseComparisonOp(Kind);
  }
  std::optional<unsigned> Axis = numberOf(Left);
  if (!Axis || !isHarmless(Right))
    return;
  const ParmVarDecl *P = boundOf(Right);
  // `i <= n` lets number n through.
  if (Kind == BO_LE)
    P = nullptr;
  if (!Guards[*Axis] || !*Guards[*Axis])
    Guards[*Axis] = P;
}

void GuardAnalysis::matters(const Bounds &Guards) {
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    if (!Guards[Axis]) {
      Always[Axis] = false;
      continue;
    }
    const ParmVarDecl *P = *Guards[Axis];
    if (HasBound[Axis] && Bound[Axis] != P)
      Bound[Axis] = nullptr;
    else
      Bound[Axis] = P;
    HasBound[Axis] = true;
  }
}

/// The operands of `a && b && c`, or of another operator, in the order in which
/// they are evaluated.
static std::vector<const Expr *> parts(const Expr *E, BinaryOperatorKind Kind) {
  std::vector<const Expr *> Parts{E->IgnoreParenImpCasts()};
  while (const auto *Op = dyn_cast<BinaryOperator>(Parts.front())) {
    if (Op->getOpcode() != Kind)
      break;
    Parts.front() = Op->getRHS()->IgnoreParenImpCasts();
    Parts.insert(Parts.begin(), Op->getLHS()->IgnoreParenImpCasts());
  }
  return Parts;
}

void GuardAnalysis::walk(const Stmt *S, Bounds &Guards) {
  if (!S || isHarmless(S))
    return;
  if (const auto *List = dyn_cast<CompoundStmt>(S)) {
    Bounds Inner = Guards;
    for (const Stmt *Child : List->body()) {
      // What a `return` leaves behind holds for all that follows.
      const auto *If = dyn_cast<IfStmt>(Child);
      if (If && !If->getElse() && !If->getInit() &&
          !If->getConditionVariable()) {
        const Stmt *Then = If->getThen();
        if (const auto *Block = dyn_cast<CompoundStmt>(Then))
          Then = Block->size() == 1 ? Block->body_front() : nullptr;
        if (isa_and_nonnull<ReturnStmt>(Then)) {
          // `i >= n || a[i]` reads where the first part does not hold.
          for (const Expr *Part : parts(If->getCond(), BO_LOr)) {
            if (!isHarmless(Part))
              matters(Inner);
            learn(Part, /*Holds=*/false, Inner);
          }
          continue;
        }
      }
      walk(Child, Inner);
    }
    return;
  }
  if (const auto *If = dyn_cast<IfStmt>(S)) {
    // `i < n && a[i]` reads under the guard that stands before it.
    if (If->getInit() || If->getConditionVariable())
      return matters(Guards);
    Bounds Condition = Guards;
    for (const Expr *Part : parts(If->getCond(), BO_LAnd)) {
      if (!isHarmless(Part))
        matters(Condition);
      learn(Part, true, Condition);
    }
    walk(If->getThen(), Condition);
    Bounds Otherwise = Guards;
    learn(If->getCond(), false, Otherwise);
    walk(If->getElse(), Otherwise);
    return;
  }
  // A grid-stride loop gives each element to one thread, however many run.
  if (auto It = GridStrides.find(S); It != GridStrides.end()) {
    Bounds Inner = Guards;
    Inner[It->second] = nullptr;
    walk(cast<ForStmt>(S)->getBody(), Inner);
    return;
  }
  matters(Guards);
}

} // namespace cudal1

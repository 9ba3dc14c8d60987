//===- OwnValue.cpp - An element that a thread keeps for itself -----------===//

#include "OwnValue.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Follows one element through a body: is it written on every path to each of
/// its reads? The element is Written at a place or may not be.
class WrittenFirst {
public:
  WrittenFirst(const Kernel &K, const KernelParameter &P) {
    for (const MemoryAccess *Access : accessesThrough(K, P))
      Elements.insert(Access->Expression->IgnoreParens());
  }

  /// What holds behind \p S where \p Written holds before it.
  bool walk(const Stmt *S, bool Written);
  bool Fails = false;

private:
  bool touches(const Stmt *S) const {
    return S && findIn(S, [&](const Stmt *Inner) {
             const auto *E = dyn_cast<Expr>(Inner);
             return E && Elements.contains(E->IgnoreParens());
           });
  }
  bool walkExpression(const Expr *E, bool Written);
  bool walkIf(const IfStmt *If, bool Written);

  llvm::DenseSet<const Expr *> Elements;
};

} // namespace

std::vector<const MemoryAccess *> accessesThrough(const Kernel &K,
                                                  const KernelParameter &P) {
  std::vector<const MemoryAccess *> Result;
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Base == P.Decl)
      Result.push_back(&Access);
  return Result;
}

/// `a = b`, also for a class of which copies are plain; null sides otherwise.
static std::pair<const Expr *, const Expr *> assignmentIn(const Expr *E) {
  E = E->IgnoreImplicit()->IgnoreParens();
  if (const auto *Op = dyn_cast<BinaryOperator>(E))
    if (Op->getOpcode() == BO_Assign)
      return {Op->getLHS()->IgnoreParens(), Op->getRHS()};
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(E))
    if (const auto *Method =
            dyn_cast_or_null<CXXMethodDecl>(Op->getDirectCallee());
        Method && Op->getOperator() == OO_Equal && Method->isTrivial())
      return {Op->getArg(0)->IgnoreParens(), Op->getArg(1)};
  return {nullptr, nullptr};
}

bool WrittenFirst::walkExpression(const Expr *E, bool Written) {
  auto [To, Value] = assignmentIn(E);
  if (To && Elements.contains(To)) {
    Fails |= !Written && touches(Value);
    return true;
  }
  Fails |= !Written && touches(E);
  return Written;
}

bool WrittenFirst::walkIf(const IfStmt *If, bool Written) {
  if (If->getInit() || If->getConditionVariable()) {
    Fails |= !Written && touches(If);
    return Written;
  }
  walkExpression(If->getCond(), Written);
  bool Then = walk(If->getThen(), Written);
  bool Else = walk(If->getElse(), Written);
  return Then && Else;
}

bool WrittenFirst::walk(const Stmt *S, bool Written) {
  if (!S)
    return Written;
  if (const auto *E = dyn_cast<Expr>(S))
    return walkExpression(E, Written);
  switch (S->getStmtClass()) {
  case Stmt::CompoundStmtClass:
    for (const Stmt *Child : S->children())
      Written = walk(Child, Written);
    return Written;
  case Stmt::AttributedStmtClass:
    return walk(cast<AttributedStmt>(S)->getSubStmt(), Written);
  case Stmt::IfStmtClass:
    return walkIf(cast<IfStmt>(S), Written);
  case Stmt::ForStmtClass: {
    // The body may not run at all.
    const auto *Loop = cast<ForStmt>(S);
    Written = walk(Loop->getInit(), Written);
    Fails |= !Written && Loop->getConditionVariable() && touches(Loop);
    if (Loop->getCond())
      walkExpression(Loop->getCond(), Written);
    walk(Loop->getBody(), Written);
    if (Loop->getInc())
      walkExpression(Loop->getInc(), Written);
    return Written;
  }
  case Stmt::ReturnStmtClass:
  case Stmt::BreakStmtClass:
  case Stmt::ContinueStmtClass:
    // Nothing follows; where the loop goes on nothing is known of its body.
    Fails |= !Written && touches(S);
    return true;
  case Stmt::DeclStmtClass:
  case Stmt::NullStmtClass:
  default:
    // Of other statements no order is known.
    Fails |= !Written && touches(S);
    return Written;
  }
}

bool mayReadFirst(const Kernel &K, const KernelParameter &P) {
  WrittenFirst Search(K, P);
  Search.walk(K.Function->getBody(), false);
  return Search.Fails;
}

static bool isSameElement(const OwnElement &X, const OwnElement &Y) {
  return X.PerThread == 1 && Y.PerThread == 1 && X.Width == Y.Width &&
         X.ColumnAxis == Y.ColumnAxis;
}

/// The innermost statement of a block that holds all \p Accesses, or null.
static const Stmt *statementAround(llvm::ArrayRef<const MemoryAccess *> All,
                                   const StatementTree &Tree) {
  const Stmt *S = All.front()->Expression;
  for (; S; S = Tree.parent(S)) {
    const Stmt *Parent = Tree.parent(S);
    bool Holds = Parent && isa<CompoundStmt>(Parent) &&
                 llvm::all_of(All, [&](const MemoryAccess *Each) {
                   return Tree.contains(Parent, Each->Expression);
                 });
    if (Holds)
      return S;
  }
  return nullptr;
}

/// \p S is `P[i] = value;` where a declaration with that initialiser does the
/// same.
static bool mayDeclare(const Stmt *S, const MemoryAccess &First,
                       const ASTContext &Context) {
  const auto *E = dyn_cast<Expr>(S);
  if (!E)
    return false;
  auto [To, Value] = assignmentIn(E);
  if (To != First.Expression->IgnoreParens())
    return false;
  // Of classes an assignment may do other than a constructor.
  return !First.ElementType->isRecordType() ||
         Context.hasSameUnqualifiedType(Value->IgnoreImplicit()->getType(),
                                        First.ElementType);
}

std::optional<OwnValue> OwnValue::of(const ThreadsOf &Threads,
                                     const KernelParameter &P,
                                     const StatementTree &Tree,
                                     std::string &Obstacle) {
  const Kernel &K = Threads.kernel();
  OwnValue V;
  V.Parameter = &P;
  V.Accesses = accessesThrough(K, P);
  auto No = [&](const char *Why) {
    Obstacle = P.Decl->getName().str() + " " + Why;
    return std::nullopt;
  };
  if (!P.IsPointer || P.Reassigned || P.Use.Escapes || P.Use.Atomic)
    return No("is not only accessed");
  if (!P.Use.Read || !P.Use.Written)
    return No("is not both written and read");
  if (P.Decl->getType()->getPointeeType().isVolatileQualified())
    return No("is volatile");
  std::optional<OwnElement> Own = Threads.ownElement(*V.Accesses.front());
  for (const MemoryAccess *Access : V.Accesses) {
    std::optional<OwnElement> Theirs = Threads.ownElement(*Access);
    if (Access->InCallee || !Access->Member.empty() || !Own || !Theirs ||
        !isSameElement(*Own, *Theirs))
      return No("is not accessed at one element a thread");
  }
  // A pointer to an element, or a copy of the parameter, is another matter.
  unsigned Named = 0;
  for (const MemoryAccess *Access : V.Accesses)
    Named += mentionsIn(Access->Expression, P.Decl) == 1;
  if (Named != V.Accesses.size() ||
      mentionsIn(K.Function->getBody(), P.Decl) != Named)
    return No("is mentioned otherwise");
  if (mayReadFirst(K, P))
    return No("may be read before it is written");
  V.Place = statementAround(V.Accesses, Tree);
  if (!V.Place || !Tree.canDeclareBefore(V.Place))
    return No("has no place for a declaration");
  V.IsAssignment = mayDeclare(V.Place, *V.Accesses.front(), *K.Context);
  return V;
}

} // namespace cudal1

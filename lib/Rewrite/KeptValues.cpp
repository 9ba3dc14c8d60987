//===- KeptValues.cpp - Values that several loops of a thread use ---------===//

#include "KeptValues.h"

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/Guards.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Narrower variables could wrap some steps beyond the end.
static constexpr unsigned LeastBitsOfIndex = 32;
/// More would take registers from the rest.
static constexpr size_t MostValues = 3;

static bool isInMacro(const Stmt *S) {
  return S->getBeginLoc().isMacroID() || S->getEndLoc().isMacroID();
}

namespace {

class KeptFinder {
public:
  KeptFinder(const Kernel &K, const ProgramAnalysis &A,
             const StatementTree &Tree)
      : K(K), A(A), Tree(Tree), Changes(Assignments::of(Tree.body())) {}

  std::vector<KeptGroup> find();

private:
  std::optional<KeptLoop> loop(const Loop &L) const;
  bool isPlainBody(const Loop &L) const;
  bool alike(const KeptLoop &X, const KeptLoop &Y) const;
  void loads(KeptGroup &G) const;
  void addLoad(KeptGroup &G, const MemoryAccess &Access, size_t I) const;
  bool isReadOnly(const MemoryAccess &Load,
                  std::vector<std::string> &Evidence) const;
  void calls(KeptGroup &G) const;
  void collectCalls(const Stmt *S, std::vector<const CallExpr *> &Out) const;
  bool addCall(KeptGroup &G, const CallExpr *Call, size_t I) const;
  bool isSame(const KeptGroup &G, const Stmt *X, size_t I, const Stmt *Y,
              size_t J) const;
  bool isSameVariable(const KeptGroup &G, const DeclRefExpr *X, size_t I,
                      const DeclRefExpr *Y, size_t J) const;
  bool isSteadyBetween(const KeptGroup &G, const ValueDecl *V, size_t I,
                       size_t J) const;
  const VarDecl *localOf(const KeptGroup &G, const DeclRefExpr *Ref,
                         size_t I) const;
  bool finish(const KeptGroup &G, KeptValue &V) const;
  bool alwaysEvaluated(const KeptGroup &G, const KeptValue::Mention &M) const;
  void dropUnused(KeptGroup &G) const;
  bool needsLocals(const KeptGroup &G, const KeptValue::Mention &M) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  Assignments Changes;
};

} // namespace

/// The body may be written twice, and each of its iterations runs to its end.
bool KeptFinder::isPlainBody(const Loop &L) const {
  if (L.HasBarrier || L.HasEarlyExit || L.HasContinue || !L.IsInnermost ||
      L.HasUnrollPragma || Tree.withAttributes(L.Statement) != L.Statement ||
      hasJump(L.body()))
    return false;
  for (const WarpOperation &Operation : K.WarpOperations)
    if (Tree.contains(L.Statement, Operation.Call))
      return false;
  return !findIn(L.Statement, [](const Stmt *S) {
    const auto *Decls = dyn_cast<DeclStmt>(S);
    return isa<LambdaExpr, AsmStmt, SwitchStmt>(S) ||
           (Decls && llvm::any_of(Decls->decls(), [](const Decl *D) {
              const auto *V = dyn_cast<VarDecl>(D);
              return !V || V->isStaticLocal();
            }));
  });
}

std::optional<KeptLoop> KeptFinder::loop(const Loop &L) const {
  const auto *For = dyn_cast<ForStmt>(L.Statement);
  if (!For || !L.Variable || !L.Counted || L.Step == 1 ||
      For->getConditionVariable() || !For->getCond() || !For->getInc() ||
      L.Variable->getType()->getContainedDeducedType() ||
      K.Context->getTypeSize(L.Variable->getType()) < LeastBitsOfIndex ||
      (L.Step && *L.Step < 0) || !K.isStable(L.Lower) || !K.isStable(L.Upper) ||
      !K.isStable(L.StepForm) || !isPlainBody(L) || !Tree.block(For) ||
      isInMacro(For))
    return std::nullopt;
  // Elements that another application of this rule left to memory.
  for (int64_t Times = 1; Times <= 64; Times *= 2) {
    Polynomial Rest = L.Lower - L.StepForm * Polynomial(Times);
    if (Rest.terms().size() < L.Lower.terms().size() ||
        (L.Step && L.Lower.constantTerm() >= *L.Step))
      return std::nullopt;
  }
  const auto *Decls = dyn_cast_or_null<DeclStmt>(For->getInit());
  const auto *Cond =
      dyn_cast<BinaryOperator>(For->getCond()->IgnoreParenImpCasts());
  const auto *Inc =
      dyn_cast<CompoundAssignOperator>(For->getInc()->IgnoreParens());
  if (!Decls || !Decls->isSingleDecl() || !Cond || Cond->getOpcode() != BO_LT ||
      !Inc || Inc->getOpcode() != BO_AddAssign)
    return std::nullopt;
  const auto *Ref =
      dyn_cast<DeclRefExpr>(Cond->getLHS()->IgnoreParenImpCasts());
  const auto *Stepped = dyn_cast<DeclRefExpr>(Inc->getLHS()->IgnoreParens());
  if (!Ref || Ref->getDecl() != L.Variable || !Stepped ||
      Stepped->getDecl() != L.Variable ||
      Decls->getSingleDecl() != L.Variable || !L.Variable->getInit() ||
      For->getCond()->HasSideEffects(*K.Context, false) ||
      Inc->getRHS()->HasSideEffects(*K.Context, false) ||
      L.Variable->getInit()->HasSideEffects(*K.Context, false))
    return std::nullopt;
  return KeptLoop{&L, For, L.Variable->getInit(), Inc->getRHS(),
                  For->getCond()};
}

/// Each thread makes the same iterations in both, the first one first.
bool KeptFinder::alike(const KeptLoop &X, const KeptLoop &Y) const {
  return X.L->Lower == Y.L->Lower && X.L->Upper == Y.L->Upper &&
         X.L->StepForm == Y.L->StepForm &&
         K.Context->hasSameUnqualifiedType(X.L->Variable->getType(),
                                           Y.L->Variable->getType()) &&
         llvm::is_contained(Tree.before(Y.For), X.For);
}

/// No thread writes what \p Load reads.
bool KeptFinder::isReadOnly(const MemoryAccess &Load,
                            std::vector<std::string> &Evidence) const {
  std::vector<std::string> Found;
  for (const MemoryAccess &Access : K.Accesses) {
    if (!Access.writes() || Access.Space == MemorySpace::Local ||
        Access.Space == MemorySpace::Shared)
      continue;
    OverlapAnswer Answer = A.basesMayOverlap(K, Access, Load);
    if (!Answer.disjoint())
      return false;
    if (!llvm::is_contained(Found, Answer.Reason))
      Found.push_back(Answer.Reason);
  }
  for (std::string &Reason : Found)
    if (!llvm::is_contained(Evidence, Reason))
      Evidence.push_back(Reason);
  return true;
}

void KeptFinder::addLoad(KeptGroup &G, const MemoryAccess &Access,
                         size_t I) const {
  const Loop &L = *G.Loops[I].L;
  const Loop &First = *G.Loops.front().L;
  Polynomial Index = Access.Index.substitute(
      L.VariableSymbol, Polynomial::symbol(First.VariableSymbol));
  for (KeptValue &V : G.Values) {
    const KeptValue::Mention &Known = V.Mentions.front();
    const MemoryAccess *Other = nullptr;
    for (const MemoryAccess &Candidate : K.Accesses)
      if (Candidate.Expression == Known.E)
        Other = &Candidate;
    if (V.Base == Access.Base && Other &&
        Other->Index.substitute(G.Loops[Known.InLoop].L->VariableSymbol,
                                Polynomial::symbol(First.VariableSymbol)) ==
            Index) {
      V.Mentions.push_back({Access.Expression, I});
      return;
    }
  }
  KeptValue V;
  V.Base = Access.Base;
  V.Type = Access.Expression->getType().getUnqualifiedType();
  V.Mentions.push_back({Access.Expression, I});
  G.Values.push_back(std::move(V));
}

void KeptFinder::loads(KeptGroup &G) const {
  for (size_t I = 0; I < G.Loops.size(); ++I)
    for (const MemoryAccess &Access : K.Accesses) {
      const Loop &L = *G.Loops[I].L;
      const KernelParameter *P = K.parameter(Access.Base);
      if (Access.InLoop != &L || Access.Kind != AccessKind::Read ||
          Access.InCallee || Access.Space != MemorySpace::Global ||
          !Access.Member.empty() || !Access.ElementType->isArithmeticType() ||
          Access.Expression->getType().isVolatileQualified() || !P ||
          P->Use.Written || P->Use.Escapes || P->Reassigned ||
          !isWholeElement(K, Access) || isInMacro(Access.Expression) ||
          !Tree.contains(L.body(), Access.Expression) ||
          !K.isStable(Access.Index) || !Access.Index.uses(L.VariableSymbol))
        continue;
      std::vector<std::string> Evidence = G.Evidence;
      if (isReadOnly(Access, Evidence))
        addLoad(G, Access, I);
    }
}

/// Calls of maths functions in \p S, the outermost ones.
void KeptFinder::collectCalls(const Stmt *S,
                              std::vector<const CallExpr *> &Out) const {
  if (!S)
    return;
  const auto *Call = dyn_cast<CallExpr>(S);
  if (Call && Call->getType()->isRealFloatingType() && !isInMacro(Call) &&
      llvm::any_of(K.MathCalls,
                   [&](const MathCall &M) { return M.Call == Call; }))
    Out.push_back(Call);
  for (const Stmt *Child : S->children())
    collectCalls(Child, Out);
}

/// A variable that the iteration declares and never changes.
const VarDecl *KeptFinder::localOf(const KeptGroup &G, const DeclRefExpr *Ref,
                                   size_t I) const {
  const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
  if (!V || !V->getInit() || Changes.isAssigned(V) ||
      !Tree.contains(G.Loops[I].L->body(), V->getInit()))
    return nullptr;
  return V;
}

/// Nothing changes \p V from the beginning of the one loop to the end of the
/// other.
bool KeptFinder::isSteadyBetween(const KeptGroup &G, const ValueDecl *V,
                                 size_t I, size_t J) const {
  for (const Assignments::Change &C : Changes.changesOf(V))
    if (C.Escapes)
      return false;
  if (Assignments::of(G.Loops[J].For).isAssigned(V))
    return false;
  for (const Stmt *S : Tree.before(G.Loops[J].For)) {
    if (Assignments::of(S).isAssigned(V))
      return false;
    if (S == G.Loops[I].For)
      return true;
  }
  return I == J;
}

bool KeptFinder::isSameVariable(const KeptGroup &G, const DeclRefExpr *X,
                                size_t I, const DeclRefExpr *Y,
                                size_t J) const {
  if (X->getDecl() == G.Loops[I].L->Variable)
    return Y->getDecl() == G.Loops[J].L->Variable;
  const VarDecl *LocalX = localOf(G, X, I), *LocalY = localOf(G, Y, J);
  if (LocalX || LocalY)
    return LocalX && LocalY &&
           K.Context->hasSameUnqualifiedType(LocalX->getType(),
                                             LocalY->getType()) &&
           isSame(G, LocalX->getInit(), I, LocalY->getInit(), J);
  const ValueDecl *D = X->getDecl();
  if (D != Y->getDecl())
    return false;
  if (isa<FunctionDecl, EnumConstantDecl>(D))
    return true;
  const auto *V = dyn_cast<VarDecl>(D);
  return V && V->hasLocalStorage() && !V->getType()->isReferenceType() &&
         !V->getType().isVolatileQualified() && isSteadyBetween(G, V, I, J);
}

/// Both have one value, in iterations of one number.
bool KeptFinder::isSame(const KeptGroup &G, const Stmt *X, size_t I,
                        const Stmt *Y, size_t J) const {
  for (const KeptValue &V : G.Values) {
    auto Is = [&](const Stmt *S) {
      return llvm::any_of(
          V.Mentions, [&](const KeptValue::Mention &M) { return M.E == S; });
    };
    if (Is(X) || Is(Y))
      return Is(X) && Is(Y);
  }
  if (X->getStmtClass() != Y->getStmtClass() ||
      !K.Context->hasSameType(cast<Expr>(X)->getType(),
                              cast<Expr>(Y)->getType()))
    return false;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(X))
    return isSameVariable(G, Ref, I, cast<DeclRefExpr>(Y), J);
  if (const auto *Literal = dyn_cast<IntegerLiteral>(X))
    return Literal->getValue() == cast<IntegerLiteral>(Y)->getValue();
  if (const auto *Literal = dyn_cast<FloatingLiteral>(X))
    return Literal->getValue().bitwiseIsEqual(
        cast<FloatingLiteral>(Y)->getValue());
  if (const auto *Binary = dyn_cast<BinaryOperator>(X)) {
    if (Binary->isAssignmentOp() || Binary->isCommaOp() ||
        Binary->getOpcode() != cast<BinaryOperator>(Y)->getOpcode())
      return false;
  } else if (const auto *Unary = dyn_cast<UnaryOperator>(X)) {
    if ((Unary->getOpcode() != UO_Minus && Unary->getOpcode() != UO_Plus) ||
        Unary->getOpcode() != cast<UnaryOperator>(Y)->getOpcode())
      return false;
  } else if (const auto *Cast = dyn_cast<CastExpr>(X)) {
    if (Cast->getCastKind() != cast<CastExpr>(Y)->getCastKind())
      return false;
  } else if (const auto *Call = dyn_cast<CallExpr>(X)) {
    if (!Call->getDirectCallee() ||
        Call->getDirectCallee() != cast<CallExpr>(Y)->getDirectCallee() ||
        llvm::none_of(K.MathCalls,
                      [&](const MathCall &M) { return M.Call == Call; }))
      return false;
  } else if (!isa<ParenExpr>(X)) {
    return false;
  }
  return std::equal(X->child_begin(), X->child_end(), Y->child_begin(),
                    Y->child_end(), [&](const Stmt *P, const Stmt *Q) {
                      return P && Q && isSame(G, P, I, Q, J);
                    });
}

/// Adds \p Call as a value if a later loop has it as well.
bool KeptFinder::addCall(KeptGroup &G, const CallExpr *Call, size_t I) const {
  KeptValue V;
  V.Type = Call->getType().getUnqualifiedType();
  V.Mentions.push_back({Call, I});
  for (size_t J = I + 1; J < G.Loops.size(); ++J) {
    std::vector<const CallExpr *> Others;
    collectCalls(G.Loops[J].L->body(), Others);
    for (const CallExpr *Other : Others)
      if (isSame(G, Call, I, Other, J))
        V.Mentions.push_back({Other, J});
  }
  // It must belong to the iteration: else it is the loop's invariant.
  bool Moves = findIn(Call, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    return Ref &&
           (Ref->getDecl() == G.Loops[I].L->Variable || localOf(G, Ref, I));
  });
  if (!Moves || V.Mentions.size() < 2 || !finish(G, V))
    return false;
  G.Values.push_back(std::move(V));
  return true;
}

void KeptFinder::calls(KeptGroup &G) const {
  // The type of a call may differ from instantiation to instantiation.
  if (K.IsTemplate)
    return;
  std::vector<const Expr *> Done;
  for (size_t I = 0; I + 1 < G.Loops.size(); ++I) {
    std::vector<const CallExpr *> Here;
    collectCalls(G.Loops[I].L->body(), Here);
    for (const CallExpr *Call : Here) {
      bool Known = llvm::any_of(G.Values, [&](const KeptValue &V) {
        return llvm::any_of(V.Mentions, [&](const KeptValue::Mention &M) {
          return Tree.contains(M.E, Call);
        });
      });
      if (!Known)
        addCall(G, Call, I);
    }
  }
}

bool KeptFinder::alwaysEvaluated(const KeptGroup &G,
                                 const KeptValue::Mention &M) const {
  return Tree.alwaysRunsIn(M.E, G.Loops[M.InLoop].For,
                           [](const Stmt *) { return false; });
}

bool KeptFinder::needsLocals(const KeptGroup &G,
                             const KeptValue::Mention &M) const {
  return findIn(M.E, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && V != G.Loops[M.InLoop].L->Variable && V->hasLocalStorage() &&
           (Assignments::of(G.Loops[M.InLoop].For).isAssigned(V) ||
            findIn(G.Loops[M.InLoop].L->body(), [&](const Stmt *Inner) {
              const auto *Decls = dyn_cast<DeclStmt>(Inner);
              return Decls && llvm::is_contained(Decls->decls(), V);
            }));
  });
}

/// Two loops or more have it, and the first one in any case.
bool KeptFinder::finish(const KeptGroup &G, KeptValue &V) const {
  const SourceManager &SM = K.Context->getSourceManager();
  llvm::stable_sort(V.Mentions, [&](const auto &X, const auto &Y) {
    return SM.isBeforeInTranslationUnit(X.E->getBeginLoc(), Y.E->getBeginLoc());
  });
  while (!V.Mentions.empty() && !alwaysEvaluated(G, V.Mentions.front()))
    V.Mentions.erase(V.Mentions.begin());
  if (V.Mentions.empty() ||
      V.Mentions.back().InLoop == V.Mentions.front().InLoop)
    return false;
  V.InPlace = needsLocals(G, V.Mentions.front());
  // Which of several places of one loop is evaluated first is not always said.
  if (V.InPlace)
    llvm::erase_if(V.Mentions, [&, First = V.Mentions.front()](const auto &M) {
      return M.E != First.E && M.InLoop == First.InLoop;
    });
  return true;
}

/// Loads that no loop makes again, once calls are kept that hold them.
void KeptFinder::dropUnused(KeptGroup &G) const {
  auto IsReplaced = [&](const KeptValue::Mention &M) {
    return llvm::any_of(G.Values, [&](const KeptValue &V) {
      return !V.isLoad() &&
             llvm::any_of(llvm::drop_begin(V.Mentions), [&](const auto &Other) {
               return Tree.contains(Other.E, M.E);
             });
    });
  };
  llvm::erase_if(G.Values, [&](const KeptValue &V) {
    return V.isLoad() && llvm::all_of(V.Mentions, [&](const auto &M) {
             return M.InLoop == V.Mentions.front().InLoop || IsReplaced(M);
           });
  });
}

std::vector<KeptGroup> KeptFinder::find() {
  if (!K.UnknownCalls.empty() || K.HasAsm)
    return {};
  std::vector<KeptGroup> Groups;
  for (const auto &L : K.Loops) {
    auto Candidate = loop(*L);
    if (!Candidate)
      continue;
    auto Home = llvm::find_if(Groups, [&](const KeptGroup &G) {
      return alike(G.Loops.front(), *Candidate);
    });
    if (Home == Groups.end())
      Home = Groups.insert(Groups.end(), KeptGroup());
    Home->Loops.push_back(*Candidate);
  }
  llvm::erase_if(Groups, [&](KeptGroup &G) {
    if (G.Loops.size() < 2 || !Tree.canDeclareBefore(G.Loops.front().For) ||
        spansDirective(*K.Context, {G.Loops.front().For->getBeginLoc(),
                                    G.Loops.back().For->getEndLoc()}))
      return true;
    loads(G);
    llvm::erase_if(G.Values, [&](KeptValue &V) { return !finish(G, V); });
    calls(G);
    dropUnused(G);
    if (G.Values.empty() || G.Values.size() > MostValues)
      return true;
    for (const KeptValue &V : G.Values)
      for (const MemoryAccess &Access : K.Accesses)
        if (V.isLoad() && Access.Expression == V.Mentions.front().E)
          isReadOnly(Access, G.Evidence);
    return false;
  });
  return Groups;
}

std::vector<KeptGroup> findKeptGroups(const Kernel &K, const ProgramAnalysis &A,
                                      const StatementTree &Tree) {
  return KeptFinder(K, A, Tree).find();
}

} // namespace cudal1

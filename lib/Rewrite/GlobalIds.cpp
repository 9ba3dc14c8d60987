//===- GlobalIds.cpp - Kernels that only use global thread numbers --------===//

#include "GlobalIds.h"

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/DeviceFunctions.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// A component, by itself or through a variable that only names it.
using Component = BuiltinVariable;

/// Finds the combinations of components in a kernel.
class IdFinder : public RecursiveASTVisitor<IdFinder> {
public:
  IdFinder(const Kernel &K, const Assignments &Changes)
      : K(K), Changes(Changes) {}

  bool VisitVarDecl(VarDecl *V) {
    if (!V->getInit() || isa<ParmVarDecl>(V) || Changes.isAssigned(V) ||
        V->getType()->isReferenceType() || !V->hasLocalStorage())
      return true;
    if (auto Builtin = asBuiltinVariable(plain(V->getInit()))) {
      Aliases[V] = *Builtin;
      Used.insert(memberOf(plain(V->getInit())));
    }
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *V = dyn_cast<VarDecl>(E->getDecl()); V && Aliases.count(V))
      AliasMentions.insert(E);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *Op) {
    if (Op->getOpcode() == BO_Mul)
      totalIn(Op);
    if (Op->getOpcode() == BO_Add && !InnerSums.contains(Op))
      numberIn(Op);
    return true;
  }

  /// An integer expression without conversions that keep its value.
  static const Expr *plain(const Expr *E) {
    while (true) {
      E = E->IgnoreParenImpCasts();
      const auto *Cast = dyn_cast<ExplicitCastExpr>(E);
      if (!Cast || !Cast->getType()->isIntegerType() ||
          K32(Cast->getType()) == false)
        return E;
      E = Cast->getSubExpr();
    }
  }
  /// Wide enough for any thread number.
  static bool K32(QualType T) {
    const auto *B = T->getAs<BuiltinType>();
    return B && B->getKind() != BuiltinType::Bool &&
           B->getKind() != BuiltinType::Char_S &&
           B->getKind() != BuiltinType::Char_U &&
           B->getKind() != BuiltinType::SChar &&
           B->getKind() != BuiltinType::UChar &&
           B->getKind() != BuiltinType::Short &&
           B->getKind() != BuiltinType::UShort;
  }

  std::optional<Component> component(const Expr *E) const {
    E = plain(E);
    if (auto Builtin = asBuiltinVariable(E))
      return Builtin;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        if (auto It = Aliases.find(V); It != Aliases.end())
          return It->second;
    return std::nullopt;
  }

  static SourceLocation memberOf(const Expr *E) {
    if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(E))
      E = Pseudo->getSyntacticForm()->IgnoreParenImpCasts();
    if (const auto *Property = dyn_cast<MSPropertyRefExpr>(E))
      return Property->getMemberLoc();
    if (const auto *Member = dyn_cast<MemberExpr>(E))
      return Member->getMemberLoc();
    return SourceLocation();
  }

  void use(const Expr *E) {
    E = plain(E);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      UsedAliases.insert(Ref);
    else
      Used.insert(memberOf(E));
  }

  /// The axis of a product of two kinds of components.
  std::optional<unsigned> product(const Expr *E, SymbolKind One,
                                  SymbolKind Other) const {
    const auto *Op = dyn_cast<BinaryOperator>(plain(E));
    if (!Op || Op->getOpcode() != BO_Mul)
      return std::nullopt;
    auto L = component(Op->getLHS()), R = component(Op->getRHS());
    if (!L || !R || L->Axis != R->Axis)
      return std::nullopt;
    if ((L->Kind == One && R->Kind == Other) ||
        (L->Kind == Other && R->Kind == One))
      return L->Axis;
    return std::nullopt;
  }

  void totalIn(const BinaryOperator *Op) {
    auto Axis = product(Op, SymbolKind::BlockDim, SymbolKind::GridDim);
    if (!Axis)
      return;
    use(Op->getLHS());
    use(Op->getRHS());
    Totals.emplace_back(Op, *Axis);
  }

  void terms(const Expr *E, std::vector<const Expr *> &Out) {
    const auto *Op = dyn_cast<BinaryOperator>(plain(E));
    if (!Op || Op->getOpcode() != BO_Add) {
      Out.push_back(E);
      return;
    }
    InnerSums.insert(Op);
    terms(Op->getLHS(), Out);
    terms(Op->getRHS(), Out);
  }

  /// `blockIdx.a * blockDim.a + threadIdx.a`, possibly among other terms.
  void numberIn(const BinaryOperator *Sum) {
    std::vector<const Expr *> Terms;
    terms(Sum, Terms);
    for (const Expr *First : Terms) {
      auto Axis = product(First, SymbolKind::BlockIdx, SymbolKind::BlockDim);
      if (!Axis)
        continue;
      for (const Expr *Second : Terms) {
        auto Thread = component(Second);
        if (!Thread || Thread->Kind != SymbolKind::ThreadIdx ||
            Thread->Axis != *Axis)
          continue;
        const auto *Product = cast<BinaryOperator>(plain(First));
        use(Product->getLHS());
        use(Product->getRHS());
        use(Second);
        Numbers.push_back({Sum, *Axis, Terms.size() == 2});
        break;
      }
    }
  }

  struct Number {
    const Expr *E;
    unsigned Axis;
    /// Nothing else is added.
    bool Alone;
  };

  const Kernel &K;
  const Assignments &Changes;
  std::map<const VarDecl *, Component> Aliases;
  llvm::DenseSet<const DeclRefExpr *> AliasMentions, UsedAliases;
  std::set<SourceLocation> Used;
  llvm::DenseSet<const BinaryOperator *> InnerSums;
  std::vector<Number> Numbers;
  std::vector<std::pair<const Expr *, unsigned>> Totals;
};

/// Statements inside a statement.
class Contains : public RecursiveASTVisitor<Contains> {
public:
  bool VisitStmt(Stmt *S) {
    All.insert(S);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    Variables.insert(V);
    return true;
  }
  llvm::DenseSet<const Stmt *> All;
  llvm::DenseSet<const VarDecl *> Variables;
};

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

class GuardAnalysis {
public:
  GuardAnalysis(const Kernel &K, const IdFinder &Ids,
                const Assignments &Changes)
      : K(K), Ids(Ids), Changes(Changes) {}

  using Bounds = std::array<std::optional<const ParmVarDecl *>, 3>;

  /// Axes whose guard stands before everything in \p S that matters; Guards
  /// holds on entry what is known, on exit also what a `return` tells.
  void walk(const Stmt *S, Bounds &Guards);

  /// Known for everything that matters.
  std::array<bool, 3> Always{true, true, true};
  std::array<const ParmVarDecl *, 3> Bound{};
  std::array<bool, 3> HasBound{};
  /// Grid-stride loops and their axes.
  llvm::DenseMap<const Stmt *, unsigned> GridStrides;

private:
  void matters(const Bounds &Guards);
  void learn(const Expr *Condition, bool Holds, Bounds &Guards) const;
  std::optional<unsigned> numberOf(const Expr *E) const;
  const ParmVarDecl *boundOf(const Expr *E) const;

  const Kernel &K;
  const IdFinder &Ids;
  const Assignments &Changes;
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
        !IdFinder::K32(V->getType().getCanonicalType()))
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

void GuardAnalysis::walk(const Stmt *S, Bounds &Guards) {
  if (!S || isHarmless(S))
    return;
  if (const auto *List = dyn_cast<CompoundStmt>(S)) {
    Bounds Inner = Guards;
    for (const Stmt *Child : List->body()) {
      // What a `return` leaves behind holds for all that follows.
      const auto *If = dyn_cast<IfStmt>(Child);
      if (If && !If->getElse() && !If->getInit() && isHarmless(If->getCond())) {
        const Stmt *Then = If->getThen();
        if (const auto *Block = dyn_cast<CompoundStmt>(Then))
          Then = Block->size() == 1 ? Block->body_front() : nullptr;
        if (isa_and_nonnull<ReturnStmt>(Then)) {
          learn(If->getCond(), /*Holds=*/false, Inner);
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
    const Expr *E = If->getCond()->IgnoreParenImpCasts();
    std::vector<const Expr *> Parts{E};
    while (const auto *Op = dyn_cast<BinaryOperator>(Parts.front())) {
      if (Op->getOpcode() != BO_LAnd)
        break;
      Parts.front() = Op->getRHS()->IgnoreParenImpCasts();
      Parts.insert(Parts.begin(), Op->getLHS()->IgnoreParenImpCasts());
    }
    for (const Expr *Part : Parts) {
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

/// Every mention of \p V lies in one of \p Places.
static bool onlyWithin(const VarDecl *V, const Stmt *Body,
                       const llvm::DenseSet<const Stmt *> &Places) {
  class Finder : public RecursiveASTVisitor<Finder> {
  public:
    Finder(const VarDecl *V, const llvm::DenseSet<const Stmt *> &Places)
        : V(V), Places(Places) {}
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      if (E->getDecl() == V && !Places.contains(E))
        Within = false;
      return true;
    }
    const VarDecl *V;
    const llvm::DenseSet<const Stmt *> &Places;
    bool Within = true;
  } Search(V, Places);
  Search.TraverseStmt(const_cast<Stmt *>(Body));
  return Search.Within;
}

/// \p E stands in \p Places, or only names a variable that is used there alone.
static bool servesOnly(const Expr *E, const Kernel &K,
                       const Assignments &Changes,
                       const llvm::DenseSet<const Stmt *> &Places) {
  if (Places.contains(E))
    return true;
  class Holder : public RecursiveASTVisitor<Holder> {
  public:
    explicit Holder(const Expr *E) : E(E) {}
    bool VisitVarDecl(VarDecl *V) {
      if (V->getInit() && IdFinder::plain(V->getInit()) == IdFinder::plain(E))
        Found = V;
      return true;
    }
    const Expr *E;
    const VarDecl *Found = nullptr;
  } Search(E);
  Search.TraverseStmt(K.Function->getBody());
  return Search.Found && !Changes.isAssigned(Search.Found) &&
         onlyWithin(Search.Found, K.Function->getBody(), Places);
}

/// The elements that two iterations write differ: the index moves with the
/// loop's variable and stays clear of inner loops.
static bool writesApart(const MemoryAccess &Access, const Loop &L,
                        const Kernel &K) {
  if (Access.InCallee || !Access.Base)
    return false;
  std::optional<Polynomial> Step = Access.Index.coefficientOf(L.VariableSymbol);
  if (!Step || Step->isZero())
    return false;
  Polynomial Rest = Access.Index.without(L.VariableSymbol);
  bool Steady = !Rest.usesAny([&](SymbolId Id) {
    SymbolKind Kind = K.Symbols[Id].Kind;
    return Kind != SymbolKind::Parameter && Kind != SymbolKind::Constant;
  });
  if (Steady)
    return Step->constant().has_value() || !Step->usesAny([&](SymbolId Id) {
      return K.Symbols[Id].Kind != SymbolKind::Parameter;
    });
  // `i * n + j` with j from 0 to n.
  for (const Loop *Inner = Access.InLoop; Inner && Inner != &L;
       Inner = Inner->Parent)
    if (Inner->Counted && Inner->Lower == Polynomial(0) &&
        Inner->Upper == *Step &&
        Rest == Polynomial::symbol(Inner->VariableSymbol))
      return true;
  return false;
}

/// A loop from the thread's number in steps of the whole grid, each iteration
/// of which is independent of who runs it.
static bool isIndependentGridStride(const Loop &L, unsigned Axis,
                                    const Kernel &K) {
  const SymbolTable &S = K.Symbols;
  auto Builtin = [&](SymbolKind Kind) {
    return Polynomial::symbol(S.builtin(Kind, Axis));
  };
  if (!L.Counted || !isa<ForStmt>(L.Statement) || L.HasEarlyExit ||
      !(L.StepForm ==
        Builtin(SymbolKind::BlockDim) * Builtin(SymbolKind::GridDim)) ||
      !(L.Lower ==
        Builtin(SymbolKind::BlockIdx) * Builtin(SymbolKind::BlockDim) +
            Builtin(SymbolKind::ThreadIdx)))
    return false;
  if (L.Upper.usesAny(
          [&](SymbolId Id) { return S[Id].Kind != SymbolKind::Parameter; }))
    return false;
  Contains Inside;
  Inside.TraverseStmt(const_cast<Stmt *>(L.Statement));
  for (const VarDecl *V : L.Assigned)
    if (!Inside.Variables.contains(V))
      return false;
  for (const MemoryAccess &Access : K.Accesses) {
    if (!Access.writes() || Access.Kind == AccessKind::Atomic ||
        !Access.InLoop || !Access.InLoop->isInside(&L))
      continue;
    const auto *Local = Access.Space == MemorySpace::Local
                            ? dyn_cast_or_null<VarDecl>(Access.Base)
                            : nullptr;
    if (Local ? !Inside.Variables.contains(Local) : !writesApart(Access, L, K))
      return false;
  }
  return true;
}

std::optional<std::array<GlobalIdAxis, 3>>
globalIds(const Kernel &K, const EditBuilder &Texts, std::string &Obstacle) {
  auto Uses = builtinUses(K, Texts, Obstacle);
  if (!Uses)
    return std::nullopt;
  auto No = [&](const char *Why) {
    Obstacle = Why;
    return std::nullopt;
  };
  const Stmt *Body = K.Function->getBody();
  Assignments Changes = Assignments::of(Body);
  IdFinder Ids(K, Changes);
  Ids.TraverseStmt(const_cast<Stmt *>(Body));
  for (const BuiltinUse &Use : *Uses)
    if (!Ids.Used.count(Use.Member))
      return No("thread or block indices are used by themselves");
  for (const DeclRefExpr *Mention : Ids.AliasMentions)
    if (!Ids.UsedAliases.contains(Mention))
      return No("thread or block indices are used by themselves");

  std::array<GlobalIdAxis, 3> Axes;
  for (const IdFinder::Number &N : Ids.Numbers)
    Axes[N.Axis].Extra = ExtraThreads::Unguarded;
  GuardAnalysis Guard(K, Ids, Changes);
  // Grid-stride loops: number and step serve nothing else.
  for (const auto &[Total, Axis] : Ids.Totals) {
    llvm::DenseSet<const Stmt *> Starts, Steps;
    for (const auto &L : K.Loops)
      if (isIndependentGridStride(*L, Axis, K)) {
        const auto *For = cast<ForStmt>(L->Statement);
        Guard.GridStrides[For] = Axis;
        Contains Start, Step;
        Start.TraverseStmt(const_cast<Stmt *>(For->getInit()));
        Step.TraverseStmt(const_cast<Expr *>(For->getInc()));
        Starts.insert(Start.All.begin(), Start.All.end());
        Steps.insert(Step.All.begin(), Step.All.end());
      }
    if (!servesOnly(Total, K, Changes, Steps))
      return No("the number of threads of the grid is used by itself");
    for (const IdFinder::Number &N : Ids.Numbers)
      if (N.Axis == Axis && (!N.Alone || !servesOnly(N.E, K, Changes, Starts)))
        return No("the number of a thread is used beside a grid-stride loop");
    Axes[Axis].Extra = ExtraThreads::GridStride;
  }
  GuardAnalysis::Bounds None;
  Guard.walk(Body, None);
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    if (Axes[Axis].Extra == ExtraThreads::GridStride && !Guard.Always[Axis])
      return No("threads do more than their share of a grid-stride loop");
    if (Axes[Axis].Extra == ExtraThreads::Unguarded && Guard.Always[Axis]) {
      Axes[Axis].Extra = ExtraThreads::Guarded;
      Axes[Axis].Bound = Guard.HasBound[Axis] ? Guard.Bound[Axis] : nullptr;
    }
  }
  return Axes;
}

} // namespace cudal1

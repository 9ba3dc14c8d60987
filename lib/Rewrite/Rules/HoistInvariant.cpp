//===- HoistInvariant.cpp - Compute what does not change once -------------===//
//
// An expression that has one value in every iteration of a loop is computed
// before it. The compiler hoists simple arithmetic itself; what it leaves in
// the loop are loads that a store might change, and maths functions that are
// more than straight-line code.
//
//===----------------------------------------------------------------------===//

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/ElementInLoop.h"
#include "cudal1/Rewrite/Guards.h"
#include "cudal1/Rewrite/Rule.h"
#include "cudal1/Rewrite/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// One invariant expression of a loop, with all its equals in the loop.
struct Invariant {
  const Loop *L = nullptr;
  std::vector<const Expr *> Occurrences;
  Finding Proof;
};

/// What makes an expression worth a variable of its own.
enum class Cost { Cheap, Division, Function, Memory };

/// Finds the invariant expressions of one loop.
class LoopScan {
public:
  LoopScan(const Kernel &K, const ProgramAnalysis &A, const StatementTree &Tree,
           const Loop &L)
      : K(K), A(A), Tree(Tree), L(L), Changed(variablesChangedIn(L.Statement)),
        Elements(elementsIn(K, Tree, L)) {
    // What has another name may be changed by it.
    Assignments All = Assignments::of(Tree.body());
    for (const ValueDecl *D : All.changed())
      if (const auto *V = dyn_cast<VarDecl>(D); V && V->hasLocalStorage())
        for (const Assignments::Change &C : All.changesOf(D))
          if (C.Escapes)
            Changed.insert(V);
  }

  std::vector<Invariant> find();

private:
  void visit(const Stmt *S, std::vector<Invariant> &Out);
  bool isInvariant(const Expr *E, Finding &Proof) const;
  bool breaksInvariance(const Stmt *S, const Expr *Whole) const;
  bool isStableLoad(const MemoryAccess &Access, Finding &Proof) const;
  bool feedsAddition(const Expr *E) const;
  Cost costOf(const Expr *E) const;
  bool mayRunEarly(const Invariant &I) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  const Loop &L;
  VariableSet Changed;
  std::vector<ElementInLoop> Elements;
};

/// A load whose value no iteration changes.
bool LoopScan::isStableLoad(const MemoryAccess &Access, Finding &Proof) const {
  for (const ElementInLoop &Element : Elements) {
    if (!llvm::is_contained(Element.Uses, &Access))
      continue;
    if (Element.isWritten())
      return false;
    Proof.merge(mayLiveInRegister(K, A, Tree, L, Element.Uses));
    return Proof.Legal;
  }
  return false;
}

/// A node that gives the expression another value in another iteration, or
/// that must not be executed more or fewer times than it is.
bool LoopScan::breaksInvariance(const Stmt *S, const Expr *Whole) const {
  if (const auto *Ref = dyn_cast<DeclRefExpr>(S)) {
    const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl());
    return Variable && (Changed.contains(Variable) ||
                        Variable->getType().isVolatileQualified() ||
                        Variable->getType()->isReferenceType());
  }
  const auto *Member = dyn_cast<MemberExpr>(S);
  const auto *Unary = dyn_cast<UnaryOperator>(S);
  if (isa<ArraySubscriptExpr>(S) || (Member && Member->isArrow()) ||
      (Unary && Unary->getOpcode() == UO_Deref))
    return llvm::none_of(K.Accesses, [&](const MemoryAccess &Access) {
      return Tree.contains(Access.Expression, S) &&
             Tree.contains(Whole, Access.Expression);
    });
  if (Member)
    return !isa<FieldDecl>(Member->getMemberDecl());
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    return !Callee || isa<CXXOperatorCallExpr, CXXMemberCallExpr>(Call) ||
           !isPureFunction(Callee);
  }
  if (Unary)
    return Unary->isIncrementDecrementOp() || Unary->getOpcode() == UO_AddrOf;
  if (const auto *Binary = dyn_cast<BinaryOperator>(S))
    return Binary->isAssignmentOp() || Binary->isCommaOp();
  return !isa<ParenExpr, CastExpr, IntegerLiteral, FloatingLiteral,
              CXXBoolLiteralExpr, PseudoObjectExpr, MSPropertyRefExpr,
              OpaqueValueExpr, ConditionalOperator,
              SubstNonTypeTemplateParmExpr, FullExpr>(S);
}

bool LoopScan::isInvariant(const Expr *E, Finding &Proof) const {
  if (!E->isPRValue() || !E->getType()->isArithmeticType() ||
      E->isValueDependent() || E->isEvaluatable(*K.Context) ||
      findIn(E, [&](const Stmt *S) { return breaksInvariance(S, E); }))
    return false;
  for (const MemoryAccess *Access : accessesIn(K, Tree, E)) {
    bool LocalValue = Access->Space == MemorySpace::Local &&
                      !Access->writes() &&
                      isa_and_nonnull<VarDecl>(Access->Base) &&
                      !Access->Base->getType()->isArrayType();
    if (!LocalValue && !isStableLoad(*Access, Proof))
      return false;
  }
  return true;
}

/// A product that is added to something may be contracted with the addition;
/// apart from it, it could be rounded on its own.
bool LoopScan::feedsAddition(const Expr *E) const {
  if (!E->getType()->isRealFloatingType())
    return false;
  const Expr *Value = E->IgnoreParenImpCasts();
  while (const auto *Unary = dyn_cast<UnaryOperator>(Value))
    Value = Unary->getSubExpr()->IgnoreParenImpCasts();
  if (isa<AbstractConditionalOperator>(Value))
    return true;
  const auto *Product = dyn_cast<BinaryOperator>(Value);
  if (!Product || Product->getOpcode() != BO_Mul)
    return false;
  const Stmt *Parent = Tree.parentOfValue(E);
  if (const auto *Binary = dyn_cast_or_null<BinaryOperator>(Parent))
    return !Binary->isMultiplicativeOp() && !Binary->isComparisonOp() &&
           Binary->getOpcode() != BO_MulAssign &&
           Binary->getOpcode() != BO_DivAssign;
  // A function of the author's may be inlined and add to it.
  const auto *Call = dyn_cast_or_null<CallExpr>(Parent);
  return !Call || llvm::none_of(K.MathCalls, [&](const MathCall &M) {
    return M.Call == Call;
  });
}

/// Functions that are one or two instructions.
static bool isCheapFunction(llvm::StringRef Name) {
  Name.consume_back("f");
  return Name.starts_with("__f") || Name.starts_with("__d") ||
         llvm::is_contained({"abs", "ceil", "copysign", "fabs", "floor", "fma",
                             "fmax", "fmin", "rint", "trunc", "__saturate"},
                            Name);
}

Cost LoopScan::costOf(const Expr *E) const {
  Cost Most = Cost::Cheap;
  findIn(E, [&](const Stmt *S) {
    if (const auto *Binary = dyn_cast<BinaryOperator>(S))
      if ((Binary->getOpcode() == BO_Div || Binary->getOpcode() == BO_Rem) &&
          !Binary->getRHS()->isEvaluatable(*K.Context))
        Most = std::max(Most, Cost::Division);
    if (const auto *Call = dyn_cast<CallExpr>(S);
        Call && Call->getType()->isRealFloatingType() &&
        llvm::any_of(K.MathCalls, [&](const MathCall &M) {
          return M.Call == Call && !isCheapFunction(M.Name);
        }))
      Most = std::max(Most, Cost::Function);
    return false;
  });
  // A load alone is scalar-replacement's.
  if (!isa<ArraySubscriptExpr, UnaryOperator, MemberExpr>(
          E->IgnoreParenImpCasts()) &&
      !accessesIn(K, Tree, E).empty())
    Most = std::max(Most, Cost::Memory);
  return Most;
}

/// Loads may fault, and a division by zero is undefined: before the loop they
/// may stand only where the loop is bound to execute them.
bool LoopScan::mayRunEarly(const Invariant &I) const {
  const Expr *E = I.Occurrences.front();
  bool Risky = !accessesIn(K, Tree, E).empty() || findIn(E, [&](const Stmt *S) {
    // A function of the author's may never end for what it is not meant for.
    if (const auto *Call = dyn_cast<CallExpr>(S))
      return classify(*Call->getDirectCallee()) != DeviceFunction::Pure;
    const auto *Binary = dyn_cast<BinaryOperator>(S);
    return Binary && Binary->getType()->isIntegerType() &&
           (Binary->getOpcode() == BO_Div || Binary->getOpcode() == BO_Rem) &&
           !Binary->getRHS()->isEvaluatable(*K.Context);
  });
  if (!Risky)
    return true;
  auto RunsOnce = [&](const Stmt *S) {
    const Loop *Inner = loopOf(K, S);
    return Inner && runsAtLeastOnce(K, Tree, *Inner);
  };
  return runsAtLeastOnce(K, Tree, L) &&
         llvm::any_of(I.Occurrences, [&](const Expr *Occurrence) {
           return Tree.alwaysRunsIn(Occurrence, L.Statement, RunsOnce);
         });
}

void LoopScan::visit(const Stmt *S, std::vector<Invariant> &Out) {
  if (!S || isa<LambdaExpr, UnaryExprOrTypeTraitExpr>(S))
    return;
  if (const auto *E = dyn_cast<Expr>(S)) {
    Finding Proof;
    // The cast of an invariant value is found at the value.
    if (!isa<ImplicitCastExpr, ParenExpr, FullExpr>(E) &&
        isInvariant(E, Proof) && !feedsAddition(E) &&
        costOf(E) != Cost::Cheap) {
      llvm::FoldingSetNodeID Id;
      E->Profile(Id, *K.Context, /*Canonical=*/true);
      for (Invariant &Known : Out) {
        llvm::FoldingSetNodeID Other;
        Known.Occurrences.front()->Profile(Other, *K.Context, true);
        if (Id == Other &&
            K.Context->hasSameType(Known.Occurrences.front()->getType(),
                                   E->getType()))
          return Known.Occurrences.push_back(E);
      }
      Out.push_back({&L, {E}, std::move(Proof)});
      return;
    }
  }
  if (isa<PseudoObjectExpr>(S))
    return;
  for (const Stmt *Child : S->children())
    visit(Child, Out);
}

std::vector<Invariant> LoopScan::find() {
  std::vector<Invariant> Result;
  if (!Tree.canDeclareBefore(L.Statement) ||
      spansDirective(*K.Context, L.Statement->getSourceRange()))
    return Result;
  visit(L.body(), Result);
  llvm::erase_if(Result, [&](const Invariant &I) { return !mayRunEarly(I); });
  return Result;
}

/// `sqrtX` for sqrt(x), `rowOffset` for an index over row, or what the value
/// is used for.
std::string invariantName(const Kernel &K, const Expr *E) {
  const Expr *Value = E->IgnoreParenImpCasts();
  llvm::StringRef First;
  findIn(Value, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (First.empty() && Ref && isa<VarDecl>(Ref->getDecl()) &&
        Ref->getDecl()->getDeclName().isIdentifier())
      First = Ref->getDecl()->getName();
    return false;
  });
  if (const auto *Call = dyn_cast<CallExpr>(Value)) {
    llvm::StringRef Function = Call->getDirectCallee()->getName().ltrim('_');
    Function.consume_back("f");
    return freshName(K.Function, joinWords(K, {Function, First}));
  }
  const auto *Binary = dyn_cast<BinaryOperator>(Value);
  if (E->getType()->isIntegerType()) {
    llvm::StringRef Word = Binary && Binary->getOpcode() == BO_Div ? "quotient"
                           : Binary && Binary->getOpcode() == BO_Rem ? "rest"
                                                                     : "offset";
    return freshName(K.Function, joinWords(K, {First, Word}));
  }
  return freshName(K.Function, Binary && Binary->isMultiplicativeOp()
                                   ? "factor"
                                   : joinWords(K, {First, "term"}));
}

/// The expression with the parentheses around it, which a name needs no more.
const Expr *withParentheses(const StatementTree &Tree, const Expr *E) {
  while (const auto *Paren = dyn_cast_or_null<ParenExpr>(Tree.parent(E)))
    E = Paren;
  return E;
}

llvm::Expected<Edit> hoist(const Kernel &K, const ProgramAnalysis &A,
                           const StatementTree &Tree, const Invariant &I) {
  const Expr *E = I.Occurrences.front();
  EditBuilder Builder(A.program(), Side::Device);
  std::string Name = invariantName(K, E);
  std::string Text = spellOnOneLine(E->IgnoreParens(), *K.Context);
  if (Text.empty())
    Builder.fail("the expression is made by a macro");
  // Instantiations of a template may give it different types.
  std::string Type = K.IsTemplate
                         ? "auto"
                         : E->getType().getUnqualifiedType().getAsString(
                               PrintingPolicy(K.Context->getLangOpts()));
  for (const Expr *Occurrence : I.Occurrences)
    Builder.replace(withParentheses(Tree, Occurrence)->getSourceRange(), Name);
  Builder.insertAround(I.L->Statement,
                       "const " + Type + " " + Name + " = " + Text + ";", "");
  return Builder.finish();
}

class HoistInvariant : public Rule {
public:
  llvm::StringRef name() const override { return "hoist-invariant"; }
  llvm::StringRef summary() const override {
    return "Computes an expression that a loop does not change once, before "
           "the loop.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

} // namespace

void HoistInvariant::findSites(const Kernel &K, const ProgramAnalysis &A,
                               std::vector<Site> &Out) const {
  auto Shared = std::make_shared<StatementTree>(K);
  const StatementTree &Tree = *Shared;
  llvm::SmallPtrSet<const Expr *, 16> Taken;
  for (const auto &L : K.Loops) {
    if (!isa<ForStmt, WhileStmt, DoStmt>(L->Statement))
      continue;
    for (Invariant &I : LoopScan(K, A, Tree, *L).find()) {
      // An outer loop has it already.
      if (llvm::any_of(I.Occurrences,
                       [&](const Expr *E) { return Taken.contains(E); }))
        continue;
      if (llvm::Expected<Edit> Trial = hoist(K, A, Tree, I); !Trial) {
        llvm::consumeError(Trial.takeError());
        continue;
      }
      Taken.insert(I.Occurrences.begin(), I.Occurrences.end());
      const Expr *E = I.Occurrences.front();
      Site S = siteAt(*this, K, A, E->getBeginLoc());
      S.Subject = spellOnOneLine(E, *K.Context);
      S.Description = "compute " + S.Subject + " before the loop";
      S.Evidence = I.Proof.Evidence;
      S.Evidence.push_back("no operand changes in the loop");
      S.Condition = llvm::join(I.Proof.Conditions, "; ");
      S.LoopDepth = L->Depth;
      S.Apply = [&K, &A, Shared, I](const RewriteParams &) {
        return hoist(K, A, *Shared, I);
      };
      Out.push_back(std::move(S));
    }
  }
}

std::unique_ptr<Rule> createHoistInvariantRule() {
  return std::make_unique<HoistInvariant>();
}

} // namespace cudal1

//===- ScalarReplacement.cpp - Keep an element in a register --------------===//
//
// A global or shared element that a loop accumulates or reads again is kept in
// a register: loaded before the loop, stored after it. The compiler may not do
// this itself where another pointer could name the same memory.
//
//===----------------------------------------------------------------------===//

#include "cudal1/Analysis/Assignments.h"
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

/// A rewrite that was found legal.
struct Plan {
  ElementInLoop Element;
  Finding Proof;
  /// The element as written: `C[row * n + col]`.
  std::string Text;
  /// `C[i] = 0;` or `C[i] *= beta;` before the loop, which becomes the first
  /// value of the register; null when the element is loaded.
  const BinaryOperator *FirstValue = nullptr;
  /// Condition under which the loop makes an iteration; empty where an access
  /// before and after it is right in any case.
  std::string RunsCondition;
};

/// An operand of a comparison, which binds less than arithmetic.
std::string spellCompared(const Expr *E, const ASTContext &Context) {
  const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreImpCasts());
  bool Binds = Binary && !E->getBeginLoc().isMacroID() &&
               !E->getEndLoc().isMacroID() &&
               (Binary->isAdditiveOp() || Binary->isMultiplicativeOp());
  return Binds ? spellOnOneLine(E, Context) : spellOperand(E, Context);
}

/// \p E has one value before, in and after the loop.
bool staysTheSame(const Kernel &K, const Expr *E, const Loop &L) {
  Assignments Changes = Assignments::of(K.Function->getBody());
  VariableSet ChangedIn = variablesChangedIn(L.Statement);
  return !E->HasSideEffects(*K.Context) &&
         llvm::none_of(variablesReadIn(E), [&](const VarDecl *V) {
           return ChangedIn.contains(V) || V->getType().isVolatileQualified() ||
                  V->getType()->isReferenceType() ||
                  llvm::any_of(
                      Changes.changesOf(V),
                      [](const Assignments::Change &C) { return C.Escapes; });
         });
}

/// `n > 0` for `for (int k = 0; k < n; ...)`: what decides whether the loop
/// makes an iteration, as an expression that is right before and after it.
std::string runsCondition(const Kernel &K, const Loop &L) {
  const ASTContext &Context = *K.Context;
  const auto *For = dyn_cast<ForStmt>(L.Statement);
  if (!For || !L.Counted || !For->getCond())
    return "";
  const auto *Comparison =
      dyn_cast<BinaryOperator>(For->getCond()->IgnoreParenImpCasts());
  if (!Comparison || !Comparison->isRelationalOp())
    return "";
  const Expr *Bound = Comparison->getRHS();
  const auto *Variable =
      dyn_cast<DeclRefExpr>(Comparison->getLHS()->IgnoreParenImpCasts());
  const Expr *Start = nullptr;
  if (const auto *Decls = dyn_cast_or_null<DeclStmt>(For->getInit())) {
    if (Decls->isSingleDecl() && Decls->getSingleDecl() == L.Variable)
      Start = L.Variable->getInit();
  } else if (const auto *Assign =
                 dyn_cast_or_null<BinaryOperator>(For->getInit())) {
    const auto *Target = dyn_cast<DeclRefExpr>(Assign->getLHS());
    if (Assign->getOpcode() == BO_Assign && Target &&
        Target->getDecl() == L.Variable)
      Start = Assign->getRHS();
  }
  if (!Variable || Variable->getDecl() != L.Variable || !Start ||
      !staysTheSame(K, Start, L) || !staysTheSame(K, Bound, L) ||
      !K.isInvariantIn(L.Lower, L))
    return "";
  // Without the variable the comparison must still be made in its type.
  QualType Type = Comparison->getLHS()->getType();
  QualType BoundType = Bound->IgnoreParenImpCasts()->getType();
  QualType StartType = Start->IgnoreParenImpCasts()->getType();
  std::optional<int64_t> Constant = L.Lower.constant();
  if (!Context.hasSameUnqualifiedType(Type, BoundType) ||
      !(Context.hasSameUnqualifiedType(Type, StartType) ||
        (Constant && *Constant >= 0)))
    return "";
  std::string From = spellCompared(Start, Context);
  std::string To = spellCompared(Bound, Context);
  if (From.empty() || To.empty())
    return "";
  if (!Constant)
    return From + " " + Comparison->getOpcodeStr().str() + " " + To;
  auto Swapped = BinaryOperator::reverseComparisonOp(Comparison->getOpcode());
  return To + " " + BinaryOperator::getOpcodeStr(Swapped).str() + " " + From;
}

class Planner {
public:
  Planner(const Kernel &K, const ProgramAnalysis &A) : K(K), A(A), Tree(K) {}

  std::vector<Plan> plans() const;
  llvm::Expected<Edit> edit(const Plan &P) const;
  const Kernel &kernel() const { return K; }

private:
  std::optional<Plan> planFor(ElementInLoop Element) const;
  bool isWorthwhile(const ElementInLoop &Element) const;
  bool textHoldsOutside(const ElementInLoop &Element) const;
  bool leavesProperly(const ElementInLoop &Element) const;
  bool isWaiting(const Loop &L) const;
  bool proveAccess(Plan &P) const;
  const BinaryOperator *firstValue(const ElementInLoop &Element) const;
  std::string registerName(const Plan &P) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  StatementTree Tree;
};

/// Without a write to memory in the loop the compiler keeps the value itself.
bool Planner::isWorthwhile(const ElementInLoop &Element) const {
  if (Element.isWritten())
    return Element.isRead();
  if (Element.L->HasBarrier || !callsLeaveMemoryAlone(K, Element.L->Statement))
    return true;
  return llvm::any_of(accessesIn(K, Tree, Element.L->Statement),
                      [](const MemoryAccess *Access) {
                        return Access->writes() &&
                               Access->Space != MemorySpace::Local;
                      });
}

/// The text of the element means the same before and after the loop.
bool Planner::textHoldsOutside(const ElementInLoop &Element) const {
  VariableSet Changed = variablesChangedIn(Element.L->Statement);
  return llvm::none_of(
      variablesReadIn(Element.first().Expression), [&](const VarDecl *V) {
        return V != Element.first().Base && Changed.contains(V);
      });
}

/// A store after the loop is reached on every way out of it.
bool Planner::leavesProperly(const ElementInLoop &Element) const {
  return !Element.isWritten() || !mayLeaveFunctionOrJump(Element.L->Statement);
}

/// A loop whose end is decided by memory alone may wait for another thread.
bool Planner::isWaiting(const Loop &L) const {
  const Stmt *Condition = nullptr;
  if (const auto *For = dyn_cast<ForStmt>(L.Statement))
    Condition = For->getCond();
  else if (const auto *While = dyn_cast<WhileStmt>(L.Statement))
    Condition = While->getCond();
  else if (const auto *Do = dyn_cast<DoStmt>(L.Statement))
    Condition = Do->getCond();
  if (L.Counted || !Condition)
    return !L.Counted;
  if (accessesIn(K, Tree, Condition).empty())
    return false;
  VariableSet Changed = variablesChangedIn(L.Statement);
  return llvm::none_of(variablesReadIn(Condition), [&](const VarDecl *V) {
    return Changed.contains(V) && V->getType()->isIntegerType();
  });
}

/// `C[i] = value;` or `C[i] *= value;` right before the loop, with nothing but
/// declarations that touch no memory in between.
const BinaryOperator *Planner::firstValue(const ElementInLoop &Element) const {
  for (const Stmt *S : Tree.before(Element.L->Statement)) {
    if (isa<DeclStmt>(S)) {
      if (!accessesIn(K, Tree, S).empty() || !callsLeaveMemoryAlone(K, S))
        return nullptr;
      continue;
    }
    const auto *Binary = dyn_cast<BinaryOperator>(S);
    if (!Binary || !Binary->isAssignmentOp())
      return nullptr;
    const Expr *Target = Binary->getLHS()->IgnoreParens();
    for (const MemoryAccess &Access : K.Accesses)
      if (Access.Expression == Target)
        return isSameElement(K, Access, Element.first()) &&
                       callsLeaveMemoryAlone(K, S)
                   ? Binary
                   : nullptr;
    return nullptr;
  }
  return nullptr;
}

/// The load before the loop, and the store after it, touch only what the
/// original is bound to touch.
bool Planner::proveAccess(Plan &P) const {
  bool Written = P.Element.isWritten();
  if (P.FirstValue) {
    P.Proof.addEvidence("the statement before the loop writes " + P.Text);
    return true;
  }
  if (isAccessedNearby(K, Tree, P.Element, Written)) {
    P.Proof.addEvidence("a statement next to the loop accesses " + P.Text +
                        " in any case");
    return true;
  }
  if (!Written && isReadOnEntry(Tree, P.Element)) {
    P.Proof.addEvidence("the loop reads " + P.Text + " before it begins");
    return true;
  }
  if (!alwaysAccesses(K, Tree, P.Element, Written))
    return false;
  if (runsAtLeastOnce(K, Tree, *P.Element.L)) {
    P.Proof.addEvidence("the loop runs at least once");
    return true;
  }
  P.RunsCondition = runsCondition(K, *P.Element.L);
  P.Proof.addEvidence("the accesses are made only if the loop runs");
  return !P.RunsCondition.empty();
}

std::optional<Plan> Planner::planFor(ElementInLoop Element) const {
  const Loop &L = *Element.L;
  if (!isWorthwhile(Element) || !textHoldsOutside(Element) ||
      !leavesProperly(Element) || isWaiting(L) ||
      !Tree.canDeclareBefore(L.Statement) ||
      spansDirective(*K.Context, L.Statement->getSourceRange()))
    return std::nullopt;
  Plan P;
  P.Element = std::move(Element);
  P.Text = spellOnOneLine(P.Element.first().Expression, *K.Context);
  if (P.Text.empty())
    return std::nullopt;
  P.Proof = mayLiveInRegister(K, A, Tree, L, P.Element.Uses);
  if (!P.Proof.Legal)
    return std::nullopt;
  if (P.Element.isWritten())
    P.FirstValue = firstValue(P.Element);
  if (P.FirstValue && spansDirective(*K.Context, {P.FirstValue->getBeginLoc(),
                                                  L.Statement->getEndLoc()}))
    P.FirstValue = nullptr;
  if (!proveAccess(P))
    return std::nullopt;
  return P;
}

/// `sum` for a value that is added to, or a name after the array.
std::string Planner::registerName(const Plan &P) const {
  std::string Array = plainName(P.Element.first().Base);
  llvm::StringRef Word = "value";
  for (const MemoryAccess *Use : P.Element.Uses) {
    const auto *Parent =
        dyn_cast_or_null<BinaryOperator>(Tree.parentOfValue(Use->Expression));
    if (!Use->writes() || !Parent)
      continue;
    const Expr *Value = Parent->getRHS()->IgnoreParenImpCasts();
    const auto *Operator = dyn_cast<BinaryOperator>(Value);
    BinaryOperatorKind Kind = Parent->getOpcode();
    if (Kind == BO_Assign && Operator)
      Kind = Operator->getOpcode();
    if (Kind == BO_AddAssign || Kind == BO_SubAssign || Kind == BO_Add ||
        Kind == BO_Sub)
      Word = "sum";
    else if (Kind == BO_MulAssign || Kind == BO_Mul)
      Word = "product";
  }
  if (Word != "value" && freshName(K.Function, Word) == Word)
    return Word.str();
  return freshName(K.Function, joinWords(K, {Array, Word}));
}

/// The first value of the register and the operator of `C[i] *= beta;`.
std::string firstValueText(const BinaryOperator *Assign,
                           const ASTContext &Context) {
  if (!Assign->isCompoundAssignmentOp())
    return spell(Assign->getRHS(), Context);
  auto Kind = BinaryOperator::getOpForCompoundAssignment(Assign->getOpcode());
  return spellOnOneLine(Assign->getLHS(), Context) + " " +
         BinaryOperator::getOpcodeStr(Kind).str() + " " +
         spellOperand(Assign->getRHS(), Context);
}

llvm::Expected<Edit> Planner::edit(const Plan &P) const {
  const ASTContext &Context = *K.Context;
  const MemoryAccess &First = P.Element.first();
  EditBuilder Builder(A.program(), Side::Device);
  std::string Name = registerName(P);
  const ValueDecl *Spelled = First.Base;
  if (const auto *Member =
          dyn_cast<MemberExpr>(First.Expression->IgnoreParens()))
    Spelled = Member->getMemberDecl();
  std::string Type =
      spellElementType(Spelled, First.Expression->getType(), Context);
  std::string Before = Type + " " + Name + " = ", After;
  if (!P.Element.isWritten())
    Before = "const " + Before;
  else
    After = P.Text + " = " + Name + ";";
  if (P.RunsCondition.empty()) {
    Before += P.Text + ";";
  } else {
    Before += P.RunsCondition + " ? " + P.Text + " : " +
              spellZero(First.Expression->getType(), Type) + ";";
    if (!After.empty())
      After = "if (" + P.RunsCondition + ") " + After;
  }
  for (const MemoryAccess *Use : P.Element.Uses)
    Builder.replace(Use->Expression->getSourceRange(), Name);
  if (P.FirstValue) {
    Builder.replace(P.FirstValue->getSourceRange(),
                    Type + " " + Name + " = " +
                        firstValueText(P.FirstValue, Context));
    Builder.insertLinesAfter(P.Element.L->Statement, After);
  } else {
    Builder.insertAround(P.Element.L->Statement, Before, After);
  }
  return Builder.finish();
}

/// For each element the outermost loop where it is proved, or else the
/// outermost where a run can tell.
std::vector<Plan> Planner::plans() const {
  std::vector<Plan> Result;
  auto Shares = [](const Plan &P, const Plan &Other) {
    return llvm::is_contained(Other.Element.Uses, P.Element.Uses.front()) ||
           llvm::is_contained(P.Element.Uses, Other.Element.Uses.front());
  };
  for (const auto &L : K.Loops) {
    if (!isa<ForStmt, WhileStmt, DoStmt>(L->Statement))
      continue;
    for (ElementInLoop &Element : elementsIn(K, Tree, *L)) {
      std::optional<Plan> New = planFor(std::move(Element));
      if (!New)
        continue;
      llvm::Expected<Edit> Trial = edit(*New);
      if (!Trial) {
        llvm::consumeError(Trial.takeError());
        continue;
      }
      auto Outer =
          llvm::find_if(Result, [&](const Plan &P) { return Shares(P, *New); });
      if (Outer == Result.end())
        Result.push_back(std::move(*New));
      else if (!Outer->Proof.proved() && New->Proof.proved())
        *Outer = std::move(*New);
    }
  }
  return Result;
}

class ScalarReplacementRule : public Rule {
public:
  llvm::StringRef name() const override { return "scalar-replacement"; }
  llvm::StringRef summary() const override {
    return "Keeps an array element that a loop accumulates or reads again in a "
           "register.";
  }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;
};

void ScalarReplacementRule::findSites(const Kernel &K, const ProgramAnalysis &A,
                                      std::vector<Site> &Out) const {
  if (!K.Editable || !K.Function->getBody())
    return;
  auto Shared = std::make_shared<Planner>(K, A);
  for (Plan &P : Shared->plans()) {
    const SourceManager &SM = A.program().sources(Side::Device);
    SourceLocation LoopBegin =
        SM.getFileLoc(P.Element.L->Statement->getBeginLoc());
    Site S = siteAt(*this, K, A, P.Element.first().Expression->getBeginLoc());
    // Instantiations of one template must agree on the form of the edit.
    S.Subject = P.Text + (P.RunsCondition.empty() ? "" : ", if the loop runs");
    S.Description = "keep " + P.Text + " in a register over the loop at line " +
                    std::to_string(SM.getSpellingLineNumber(LoopBegin));
    S.Evidence = P.Proof.Evidence;
    S.Condition = llvm::join(P.Proof.Conditions, "; ");
    S.LoopDepth = P.Element.L->Depth;
    S.Apply = [Shared, P = std::move(P)](const RewriteParams &) {
      return Shared->edit(P);
    };
    Out.push_back(std::move(S));
  }
}

} // namespace

std::unique_ptr<Rule> createScalarReplacementRule() {
  return std::make_unique<ScalarReplacementRule>();
}

} // namespace cudal1

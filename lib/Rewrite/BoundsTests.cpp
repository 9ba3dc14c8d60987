//===- BoundsTests.cpp - Tests that hold in all iterations or not ---------===//

#include "BoundsTests.h"

#include "IntegerRange.h"
#include "cudal1/Analysis/BuiltinVariables.h"
#include "cudal1/Rewrite/Guards.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Text of an expression, and how tightly it binds.
struct Operand {
  enum Binding { Loose, Sum, Product, Primary };
  std::string Text;
  Binding Binds = Primary;

  std::string asOperandOf(Binding Operator) const {
    return Binds >= Operator ? Text : "(" + Text + ")";
  }
  /// `-3`, `-RADIUS`
  bool isNegated() const { return Binds == Product && Text.front() == '-'; }
};

/// The values of one loop's variable, least and greatest, as text.
struct Extremes {
  const Loop *L = nullptr;
  Operand Least, Most;
};

class TestFinder {
public:
  TestFinder(const Kernel &K, const StatementTree &Tree,
             const Assignments &Changes, const Loop &Root)
      : K(K), Tree(Tree), Changes(Changes), Root(Root),
        Changed(variablesChangedIn(Root.Statement)) {
    Result.Root = &Root;
  }

  BoundsTests find() {
    visitLoop(Root);
    return std::move(Result);
  }

private:
  bool visit(const Stmt *S);
  void visitLoop(const Loop &L);
  bool visitIf(const IfStmt *If);
  void visitExpression(const Stmt *S);
  bool addTest(BoundsTest Test, const Expr *Condition);
  std::optional<std::string> decided(const BinaryOperator *Comparison,
                                     bool Negated);
  std::optional<bool> growsIn(const Polynomial &Difference,
                              const Loop &L) const;
  std::optional<Extremes> extremesOf(const Loop &L) const;

  std::optional<Operand> text(const Expr *E) const;
  std::optional<Operand> textOfSum(const BinaryOperator *Op) const;
  std::optional<Operand> fixedText(const Expr *E) const;
  bool isFixed(const Expr *E) const;
  bool isSubstituted(const Stmt *S) const;

  const Kernel &K;
  const StatementTree &Tree;
  const Assignments &Changes;
  const Loop &Root;
  VariableSet Changed;
  BoundsTests Result;
  /// Loops around the present statement, outermost first.
  std::vector<Extremes> Loops;
  /// What each loop's variable stands for in text().
  llvm::DenseMap<const VarDecl *, Operand> Values;
};

} // namespace

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A local variable of the loop's body that keeps its first value.
static bool isTemporary(const VarDecl *V, const VariableSet &Changed,
                        const Assignments &Changes) {
  return V->isLocalVarDecl() && V->hasLocalStorage() && V->getInit() &&
         Changed.contains(V) && !Changes.isAssigned(V) &&
         !V->getType()->isReferenceType() &&
         !V->getType().isVolatileQualified();
}

static bool isSignedInteger(QualType T) {
  return T->isSignedIntegerType() && !T->isEnumeralType();
}

bool TestFinder::isSubstituted(const Stmt *S) const {
  return findIn(S, [&](const Stmt *Part) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Part);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && Changed.contains(V);
  });
}

/// Evaluated before the loop it gives what it gives in it, without an access
/// to memory.
bool TestFinder::isFixed(const Expr *E) const {
  return !E->HasSideEffects(*K.Context) && !isSubstituted(E) &&
         !findIn(E, [&](const Stmt *S) {
           const auto *Part = dyn_cast<Expr>(S);
           const auto *Ref = dyn_cast<DeclRefExpr>(S);
           const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
           const auto *Op = dyn_cast<UnaryOperator>(S);
           if (Part && asBuiltinVariable(Part))
             return false;
           return isa<CallExpr, ArraySubscriptExpr, LambdaExpr, CXXThisExpr,
                      AbstractConditionalOperator>(S) ||
                  (Op && Op->getOpcode() == UO_Deref) ||
                  (V && ((!V->hasLocalStorage() && !V->isConstexpr() &&
                          !V->getType().isConstQualified()) ||
                         V->getType().isVolatileQualified() ||
                         V->getType()->isReferenceType()));
         });
}

/// The text of an expression that the loop does not change.
std::optional<Operand> TestFinder::fixedText(const Expr *E) const {
  if (!isFixed(E))
    return std::nullopt;
  const SourceManager &SM = K.Context->getSourceManager();
  CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(E->getSourceRange()), SM,
      K.Context->getLangOpts());
  if (Range.isInvalid())
    return std::nullopt;
  Operand Result;
  Result.Text = Lexer::getSourceText(Range, SM, K.Context->getLangOpts()).str();
  if (Result.Text.empty() ||
      Result.Text.find_first_of("\n/\"") != std::string::npos)
    return std::nullopt;
  const Expr *Plain = E->IgnoreImpCasts();
  if (const auto *Op = dyn_cast<BinaryOperator>(Plain))
    Result.Binds = Op->isMultiplicativeOp() ? Operand::Product
                   : Op->isAdditiveOp()     ? Operand::Sum
                                            : Operand::Loose;
  else if (isa<UnaryOperator, CStyleCastExpr>(Plain))
    Result.Binds = Operand::Product;
  return Result;
}

std::optional<Operand> TestFinder::textOfSum(const BinaryOperator *Op) const {
  auto Left = text(Op->getLHS()), Right = text(Op->getRHS());
  if (!Left || !Right)
    return std::nullopt;
  if (Op->getOpcode() == BO_Mul)
    return Operand{Left->asOperandOf(Operand::Product) + " * " +
                       Right->asOperandOf(Operand::Primary),
                   Operand::Product};
  bool Adds = Op->getOpcode() == BO_Add;
  if (Right->Text == "0")
    return Left;
  if (Adds && Left->Text == "0")
    return Right;
  if (Right->isNegated()) {
    Adds = !Adds;
    Right->Text.erase(0, 1);
  }
  return Operand{Left->asOperandOf(Operand::Sum) + (Adds ? " + " : " - ") +
                     Right->asOperandOf(Operand::Product),
                 Operand::Sum};
}

/// \p E with Values in place of the loops' variables: sums and products in
/// signed arithmetic, so that it grows or falls as its form says.
std::optional<Operand> TestFinder::text(const Expr *E) const {
  const Expr *Plain = E->IgnoreParens();
  if (!isSubstituted(Plain)) {
    auto Fixed = fixedText(Plain);
    return Fixed && isSignedInteger(Plain->getType()) ? Fixed : std::nullopt;
  }
  if (!isSignedInteger(Plain->getType()))
    return std::nullopt;
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Plain)) {
    const Expr *Inner = Cast->getSubExpr();
    if (Cast->getCastKind() == CK_LValueToRValue ||
        Cast->getCastKind() == CK_NoOp)
      return text(Inner);
    // Widening.
    if (Cast->getCastKind() == CK_IntegralCast &&
        isSignedInteger(Inner->getType()) &&
        K.Context->getTypeSize(Inner->getType()) <=
            K.Context->getTypeSize(Cast->getType()))
      return text(Inner);
    return std::nullopt;
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Plain)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (auto It = Values.find(V); It != Values.end())
      return It->second;
    // The type of the temporary could hold less than its first value.
    if (V && isTemporary(V, Changed, Changes) &&
        K.Context->hasSameUnqualifiedType(
            V->getType(), V->getInit()->IgnoreImpCasts()->getType()))
      return text(V->getInit());
    return std::nullopt;
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(Plain);
      Op && Op->getOpcode() == UO_Minus) {
    auto Inner = text(Op->getSubExpr());
    if (!Inner)
      return std::nullopt;
    return Operand{"-" + Inner->asOperandOf(Operand::Primary),
                   Operand::Product};
  }
  const auto *Op = dyn_cast<BinaryOperator>(Plain);
  if (!Op || (!Op->isAdditiveOp() && Op->getOpcode() != BO_Mul))
    return std::nullopt;
  return textOfSum(Op);
}

//===----------------------------------------------------------------------===//
// Loops and comparisons
//===----------------------------------------------------------------------===//

/// A start or bound as written, if its type lets it stand for the variable's
/// value; else its value.
static std::optional<Operand> valueText(std::optional<Operand> Written,
                                        const Expr *E,
                                        std::optional<int64_t> Value,
                                        QualType Type, const ASTContext &C) {
  const Expr *Plain = E ? E->IgnoreParenImpCasts() : nullptr;
  if (Written && Plain && C.hasSameUnqualifiedType(Plain->getType(), Type))
    return Written;
  // A number is an int: in place of a wider variable it could wrap around.
  if (!Value || C.getTypeSize(Type) > C.getTypeSize(C.IntTy))
    return std::nullopt;
  return Operand{std::to_string(*Value),
                 *Value < 0 ? Operand::Product : Operand::Primary};
}

/// The extreme values of the variable of \p L, which counts upwards, makes at
/// least one iteration, and has bounds that the root does not change.
std::optional<Extremes> TestFinder::extremesOf(const Loop &L) const {
  auto Parts = partsOf(L);
  if (!Parts || !L.Step || *L.Step < 1 ||
      !isSignedInteger(L.Variable->getType()) ||
      !isSignedInteger(Parts->Condition->getLHS()->getType()) ||
      !K.isInvariantIn(L.Lower, Root) || !K.isInvariantIn(L.Upper, Root) ||
      !runsAtLeastOnce(K, Tree, L))
    return std::nullopt;
  BinaryOperatorKind Kind = Parts->Condition->getOpcode();
  bool Inclusive = Kind == BO_LE || Kind == BO_GE;
  std::optional<int64_t> First = L.Lower.constant(), Last;
  if (First && L.TripCount)
    Last = *First + int64_t(*L.TripCount - 1) * *L.Step;
  if (!Last && *L.Step != 1)
    return std::nullopt;
  QualType Type = L.Variable->getType();
  auto Least =
      valueText(fixedText(Parts->Start), Parts->Start, First, Type, *K.Context);
  auto Bound = *L.Step == 1 ? fixedText(Parts->Bound) : std::nullopt;
  // Below a plain number is another one.
  if (Bound && !Inclusive &&
      isa<IntegerLiteral>(Parts->Bound->IgnoreParenImpCasts()) && Last)
    Bound = std::nullopt;
  if (Bound && !Inclusive)
    Bound = Operand{Bound->asOperandOf(Operand::Sum) + " - 1", Operand::Sum};
  auto Most = valueText(Bound, Parts->Bound, Last, Type, *K.Context);
  if (!Least || !Most)
    return std::nullopt;
  return Extremes{&L, *Least, *Most};
}

/// Whether \p Difference grows with the variable of \p L (else it falls);
/// nothing when it does neither in a way that is known.
std::optional<bool> TestFinder::growsIn(const Polynomial &Difference,
                                        const Loop &L) const {
  auto Slope = Difference.coefficientOf(L.VariableSymbol);
  auto Value = Slope ? Slope->constant() : std::nullopt;
  if (!Value || Difference.degreeIn(L.VariableSymbol) > 1)
    return std::nullopt;
  return *Value >= 0;
}

/// The text of \p Comparison (or its opposite) for the values of the loops'
/// variables for which it is least likely to hold.
std::optional<std::string> TestFinder::decided(const BinaryOperator *Comparison,
                                               bool Negated) {
  if (!Comparison->isRelationalOp() ||
      !isSignedInteger(Comparison->getLHS()->getType()) ||
      !isSignedInteger(Comparison->getRHS()->getType()))
    return std::nullopt;
  const Polynomial *Left = K.formOf(Comparison->getLHS());
  const Polynomial *Right = K.formOf(Comparison->getRHS());
  if (!Left || !Right)
    return std::nullopt;
  BinaryOperatorKind Kind = Comparison->getOpcode();
  if (Negated)
    Kind = BinaryOperator::negateComparisonOp(Kind);
  // Holds the more, the greater Slack is.
  bool WantsLarge = Kind == BO_GT || Kind == BO_GE;
  Polynomial Slack = WantsLarge ? *Left - *Right : *Right - *Left;
  Polynomial Fixed = Slack;
  Values.clear();
  for (const Extremes &E : Loops) {
    auto Grows = growsIn(Slack, *E.L);
    if (!Grows)
      return std::nullopt;
    Values[E.L->Variable] = *Grows ? E.Least : E.Most;
    Fixed = Fixed.without(E.L->VariableSymbol);
  }
  auto DependsOnLoop = [&](SymbolId Id) {
    return llvm::any_of(Loops, [&](const Extremes &E) {
      return K.Symbols.dependsOn(Id, E.L->VariableSymbol);
    });
  };
  if (!K.isInvariantIn(Fixed, Root) || Fixed.usesAny(DependsOnLoop))
    return std::nullopt;
  auto LeftText = text(Comparison->getLHS());
  auto RightText = text(Comparison->getRHS());
  if (!LeftText || !RightText)
    return std::nullopt;
  return LeftText->asOperandOf(Operand::Sum) + " " +
         BinaryOperator::getOpcodeStr(Kind).str() + " " +
         RightText->asOperandOf(Operand::Sum);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The operands of a chain of `&&`, or of `||`.
static void operandsOf(const Expr *E, BinaryOperatorKind Kind,
                       std::vector<const Expr *> &Out) {
  const auto *Op = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  if (Op && Op->getOpcode() == Kind) {
    operandsOf(Op->getLHS(), Kind, Out);
    operandsOf(Op->getRHS(), Kind, Out);
    return;
  }
  Out.push_back(E);
}

/// Notes \p Test with what of \p Condition can be decided; true when nothing
/// is left of it.
bool TestFinder::addTest(BoundsTest Test, const Expr *Condition) {
  std::vector<const Expr *> Operands;
  operandsOf(Condition, Test.Continues ? BO_LOr : BO_LAnd, Operands);
  for (const Expr *Part : Operands) {
    const auto *Comparison =
        dyn_cast<BinaryOperator>(Part->IgnoreParenImpCasts());
    auto Text = Comparison && Test.Rest.empty()
                    ? decided(Comparison, Test.Continues)
                    : std::nullopt;
    if (!Text) {
      Test.Rest.push_back(Part);
      continue;
    }
    Test.Decided.push_back(Comparison);
    if (!llvm::is_contained(Result.Conditions, *Text))
      Result.Conditions.push_back(*Text);
  }
  if (Test.Decided.empty())
    return false;
  bool Whole = Test.Rest.empty();
  Result.Tests.push_back(std::move(Test));
  for (const Extremes &E : Loops)
    if (!llvm::is_contained(Result.Variables, E.L->Variable->getName()))
      Result.Variables.push_back(E.L->Variable->getNameAsString());
  return Whole;
}

static const Stmt *onlyStatement(const Stmt *S) {
  const auto *Block = dyn_cast<CompoundStmt>(S);
  return Block && Block->size() == 1 ? onlyStatement(Block->body_front()) : S;
}

/// True when what follows the statement is reached in each iteration.
bool TestFinder::visitIf(const IfStmt *If) {
  bool Jumps = findIn(If, [](const Stmt *S) { return isa<ContinueStmt>(S); });
  if (If->hasInitStorage() || If->hasVarStorage() || If->isConsteval() ||
      If->isConstexpr())
    return !Jumps;
  BoundsTest Test;
  Test.Where = If;
  if (isa<ContinueStmt>(onlyStatement(If->getThen()))) {
    Test.Continues = true;
    return !If->getElse() && addTest(Test, If->getCond());
  }
  if (addTest(Test, If->getCond()))
    return visit(If->getThen()) && !Jumps;
  return !Jumps;
}

/// `inside ? a[i] : 0`, evaluated whenever \p S is.
void TestFinder::visitExpression(const Stmt *S) {
  if (!S || isa<LambdaExpr, StmtExpr>(S))
    return;
  if (const auto *Choice = dyn_cast<ConditionalOperator>(S)) {
    const Expr *Value = Choice->getTrueExpr();
    if (K.Context->hasSameUnqualifiedType(
            Choice->getType(), Value->IgnoreParenImpCasts()->getType()) &&
        !Choice->getBeginLoc().isMacroID() &&
        !Choice->getEndLoc().isMacroID()) {
      BoundsTest Test;
      Test.Where = Choice;
      addTest(Test, Choice->getCond());
    }
    return;
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(S); Op && Op->isLogicalOp())
    return;
  for (const Stmt *Child : S->children())
    visitExpression(Child);
}

/// True when what follows \p S is reached in each iteration.
bool TestFinder::visit(const Stmt *S) {
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return llvm::all_of(Block->body(),
                        [&](const Stmt *Child) { return visit(Child); });
  if (const auto *Attributed = dyn_cast<AttributedStmt>(S))
    return visit(Attributed->getSubStmt());
  if (const auto *If = dyn_cast<IfStmt>(S))
    return visitIf(If);
  if (const auto *For = dyn_cast<ForStmt>(S)) {
    if (const Loop *L = loopOf(K, For))
      visitLoop(*L);
    return true;
  }
  if (isa<WhileStmt, DoStmt, CXXForRangeStmt>(S))
    return true;
  if (isa<Expr, DeclStmt>(S)) {
    visitExpression(S);
    return true;
  }
  return isa<NullStmt>(S);
}

void TestFinder::visitLoop(const Loop &L) {
  auto Ends = extremesOf(L);
  if (!Ends)
    return;
  Loops.push_back(std::move(*Ends));
  visit(L.body());
  Loops.pop_back();
}

BoundsTests findBoundsTests(const Kernel &K, const StatementTree &Tree,
                            const Assignments &Changes, const Loop &Root) {
  const Stmt *S = Root.Statement;
  bool Unsafe = findIn(S, [](const Stmt *Part) {
    const auto *Declares = dyn_cast<DeclStmt>(Part);
    return isa<BreakStmt, ReturnStmt, GotoStmt, LabelStmt, SwitchStmt,
               IndirectGotoStmt, AsmStmt, CoreturnStmt>(Part) ||
           (Declares && llvm::any_of(Declares->decls(), [](const Decl *D) {
              const auto *V = dyn_cast<VarDecl>(D);
              return !V || !V->hasLocalStorage();
            }));
  });
  bool TiesThreads =
      llvm::any_of(K.WarpOperations, [&](const WarpOperation &W) {
        return Tree.contains(S, W.Call);
      });
  if (Unsafe || TiesThreads || Root.HasBarrier || !callsLeaveMemoryAlone(K, S))
    return {};
  return TestFinder(K, Tree, Changes, Root).find();
}

} // namespace cudal1

//===- ReadOnlyUse.cpp - May a pointer's pointee become const? ------------===//

#include "ReadOnlyUse.h"
#include "ParentStack.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace cudal1 {

namespace {

/// What an expression made of the parameter is.
enum class Form {
  Variable, ///< The parameter itself.
  Value,    ///< A pointer into its memory.
  Element,  ///< An lvalue in its memory.
  Fine,     ///< Something that const does not change.
  Bad       ///< Something that const may change.
};

class UseChecker : public ParentStackVisitor<UseChecker> {
public:
  explicit UseChecker(const ParmVarDecl &Parameter) : Parameter(Parameter) {}

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (E->getDecl() != &Parameter)
      return true;
    Form Now = Form::Variable;
    llvm::ArrayRef<const Stmt *> Around = stack();
    for (size_t I = Around.size() - 1; I-- > 0 && Now < Form::Fine;)
      Now = step(Now, Around[I], Around[I + 1]);
    // A use that ends in none of the known ways is not trusted.
    AllFine = AllFine && Now == Form::Fine;
    return AllFine;
  }

  bool allFine() const { return AllFine; }

private:
  static Form step(Form Now, const Stmt *Outer, const Stmt *Inner);
  static Form stepVariable(const Stmt *Outer, const Stmt *Inner);
  static Form stepValue(const Stmt *Outer, const Stmt *Inner);
  static Form stepElement(const Stmt *Outer);

  const ParmVarDecl &Parameter;
  bool AllFine = true;
};

} // namespace

static bool pointsToConst(QualType T) {
  return T->isPointerType() && T->getPointeeType().isConstQualified();
}

/// Statements in which a value is computed and dropped.
static bool drops(const Stmt *S) {
  return isa<CompoundStmt, ForStmt, WhileStmt, DoStmt, IfStmt>(S);
}

Form UseChecker::step(Form Now, const Stmt *Outer, const Stmt *Inner) {
  if (isa<ParenExpr, FullExpr>(Outer))
    return Now;
  if (isa<UnaryExprOrTypeTraitExpr>(Outer))
    return Form::Fine;
  switch (Now) {
  case Form::Variable:
    return stepVariable(Outer, Inner);
  case Form::Value:
    return stepValue(Outer, Inner);
  case Form::Element:
    return stepElement(Outer);
  case Form::Fine:
  case Form::Bad:
    return Now;
  }
  return Form::Bad;
}

Form UseChecker::stepVariable(const Stmt *Outer, const Stmt *Inner) {
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Outer))
    return Cast->getCastKind() == CK_LValueToRValue ? Form::Value : Form::Bad;
  if (const auto *Op = dyn_cast<UnaryOperator>(Outer)) {
    if (!Op->isIncrementDecrementOp())
      return Form::Bad;
    return Op->isPrefix() ? Form::Variable : Form::Value;
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(Outer))
    return Op->isAssignmentOp() && Op->getLHS() == Inner ? Form::Variable
                                                         : Form::Bad;
  // What a lambda does with its copy is looked at where it does so.
  if (isa<LambdaExpr>(Outer))
    return Form::Fine;
  return drops(Outer) ? Form::Fine : Form::Bad;
}

Form UseChecker::stepValue(const Stmt *Outer, const Stmt *Inner) {
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Outer))
    return Subscript->getBase() == Inner ? Form::Element : Form::Bad;
  if (const auto *Member = dyn_cast<MemberExpr>(Outer)) {
    const auto *Method = dyn_cast<CXXMethodDecl>(Member->getMemberDecl());
    return Method ? (Method->isConst() ? Form::Fine : Form::Bad)
                  : Form::Element;
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(Outer)) {
    if (Op->getOpcode() == UO_Deref)
      return Form::Element;
    return Op->getOpcode() == UO_LNot ? Form::Fine : Form::Bad;
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(Outer)) {
    if (Op->isComparisonOp() || Op->isLogicalOp())
      return Form::Fine;
    if (Op->isAdditiveOp())
      return Op->getType()->isPointerType() ? Form::Value : Form::Fine;
    return Form::Bad;
  }
  if (const auto *Choice = dyn_cast<ConditionalOperator>(Outer))
    return Choice->getCond() == Inner ? Form::Fine : Form::Value;
  if (const auto *Cast = dyn_cast<CastExpr>(Outer)) {
    if (pointsToConst(Cast->getType()) || !Cast->getType()->isPointerType())
      return Form::Fine;
    // Only a cast in C's style may take a const away.
    return isa<CStyleCastExpr>(Cast) ? Form::Fine : Form::Bad;
  }
  if (isa<LambdaExpr>(Outer))
    return Form::Fine;
  return drops(Outer) ? Form::Fine : Form::Bad;
}

Form UseChecker::stepElement(const Stmt *Outer) {
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Outer)) {
    switch (Cast->getCastKind()) {
    case CK_LValueToRValue:
      return Form::Fine;
    case CK_NoOp:
      return Cast->getType().isConstQualified() ? Form::Fine : Form::Bad;
    case CK_ArrayToPointerDecay:
      return Form::Value;
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
      return Form::Element;
    default:
      return Form::Bad;
    }
  }
  if (const auto *Member = dyn_cast<MemberExpr>(Outer)) {
    const auto *Method = dyn_cast<CXXMethodDecl>(Member->getMemberDecl());
    return Method ? (Method->isConst() ? Form::Fine : Form::Bad)
                  : Form::Element;
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(Outer))
    return Op->getOpcode() == UO_AddrOf ? Form::Value : Form::Bad;
  if (isa<ConditionalOperator>(Outer))
    return Form::Element;
  return drops(Outer) ? Form::Fine : Form::Bad;
}

bool acceptsConstPointee(const FunctionDecl &Function,
                         const ParmVarDecl &Parameter) {
  if (!Function.hasBody())
    return false;
  UseChecker Checker(Parameter);
  Checker.TraverseStmt(Function.getBody());
  return Checker.allFine();
}

} // namespace cudal1

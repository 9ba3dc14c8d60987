//===- HostLoop.cpp - Counted loops of the host ---------------------------===//

#include "HostLoop.h"
#include "HostArrays.h"
#include "HostChanges.h"
#include "RepeatLoop.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

static const VarDecl *variableIn(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

std::string HostLoop::runsCondition(const ASTContext &Context) const {
  std::string Start = spellOperand(First, Context),
              End = spellOperand(Bound, Context);
  if (Start.empty() || End.empty())
    return "";
  return End + (Inclusive ? " >= " : " > ") + Start;
}

bool isFixedValue(const Expr *E, const VariableSet &Changed,
                  const ASTContext &Context) {
  Expr::EvalResult Constant;
  if (!E->isValueDependent() && E->EvaluateAsInt(Constant, Context))
    return true;
  bool Odd = findIn(E, [&](const Stmt *S) {
    if (const auto *C = dyn_cast<CXXMemberCallExpr>(S)) {
      const CXXMethodDecl *Method = C->getMethodDecl();
      return !Method || !Method->getIdentifier() ||
             (Method->getName() != "size" && Method->getName() != "data") ||
             !isVectorOfNumbers(C->getImplicitObjectArgument()->getType(),
                                Context);
    }
    if (const auto *C = dyn_cast<CXXOperatorCallExpr>(S))
      return C->getOperator() != OO_Subscript ||
             !isVectorOfNumbers(C->getArg(0)->getType(), Context);
    if (isa<CallExpr, CXXConstructExpr, LambdaExpr>(S))
      return true;
    if (const auto *Op = dyn_cast<UnaryOperator>(S))
      return Op->getOpcode() == UO_Deref || Op->isIncrementDecrementOp();
    if (const auto *Member = dyn_cast<MemberExpr>(S))
      return Member->isArrow();
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(S))
      // An element that is read, not only named.
      return Cast->getCastKind() == CK_LValueToRValue &&
             isa<ArraySubscriptExpr, CXXOperatorCallExpr>(
                 Cast->getSubExpr()->IgnoreParens());
    const auto *Op = dyn_cast<BinaryOperator>(S);
    return Op && (Op->isAssignmentOp() || Op->getOpcode() == BO_Div ||
                  Op->getOpcode() == BO_Rem);
  });
  return !Odd && llvm::none_of(variablesReadIn(E), [&](const VarDecl *V) {
    return Changed.contains(V) || !V->hasLocalStorage() ||
           V->getType().isVolatileQualified();
  });
}

static bool readHeader(HostLoop &L, const VariableSet &Changed,
                       ASTContext &Context) {
  const ForStmt *Loop = L.Statement;
  const auto *Compare = dyn_cast_or_null<BinaryOperator>(Loop->getCond());
  const auto *Step = dyn_cast_or_null<UnaryOperator>(Loop->getInc());
  if (!Compare || Loop->getConditionVariable() || !Step ||
      !Step->isIncrementOp() ||
      (Compare->getOpcode() != BO_LT && Compare->getOpcode() != BO_LE))
    return false;
  L.Inclusive = Compare->getOpcode() == BO_LE;
  L.Counter = variableIn(Compare->getLHS());
  L.Bound = Compare->getRHS();
  if (!L.Counter || variableIn(Step->getSubExpr()) != L.Counter ||
      !L.Counter->hasLocalStorage() || !L.Counter->getType()->isIntegerType())
    return false;
  if (const auto *Declares = dyn_cast_or_null<DeclStmt>(Loop->getInit())) {
    if (Declares->isSingleDecl() && Declares->getSingleDecl() == L.Counter)
      L.First = L.Counter->getInit();
  } else if (const auto *Sets =
                 dyn_cast_or_null<BinaryOperator>(Loop->getInit())) {
    if (Sets->getOpcode() == BO_Assign &&
        variableIn(Sets->getLHS()) == L.Counter)
      L.First = Sets->getRHS();
  }
  Expr::EvalResult First, Bound;
  // Not negative, so that its type does not change how it compares.
  if (!L.First || !L.First->EvaluateAsInt(First, Context) ||
      First.Val.getInt().isNegative() ||
      !isFixedValue(L.Bound, Changed, Context) ||
      L.Bound->HasSideEffects(Context) ||
      // Minus one is more than any counter without a sign.
      (L.Counter->getType()->isUnsignedIntegerType() &&
       L.Bound->IgnoreParenImpCasts()->getType()->isSignedIntegerType()))
    return false;
  if (L.Bound->EvaluateAsInt(Bound, Context)) {
    const llvm::APSInt &From = First.Val.getInt(), &To = Bound.Val.getInt();
    int Order = llvm::APSInt::compareValues(From, To);
    L.RunsOnce = Order < 0 || (Order == 0 && L.Inclusive);
  }
  // The header's condition, with the first value in place of the counter.
  return Context.hasSameUnqualifiedType(
             L.First->IgnoreParenImpCasts()->getType(), L.Counter->getType()) ||
         First.Val.getInt().getActiveBits() < 31;
}

std::optional<HostLoop> readHostLoop(const ForStmt *Loop,
                                     const CheckedCalls &Calls,
                                     ASTContext &Context) {
  HostLoop L;
  L.Statement = Loop;
  L.Body = dyn_cast<CompoundStmt>(Loop->getBody());
  if (!L.Body)
    return std::nullopt;
  bool Jumps = findIn(L.Body, [&](const Stmt *S) {
    return isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, IndirectGotoStmt,
               LabelStmt, CXXThrowExpr, CXXTryStmt, LambdaExpr, AsmStmt,
               SwitchStmt>(S) &&
           !Calls.isAfterFailure(S);
  });
  VariableSet Changed = hostVariablesChangedIn(Loop);
  if (Jumps || !readHeader(L, Changed, Context) ||
      hostVariablesChangedIn(L.Body).contains(L.Counter))
    return std::nullopt;
  return L;
}

bool isReachedOtherwise(const VarDecl *V, const FunctionDecl &F,
                        const ASTContext &Context) {
  if (!V->hasLocalStorage() || V->getType()->isReferenceType())
    return true;
  PassingCalls Passing(V, Context.getSourceManager());
  Passing.TraverseStmt(F.getBody());
  auto Names = [V](const Stmt *S) {
    const auto *E = dyn_cast_or_null<Expr>(S);
    const auto *Ref =
        E ? dyn_cast<DeclRefExpr>(E->IgnoreParenCasts()) : nullptr;
    return Ref && Ref->getDecl() == V;
  };
  llvm::SmallPtrSet<const Expr *, 4> Harmless(Passing.Harmless.begin(),
                                              Passing.Harmless.end());
  findIn(F.getBody(), [&](const Stmt *S) {
    const auto *C = dyn_cast<CallExpr>(S);
    if (C && classifyCudaCall(C, Context) != CudaCall::None)
      for (const Expr *Argument : C->arguments())
        Harmless.insert(Argument->IgnoreParenCasts());
    return false;
  });
  return findIn(F.getBody(), [&](const Stmt *S) {
    if (const auto *Address = dyn_cast<UnaryOperator>(S))
      return Address->getOpcode() == UO_AddrOf &&
             Names(Address->getSubExpr()) && !Harmless.contains(Address);
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
      return findIn(Lambda->getBody(),
                    [&](const Stmt *Inner) { return Names(Inner); }) != nullptr;
    const auto *Declares = dyn_cast<DeclStmt>(S);
    return Declares && llvm::any_of(Declares->decls(), [&](const Decl *D) {
             const auto *Other = dyn_cast<VarDecl>(D);
             return Other && Other->getType()->isReferenceType() &&
                    Names(Other->getInit());
           });
  });
}

std::string movedText(const Stmt *S, const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  CharSourceRange Range = SM.getExpansionRange(S->getSourceRange());
  std::string Text =
      Lexer::getSourceText(Range, SM, Context.getLangOpts()).str();
  if (Text.empty() || Text.find("//") != std::string::npos)
    return "";
  if (Text.back() != ';')
    Text += ";";
  std::string Indent = indentationOf(S, Context), Result;
  llvm::SmallVector<llvm::StringRef> Lines;
  llvm::StringRef(Text).split(Lines, '\n');
  for (auto [I, Line] : llvm::enumerate(Lines)) {
    if (I)
      Line.consume_front(Indent);
    Result += (I ? "\n" : "") + Line.rtrim('\r').str();
  }
  return Result;
}

std::string guardedLines(llvm::StringRef Condition, llvm::StringRef Lines,
                         llvm::StringRef Unit) {
  if (Condition.empty())
    return Lines.str();
  std::string Result = ("if (" + Condition + ")").str();
  llvm::SmallVector<llvm::StringRef> Parts;
  Lines.split(Parts, '\n');
  for (llvm::StringRef Part : Parts)
    Result += ("\n" + Unit + Part).str();
  return Result;
}

void collectForLoops(const Stmt *S, std::vector<const ForStmt *> &Out) {
  if (!S || isa<LambdaExpr>(S))
    return;
  if (const auto *For = dyn_cast<ForStmt>(S))
    Out.push_back(For);
  for (const Stmt *Child : S->children())
    collectForLoops(Child, Out);
}

} // namespace cudal1

//===- SteadyLoop.cpp - Host loops that queue the same work each time -----===//

#include "SteadyLoop.h"
#include "HostPaths.h"
#include "RepeatLoop.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "llvm/ADT/MapVector.h"

using namespace clang;

namespace cudal1 {

/// Longest cycle of pointers that is looked for.
static constexpr unsigned MaxPeriod = 4;

namespace {

class LoopReader {
public:
  LoopReader(const ForStmt *Loop, const CheckedCalls &Calls,
             ASTContext &Context)
      : Loop(Loop), Calls(Calls), Context(Context),
        Changed(hostVariablesChangedIn(Loop)) {}

  std::optional<SteadyLoop> read();

private:
  bool readHeader();
  bool readStatement(const Stmt *S);
  bool readDeclaration(const DeclStmt *S);
  bool readExchange(const CallExpr *C);
  bool readAssignment(const BinaryOperator *B);
  bool readCall(const CheckedCall &Call);
  bool isSteady(const Expr *E);
  bool isConstant(const Expr *E) const;
  const VarDecl *pointerIn(const Expr *E) const;
  /// The variable whose value at the start of the iteration \p V holds now.
  const VarDecl *valueOf(const VarDecl *V);
  std::optional<unsigned> period() const;

  const ForStmt *Loop;
  const CheckedCalls &Calls;
  ASTContext &Context;
  VariableSet Changed;
  SteadyLoop Result;
  /// What pointers hold, by whose value at the start it was.
  llvm::MapVector<const VarDecl *, const VarDecl *> Holds;
  VariableSet DeclaredInside;
  /// Pointers whose value at the start of the iteration matters.
  llvm::SmallVector<const VarDecl *, 4> Live;
};

} // namespace

static const Expr *plainValue(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  while (const auto *Full = dyn_cast<FullExpr>(E))
    E = Full->getSubExpr()->IgnoreParenImpCasts();
  return E;
}

static const VarDecl *variableIn(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(plainValue(E));
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

/// A function whose result depends on its arguments alone.
static bool isValueFunction(const FunctionDecl *F, const ASTContext &Context) {
  if (!F)
    return false;
  if (const auto *Method = dyn_cast<CXXMethodDecl>(F))
    return Method->isConst() && isQuietFunction(F, Context);
  return F->isInStdNamespace() && F->getIdentifier() &&
         (F->getName() == "min" || F->getName() == "max");
}

/// Without side effects, and of variables that the loop does not change; the
/// constructors of dim3 count as values.
bool LoopReader::isConstant(const Expr *E) const {
  bool Quiet = !findIn(E, [&](const Stmt *S) {
    if (const auto *C = dyn_cast<CXXConstructExpr>(S))
      return !isQuietFunction(C->getConstructor(), Context);
    if (const auto *C = dyn_cast<CallExpr>(S))
      return !isValueFunction(C->getDirectCallee(), Context);
    if (const auto *U = dyn_cast<UnaryOperator>(S))
      return U->isIncrementDecrementOp();
    const auto *B = dyn_cast<BinaryOperator>(S);
    return B && B->isAssignmentOp();
  });
  if (!Quiet)
    return false;
  for (const VarDecl *V : variablesReadIn(E))
    if (Changed.contains(V) && !DeclaredInside.contains(V))
      return false;
  return true;
}

const VarDecl *LoopReader::pointerIn(const Expr *E) const {
  const VarDecl *V = variableIn(E);
  return V && V->getType()->isPointerType() && V->hasLocalStorage() ? V
                                                                    : nullptr;
}

const VarDecl *LoopReader::valueOf(const VarDecl *V) {
  auto *It = Holds.find(V);
  const VarDecl *Value = It == Holds.end() ? V : It->second;
  if (Changed.contains(Value) && !DeclaredInside.contains(Value) &&
      !llvm::is_contained(Live, Value))
    Live.push_back(Value);
  return Value;
}

/// Constant, or made of such values and of pointers that change places.
bool LoopReader::isSteady(const Expr *E) {
  if (!E || isConstant(E))
    return true;
  for (const VarDecl *V : variablesReadIn(E)) {
    if (!Changed.contains(V) || DeclaredInside.contains(V))
      continue;
    if (!V->getType()->isPointerType() || !V->hasLocalStorage())
      return false;
    valueOf(V);
  }
  return !E->HasSideEffects(Context);
}

bool LoopReader::readHeader() {
  const auto *Compare = dyn_cast_or_null<BinaryOperator>(Loop->getCond());
  if (!Compare || Loop->getConditionVariable() ||
      (Compare->getOpcode() != BO_LT && Compare->getOpcode() != BO_LE))
    return false;
  Result.Inclusive = Compare->getOpcode() == BO_LE;
  Result.Counter = variableIn(Compare->getLHS());
  Result.Bound = Compare->getRHS();
  const auto *Step = dyn_cast_or_null<UnaryOperator>(Loop->getInc());
  if (!Result.Counter || !Step || !Step->isIncrementOp() ||
      variableIn(Step->getSubExpr()) != Result.Counter ||
      !Result.Counter->hasLocalStorage() ||
      !Result.Counter->getType()->isIntegerType())
    return false;
  if (const auto *Declares = dyn_cast_or_null<DeclStmt>(Loop->getInit())) {
    if (!Declares->isSingleDecl() ||
        Declares->getSingleDecl() != Result.Counter)
      return false;
    Result.First = Result.Counter->getInit();
  } else if (const auto *Sets =
                 dyn_cast_or_null<BinaryOperator>(Loop->getInit())) {
    if (Sets->getOpcode() == BO_Assign &&
        variableIn(Sets->getLHS()) == Result.Counter)
      Result.First = Sets->getRHS();
  }
  Expr::EvalResult First, Bound;
  if (!Result.First || !Result.First->EvaluateAsInt(First, Context) ||
      First.Val.getInt().isNegative() || !isConstant(Result.Bound))
    return false;
  // Counter and bound are of one type, so that their difference is; without a
  // sign it is none only from 0 on.
  QualType OfBound = plainValue(Result.Bound)->getType();
  bool Signed = Result.Counter->getType()->isSignedIntegerType();
  if (Signed != OfBound->isSignedIntegerType() ||
      (!Signed && (Result.Inclusive || First.Val.getInt() != 0)))
    return false;
  if (Result.Bound->EvaluateAsInt(Bound, Context))
    Result.Trips = Bound.Val.getInt().getExtValue() -
                   First.Val.getInt().getExtValue() + Result.Inclusive;
  return true;
}

/// `std::swap(a, b)` of pointers.
bool LoopReader::readExchange(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getIdentifier() || F->getName() != "swap" ||
      !F->isInStdNamespace() || C->getNumArgs() != 2)
    return false;
  const VarDecl *A = pointerIn(C->getArg(0)), *B = pointerIn(C->getArg(1));
  if (!A || !B)
    return false;
  const VarDecl *OfA = valueOf(A), *OfB = valueOf(B);
  Holds[A] = OfB;
  Holds[B] = OfA;
  return true;
}

bool LoopReader::readAssignment(const BinaryOperator *B) {
  const VarDecl *To = pointerIn(B->getLHS()), *From = pointerIn(B->getRHS());
  if (B->getOpcode() != BO_Assign || !To || !From)
    return false;
  Holds[To] = valueOf(From);
  return true;
}

bool LoopReader::readDeclaration(const DeclStmt *S) {
  for (const Decl *D : S->decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || !V->hasLocalStorage())
      return false;
    DeclaredInside.insert(V);
    if (!V->hasInit())
      continue;
    if (const VarDecl *From = pointerIn(V->getInit()))
      Holds[V] = valueOf(From);
    else if (!isConstant(V->getInit()))
      return false;
  }
  return true;
}

bool LoopReader::readCall(const CheckedCall &Call) {
  switch (classifyCudaCall(Call.Call, Context)) {
  case CudaCall::ErrorQuery:
    return true;
  case CudaCall::Fill:
  case CudaCall::CopyOnDevice:
    Result.Transfers.push_back(Call.Call);
    return llvm::all_of(Call.Call->arguments(),
                        [&](const Expr *E) { return isSteady(E); });
  default:
    return false;
  }
}

bool LoopReader::readStatement(const Stmt *S) {
  if (!S || isa<NullStmt>(S))
    return true;
  for (const CheckedCall &Call : Calls.all())
    if (Call.Statement == S)
      return readCall(Call);
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return llvm::all_of(
        Block->body(), [&](const Stmt *Child) { return readStatement(Child); });
  if (const auto *Declares = dyn_cast<DeclStmt>(S))
    return readDeclaration(Declares);
  const auto *E = dyn_cast<Expr>(S);
  if (!E)
    return false;
  E = plainValue(E);
  if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(E)) {
    Result.Launches.push_back(Launch);
    for (const Expr *Argument : Launch->getConfig()->arguments())
      if (!Argument->isDefaultArgument() && !isSteady(Argument))
        return false;
    return llvm::all_of(Launch->arguments(),
                        [&](const Expr *A) { return isSteady(A); });
  }
  if (const auto *C = dyn_cast<CallExpr>(E))
    return readExchange(C);
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return readAssignment(B);
  return false;
}

/// Iterations until each pointer that matters is back in its place.
std::optional<unsigned> LoopReader::period() const {
  auto After = [&](const VarDecl *V) {
    const auto *It = Holds.find(V);
    return It == Holds.end() ? V : It->second;
  };
  llvm::SmallVector<const VarDecl *, 4> Now(Live);
  for (unsigned Iterations = 1; Iterations <= MaxPeriod; ++Iterations) {
    // What variable V holds after one more iteration is what After(V) held.
    llvm::SmallVector<const VarDecl *, 4> Next;
    for (const VarDecl *V : Live) {
      const auto *It = llvm::find(Live, After(V));
      if (It == Live.end())
        return std::nullopt;
      Next.push_back(Now[It - Live.begin()]);
    }
    Now = Next;
    if (Now == Live)
      return Iterations;
  }
  return std::nullopt;
}

std::optional<SteadyLoop> LoopReader::read() {
  Result.Statement = Loop;
  if (!readHeader() || !readStatement(Loop->getBody()) ||
      Result.Launches.empty())
    return std::nullopt;
  bool UsesCounter = findIn(Loop->getBody(), [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    return Ref && Ref->getDecl() == Result.Counter;
  });
  std::optional<unsigned> Period = period();
  if (UsesCounter || !Period)
    return std::nullopt;
  Result.Period = *Period;
  return std::move(Result);
}

std::optional<SteadyLoop> readSteadyLoop(const ForStmt *Loop,
                                         const CheckedCalls &Calls,
                                         ASTContext &Context) {
  return LoopReader(Loop, Calls, Context).read();
}

} // namespace cudal1

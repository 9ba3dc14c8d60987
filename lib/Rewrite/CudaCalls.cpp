//===- CudaCalls.cpp - Calls of the CUDA runtime in host code -------------===//

#include "CudaCalls.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>
#include <optional>

using namespace clang;

namespace cudal1 {

/// Calls of checking functions that are followed into each other.
static constexpr unsigned MaxDepth = 4;

static CudaCall classifyCopy(const CallExpr *Call, const ASTContext &Context) {
  if (Call->getNumArgs() < 4)
    return CudaCall::Other;
  Expr::EvalResult Kind;
  if (!Call->getArg(3)->EvaluateAsInt(Kind, Context))
    return CudaCall::Other;
  switch (Kind.Val.getInt().getExtValue()) {
  case 1:
    return CudaCall::CopyToDevice;
  case 2:
    return CudaCall::CopyToHost;
  case 3:
    return CudaCall::CopyOnDevice;
  default:
    return CudaCall::Other;
  }
}

CudaCall classifyCudaCall(const CallExpr *Call, const ASTContext &Context) {
  const FunctionDecl *F = Call->getDirectCallee();
  if (!F || !F->getIdentifier())
    return CudaCall::None;
  llvm::StringRef Name = F->getName();
  if (!Name.starts_with("cuda") && !Name.starts_with("__cuda"))
    return CudaCall::None;
  if (Name == "cudaMemcpy")
    return classifyCopy(Call, Context);
  return llvm::StringSwitch<CudaCall>(Name)
      .Cases({"cudaDeviceSynchronize", "cudaThreadSynchronize"}, CudaCall::Wait)
      .Case("cudaStreamSynchronize", CudaCall::WaitStream)
      .Cases({"cudaGetLastError", "cudaPeekAtLastError"}, CudaCall::ErrorQuery)
      .Cases({"__cudaPushCallConfiguration", "cudaConfigureCall"},
             CudaCall::Configure)
      .Case("cudaMemset", CudaCall::Fill)
      .Case("cudaMalloc", CudaCall::Allocate)
      .Case("cudaFree", CudaCall::Free)
      .Cases({"cudaGetErrorString", "cudaGetErrorName",
              "cudaGetDeviceProperties", "cudaGetDeviceProperties_v2",
              "cudaDeviceGetAttribute", "cudaGetDevice", "cudaGetDeviceCount",
              "cudaMemGetInfo",
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor"},
             CudaCall::Query)
      .Default(CudaCall::Other);
}

namespace {

/// Decides whether a statement does nothing but call the runtime once, as long
/// as that call succeeds.
class CheckReader {
public:
  explicit CheckReader(const ASTContext &Context) : Context(Context) {}

  bool isIdle(const Stmt *S, unsigned Depth = 0);

  const CallExpr *Call = nullptr;
  bool Checked = false;
  /// Branches taken after a failure, in this function.
  std::vector<const Stmt *> Failures;

private:
  bool isResult(const Expr *E);
  bool isFailureTest(const Expr *E);
  bool isIdleCall(const CallExpr *C, unsigned Depth);
  bool isIdleDeclaration(const DeclStmt *S);
  bool isSuccess(const Expr *E) const;

  const ASTContext &Context;
  llvm::SmallPtrSet<const ValueDecl *, 4> Results;
};

} // namespace

static const Expr *plain(const Expr *E) {
  const Expr *Last = nullptr;
  while (E != Last) {
    Last = E;
    E = E->IgnoreParenCasts();
    if (const auto *Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr();
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr();
  }
  return E;
}

/// The result of the one call: the call itself or a variable that holds it.
bool CheckReader::isResult(const Expr *E) {
  E = plain(E);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return Results.contains(Ref->getDecl());
  const auto *C = dyn_cast<CallExpr>(E);
  if (!C || isa<CUDAKernelCallExpr>(C) ||
      classifyCudaCall(C, Context) == CudaCall::None)
    return false;
  if (Call && Call != C)
    return false;
  Call = C;
  return true;
}

bool CheckReader::isSuccess(const Expr *E) const {
  Expr::EvalResult Value;
  return E->EvaluateAsInt(Value, Context) && Value.Val.getInt() == 0;
}

/// True only after a failure: `e != cudaSuccess`, `e`.
bool CheckReader::isFailureTest(const Expr *E) {
  E = plain(E);
  if (const auto *Op = dyn_cast<BinaryOperator>(E))
    return Op->getOpcode() == BO_NE &&
           ((isSuccess(Op->getRHS()) && isResult(Op->getLHS())) ||
            (isSuccess(Op->getLHS()) && isResult(Op->getRHS())));
  if (const auto *Expect = dyn_cast<CallExpr>(E))
    if (Expect->getBuiltinCallee() && Expect->getNumArgs() == 2)
      return isFailureTest(Expect->getArg(0));
  return isResult(E);
}

bool CheckReader::isIdleDeclaration(const DeclStmt *S) {
  for (const Decl *D : S->decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || V->isStaticLocal())
      return false;
    if (!V->hasInit())
      continue;
    if (isResult(V->getInit()))
      Results.insert(V);
    else if (V->getInit()->HasSideEffects(Context))
      return false;
  }
  return true;
}

/// `check(cudaFree(p), __FILE__, __LINE__)`: a function of the program that
/// does nothing with a success.
bool CheckReader::isIdleCall(const CallExpr *C, unsigned Depth) {
  const FunctionDecl *F = C->getDirectCallee(), *Definition = nullptr;
  if (!F || Depth > MaxDepth || !F->hasBody(Definition) || F->isVariadic() ||
      isa<CXXMethodDecl>(F))
    return false;
  bool Given = false;
  for (unsigned I = 0; I < C->getNumArgs(); ++I) {
    if (isResult(C->getArg(I))) {
      if (I >= Definition->getNumParams())
        return false;
      Results.insert(Definition->getParamDecl(I));
      Given = true;
    } else if (C->getArg(I)->HasSideEffects(Context)) {
      return false;
    }
  }
  if (!Given)
    return false;
  size_t Here = Failures.size();
  bool Idle = isIdle(Definition->getBody(), Depth + 1);
  // They stand in another function.
  Failures.resize(Here);
  return Idle;
}

bool CheckReader::isIdle(const Stmt *S, unsigned Depth) {
  if (!S || isa<NullStmt>(S))
    return true;
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return llvm::all_of(
        Block->body(), [&](const Stmt *Child) { return isIdle(Child, Depth); });
  if (const auto *Once = dyn_cast<DoStmt>(S))
    return isSuccess(Once->getCond()) && isIdle(Once->getBody(), Depth);
  if (const auto *Declares = dyn_cast<DeclStmt>(S))
    return isIdleDeclaration(Declares);
  if (const auto *If = dyn_cast<IfStmt>(S)) {
    if (If->getInit() || If->getConditionVariable() ||
        !isFailureTest(If->getCond()) || !isIdle(If->getElse(), Depth))
      return false;
    Checked = true;
    Failures.push_back(If->getThen());
    return true;
  }
  if (const auto *Return = dyn_cast<ReturnStmt>(S))
    return Depth > 0 && (!Return->getRetValue() ||
                         !Return->getRetValue()->HasSideEffects(Context));
  const auto *E = dyn_cast<Expr>(S);
  if (!E)
    return false;
  if (isResult(E))
    return true;
  const auto *C = dyn_cast<CallExpr>(plain(E));
  return C ? isIdleCall(C, Depth) : !E->HasSideEffects(Context);
}

CheckedCalls::CheckedCalls(const Stmt *Body, const ASTContext &Context)
    : Context(Context) {
  if (Body)
    collect(Body);
}

static void insertAll(const Stmt *S, llvm::DenseSet<const Stmt *> &Into) {
  if (!S || !Into.insert(S).second)
    return;
  for (const Stmt *Child : S->children())
    insertAll(Child, Into);
}

void CheckedCalls::collect(const Stmt *S) {
  if (!isa<CompoundStmt, DeclStmt, LambdaExpr>(S)) {
    CheckReader Reader(Context);
    if (Reader.isIdle(S) && Reader.Call) {
      ByCall[Reader.Call] = Calls.size();
      Calls.push_back({Reader.Call, S, Reader.Checked});
      for (const Stmt *Branch : Reader.Failures)
        insertAll(Branch, AfterFailure);
      return;
    }
  }
  if (isa<Expr, DeclStmt>(S))
    return;
  for (const Stmt *Child : S->children())
    if (Child)
      collect(Child);
}

/// The text of \p C as written, and of the whole statement around it.
static std::optional<CheckStyle> styleOf(const CheckedCall &C,
                                         const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  auto TextOf = [&](SourceLocation Begin, SourceLocation End) {
    return Lexer::getSourceText(CharSourceRange::getTokenRange(Begin, End), SM,
                                Context.getLangOpts());
  };
  CharSourceRange Around = SM.getExpansionRange(C.Statement->getSourceRange());
  llvm::StringRef Whole = TextOf(Around.getBegin(), Around.getEnd());
  llvm::StringRef Call = TextOf(SM.getSpellingLoc(C.Call->getBeginLoc()),
                                SM.getSpellingLoc(C.Call->getEndLoc()));
  // Room for a macro's name and a line number.
  constexpr size_t Longest = 60;
  size_t At = Call.empty() ? llvm::StringRef::npos : Whole.find(Call);
  if (At == llvm::StringRef::npos || At == 0 ||
      Whole.size() - Call.size() > Longest)
    return std::nullopt;
  llvm::StringRef Before = Whole.take_front(At).rtrim(),
                  After = Whole.substr(At + Call.size());
  bool Plain =
      Before.ends_with("(") && llvm::all_of(Before.drop_back(), [](char C) {
        return llvm::isAlnum(C) || C == '_' || C == ':';
      });
  if (!Plain || After.contains('\n'))
    return std::nullopt;
  return CheckStyle{Before.str(), (After.rtrim(';') + ";").str()};
}

CheckStyle checkStyleOf(const CheckedCalls &Calls, const ASTContext &Context) {
  std::map<std::string, unsigned> Counts;
  CheckStyle Best;
  unsigned Most = 0;
  for (const CheckedCall &C : Calls.all()) {
    std::optional<CheckStyle> Style =
        C.Checked ? styleOf(C, Context) : std::nullopt;
    if (!Style)
      continue;
    unsigned Count = ++Counts[Style->Before + "\n" + Style->After];
    if (Count > Most) {
      Most = Count;
      Best = std::move(*Style);
    }
  }
  return Best;
}

const CheckedCall *CheckedCalls::find(const CallExpr *Call) const {
  auto It = ByCall.find(Call);
  return It == ByCall.end() ? nullptr : &Calls[It->second];
}

} // namespace cudal1

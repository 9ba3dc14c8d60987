//===- LaunchPairs.cpp - Launches right behind each other -----------------===//

#include "LaunchPairs.h"
#include "HostPaths.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// What functions of CUDA's headers begin with that make a value of others.
static constexpr llvm::StringLiteral ValueFunctions[] = {
    "__float2", "__double2", "__half2", "__int2", "__uint2", "make_"};

/// A call that computes a value of its arguments and nothing else: a conversion
/// of CUDA's headers, or a function that a compiler may evaluate.
static bool isValueCall(const CallExpr *C, const ASTContext &Context) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getIdentifier() || isa<CXXMethodDecl>(F))
    return false;
  bool Converts =
      Context.getSourceManager().isInSystemHeader(F->getLocation()) &&
      llvm::any_of(ValueFunctions, [&](llvm::StringLiteral Prefix) {
        return F->getName().starts_with(Prefix);
      });
  return (Converts || (F->isConstexpr() && isQuietFunction(F, Context))) &&
         llvm::all_of(F->parameters(), [](const ParmVarDecl *P) {
           return !P->getType()->isPointerType() &&
                  (!P->getType()->isReferenceType() ||
                   P->getType()->getPointeeType().isConstQualified());
         });
}

/// Evaluating \p E does nothing, calls included only where \p WithCalls.
static bool isQuiet(const Expr *E, const ASTContext &Context, bool WithCalls) {
  return !findIn(E, [&](const Stmt *S) {
    if (const auto *B = dyn_cast<BinaryOperator>(S))
      return B->isAssignmentOp();
    if (const auto *U = dyn_cast<UnaryOperator>(S))
      return U->isIncrementDecrementOp();
    if (const auto *C = dyn_cast<CallExpr>(S))
      return !WithCalls || !isValueCall(C, Context);
    if (const auto *C = dyn_cast<CXXConstructExpr>(S)) {
      const CXXRecordDecl *R = C->getConstructor()->getParent();
      bool Dim3 = R->getIdentifier() && R->getName() == "dim3";
      return !Dim3 &&
             !(WithCalls && isQuietFunction(C->getConstructor(), Context));
    }
    return !isa<DeclRefExpr, MemberExpr, IntegerLiteral, FloatingLiteral,
                CharacterLiteral, CXXBoolLiteralExpr, CXXNullPtrLiteralExpr,
                GNUNullExpr, CastExpr, ParenExpr, ArraySubscriptExpr,
                AbstractConditionalOperator, OpaqueValueExpr,
                UnaryExprOrTypeTraitExpr, FullExpr, MaterializeTemporaryExpr,
                CXXBindTemporaryExpr, CXXDefaultArgExpr,
                SubstNonTypeTemplateParmExpr>(S);
  });
}

static bool readsVolatile(const Expr *E) {
  return findIn(E, [](const Stmt *S) {
    const auto *Read = dyn_cast<Expr>(S);
    return Read && Read->getType().isVolatileQualified();
  });
}

bool isSteadyValue(const Expr *E, const ASTContext &Context) {
  return isQuiet(E, Context, /*WithCalls=*/false) && !readsVolatile(E);
}

bool isSameValue(const Expr *A, const Expr *B, const ASTContext &Context) {
  return A && B && isSteadyValue(A, Context) && isSteadyValue(B, Context) &&
         sameExpression(A->IgnoreParenImpCasts(), B->IgnoreParenImpCasts(),
                        Context);
}

namespace {

class PairFinder {
public:
  PairFinder(const FunctionDecl &F, const ProgramAnalysis &A, PairShapes Shapes)
      : A(A), Shapes(Shapes), Context(A.program().context(Side::Host)),
        Calls(F.getBody(), Context) {}

  void collect(const Stmt *S, unsigned Depth);
  std::vector<LaunchPair> Found;

private:
  std::optional<LaunchStatement> launchIn(const Stmt *S) const;
  bool isQuestion(const Stmt *S) const;
  bool canBeEarly(const LaunchStatement &L) const;
  void collectIn(const CompoundStmt *Block, unsigned Depth);

  const ProgramAnalysis &A;
  PairShapes Shapes;
  const ASTContext &Context;
  CheckedCalls Calls;
};

} // namespace

/// A launch by `<<<>>>` that is a whole statement.
std::optional<LaunchStatement> PairFinder::launchIn(const Stmt *S) const {
  const auto *E = dyn_cast<Expr>(S);
  if (!E)
    return std::nullopt;
  const auto *Call = dyn_cast<CUDAKernelCallExpr>(E->IgnoreImplicit());
  if (!Call)
    return std::nullopt;
  for (const std::unique_ptr<Kernel> &K : A.kernels())
    for (const Launch *L : K->Launches)
      if (L->Call == Call && L->Form == LaunchForm::Chevron && !L->InMacro &&
          L->Grid && L->Block && !L->Stream &&
          (!L->SharedBytes || Shapes == PairShapes::Any) &&
          L->Arguments.size() == K->Parameters.size())
        return LaunchStatement{L, K.get(), S};
  return std::nullopt;
}

/// `cudaGetLastError()` with a check.
bool PairFinder::isQuestion(const Stmt *S) const {
  return llvm::any_of(Calls.all(), [&](const CheckedCall &C) {
    return C.Statement == S &&
           classifyCudaCall(C.Call, Context) == CudaCall::ErrorQuery;
  });
}

bool PairFinder::canBeEarly(const LaunchStatement &L) const {
  return llvm::all_of(L.What->Arguments, [&](const Expr *E) {
    return isQuiet(E, Context, /*WithCalls=*/true) && !readsVolatile(E);
  });
}

void PairFinder::collectIn(const CompoundStmt *Block, unsigned Depth) {
  std::optional<LaunchStatement> Last;
  std::vector<const Stmt *> Questions;
  const SourceManager &SM = Context.getSourceManager();
  auto TextOf = [&](const Stmt *S) {
    return Lexer::getSourceText(SM.getExpansionRange(S->getSourceRange()), SM,
                                Context.getLangOpts());
  };
  for (const auto *It = Block->body_begin(); It != Block->body_end(); ++It) {
    if (Last && isQuestion(*It)) {
      Questions.push_back(*It);
      continue;
    }
    std::optional<LaunchStatement> Now = launchIn(*It);
    if (Last && Now && canBeEarly(*Last) && canBeEarly(*Now) &&
        (Shapes == PairShapes::Any ||
         (isSameValue(Last->What->Grid, Now->What->Grid, Context) &&
          isSameValue(Last->What->Block, Now->What->Block, Context)))) {
      LaunchPair P{*Last, *Now, nullptr, Depth};
      const auto *Next = std::next(It);
      if (Next != Block->body_end() && isQuestion(*Next) &&
          llvm::any_of(Questions, [&](const Stmt *Q) {
            return TextOf(Q) == TextOf(*Next);
          }))
        P.AskedTwice = *Next;
      Found.push_back(P);
    }
    Last = Now;
    Questions.clear();
  }
}

void PairFinder::collect(const Stmt *S, unsigned Depth) {
  if (!S || isa<LambdaExpr>(S))
    return;
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    collectIn(Block, Depth);
  Depth += isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
  for (const Stmt *Child : S->children())
    collect(Child, Depth);
}

std::vector<LaunchPair> launchPairsIn(const FunctionDecl &F,
                                      const ProgramAnalysis &A,
                                      PairShapes Shapes) {
  PairFinder Finder(F, A, Shapes);
  Finder.collect(F.getBody(), 0);
  return std::move(Finder.Found);
}

} // namespace cudal1

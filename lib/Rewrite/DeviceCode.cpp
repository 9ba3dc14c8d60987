//===- DeviceCode.cpp - The bodies that a kernel runs ---------------------===//

#include "DeviceCode.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <set>

using namespace clang;

namespace cudal1 {

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

static void walk(const Stmt *S, SmallVectorImpl<const Stmt *> &Around,
                 llvm::function_ref<void(const Stmt *, Ancestors)> Visit) {
  if (!S || isa<ConstantExpr, UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(S))
    return;
  Visit(S, Around);
  if (isa<PseudoObjectExpr>(S))
    return;
  Around.push_back(S);
  for (const Stmt *Child : S->children())
    walk(Child, Around, Visit);
  Around.pop_back();
}

void walkEvaluated(const Stmt *Body,
                   llvm::function_ref<void(const Stmt *, Ancestors)> Visit) {
  SmallVector<const Stmt *, 32> Around;
  walk(Body, Around, Visit);
}

const Stmt *significantParent(Ancestors Around) {
  for (const Stmt *S : llvm::reverse(Around))
    if (!isa<ParenExpr, ImplicitCastExpr, ExprWithCleanups>(S))
      return S;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Its text may be changed for the sake of one kernel: no host code runs it and
/// no other instantiation shares it.
static bool isRewritable(const FunctionDecl &F, const Program &P) {
  const SourceManager &SM = P.sources(Side::Device);
  if (!F.hasAttr<CUDADeviceAttr>() || F.hasAttr<CUDAHostAttr>() ||
      F.hasAttr<CUDAGlobalAttr>() || F.isDependentContext() ||
      F.isDefaulted() || F.getTemplateInstantiationPattern())
    return false;
  return F.getLocation().isFileID() &&
         P.isEditable(Side::Device, SM.getFileID(F.getLocation()));
}

std::vector<const FunctionDecl *>
rewritableFunctions(const Kernel &K, const ProgramAnalysis &A) {
  std::vector<const FunctionDecl *> Result;
  if (!K.Editable || !K.Function || !K.Function->hasBody())
    return Result;
  Result.push_back(K.Function);
  llvm::SmallPtrSet<const FunctionDecl *, 16> Seen;
  // Calls are followed through functions that may not be rewritten, too.
  std::vector<const FunctionDecl *> Open = {K.Function};
  while (!Open.empty()) {
    const FunctionDecl *Caller = Open.back();
    Open.pop_back();
    walkEvaluated(Caller->getBody(), [&](const Stmt *S, Ancestors) {
      const auto *Call = dyn_cast<CallExpr>(S);
      const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
      const FunctionDecl *Definition = nullptr;
      if (!Callee || !Callee->hasBody(Definition) ||
          !Seen.insert(Definition).second)
        return;
      const SourceManager &SM = A.program().sources(Side::Device);
      FileID File = SM.getFileID(SM.getExpansionLoc(Definition->getLocation()));
      if (!A.program().isEditable(Side::Device, File))
        return;
      Open.push_back(Definition);
      if (isRewritable(*Definition, A.program()))
        Result.push_back(Definition);
    });
  }
  return Result;
}

bool isTemplateOfHeader(const Kernel &K, const ProgramAnalysis &A) {
  const SourceManager &SM = A.program().sources(Side::Device);
  return K.IsTemplate && K.Pattern &&
         !SM.isInMainFile(SM.getExpansionLoc(K.Pattern->getLocation()));
}

std::string inFunction(const FunctionDecl *Function) {
  return (Function->hasAttr<CUDAGlobalAttr>() ? "in kernel '"
                                              : "in device function '") +
         Function->getNameAsString() + "'";
}

//===----------------------------------------------------------------------===//
// Places that all instantiations share
//===----------------------------------------------------------------------===//

/// Where expressions of the pattern begin whose type depends on the template's
/// parameters.
static std::set<SourceLocation> dependentPlaces(const Stmt *Pattern) {
  std::set<SourceLocation> Result;
  walkEvaluated(Pattern, [&](const Stmt *S, Ancestors) {
    if (const auto *E = dyn_cast<Expr>(S); E && E->isTypeDependent())
      Result.insert(E->getBeginLoc());
  });
  return Result;
}

static void dropDependent(const Kernel &K, const ProgramAnalysis &A,
                          std::vector<Place> &Places) {
  const SourceManager &SM = A.program().sources(Side::Device);
  if (!isTemplateOfHeader(K, A) || !K.Pattern->hasBody())
    return;
  std::set<SourceLocation> Dependent = dependentPlaces(K.Pattern->getBody());
  llvm::erase_if(Places, [&](const Place &At) {
    return llvm::any_of(Dependent, [&](SourceLocation Loc) {
      return !SM.isBeforeInTranslationUnit(Loc, At.Range.getBegin()) &&
             !SM.isBeforeInTranslationUnit(At.Range.getEnd(), Loc);
    });
  });
}

/// The text can be edited there: no macro body, no directive in between.
static bool canChange(const Place &At, const Program &P) {
  EditBuilder Builder(P, Side::Device);
  At.Change(Builder);
  llvm::Expected<Edit> Result = Builder.finish();
  if (Result)
    return true;
  llvm::consumeError(Result.takeError());
  return false;
}

static std::string joined(const std::string &A, const std::string &B) {
  if (A.empty() || B.empty() || A == B)
    return A.empty() ? B : A;
  return A + "; " + B;
}

std::vector<Place> commonPlaces(const Kernel &K, const ProgramAnalysis &A,
                                const FunctionDecl *Function,
                                PlaceFinder Find) {
  std::vector<Place> Result = Find(K, Function);
  llvm::erase_if(Result,
                 [&](const Place &At) { return !canChange(At, A.program()); });
  if (Function != K.Function)
    return Result;
  dropDependent(K, A, Result);
  for (const Kernel *Instance : A.instancesOf(K)) {
    if (Instance == &K || Result.empty() || !Instance->Function)
      continue;
    std::vector<Place> Others = Find(*Instance, Instance->Function);
    llvm::erase_if(Result, [&](Place &At) {
      auto It = llvm::find_if(Others, [&](const Place &O) {
        return O.Range == At.Range && O.Form == At.Form;
      });
      if (It == Others.end())
        return true;
      At.Class = std::max(At.Class, It->Class);
      At.Condition = joined(At.Condition, It->Condition);
      return false;
    });
  }
  return Result;
}

Site siteOfPlaces(const Rule &R, const Kernel &K, const ProgramAnalysis &A,
                  const FunctionDecl *Function, std::vector<Place> Places) {
  Site S = siteAt(R, K, A, Function->getLocation());
  S.Class = FpClass::Exact;
  std::set<std::string> Conditions;
  for (const Place &At : Places) {
    S.Class = std::max(S.Class, At.Class);
    if (!At.Condition.empty())
      Conditions.insert(At.Condition);
  }
  S.Condition = llvm::join(Conditions, "; ");
  S.Apply = [&P = A.program(), Places = std::move(Places)](
                const RewriteParams &) -> llvm::Expected<Edit> {
    EditBuilder Builder(P, Side::Device);
    for (const Place &At : Places)
      At.Change(Builder);
    return Builder.finish();
  };
  return S;
}

} // namespace cudal1

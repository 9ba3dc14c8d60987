//===- KernelReferences.cpp - How a unit speaks of a kernel ---------------===//

#include "KernelReferences.h"
#include "HostUnit.h"
#include "ParentStack.h"
#include "SourceLines.h"
#include "cudal1/Frontend/CompileUnit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace cudal1 {

namespace {

class ReferenceFinder : public ParentStackVisitor<ReferenceFinder> {
public:
  ReferenceFinder(const Program &P, llvm::StringRef Name, KernelReferences &Out)
      : P(P), Name(Name), Out(Out) {}

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *F = dyn_cast<FunctionDecl>(E->getDecl());
    if (F && F->getQualifiedNameAsString() == Name)
      classify(E);
    return true;
  }
  /// A template that is named in another template.
  bool VisitOverloadExpr(OverloadExpr *E) {
    for (const NamedDecl *D : E->decls())
      if (D->getUnderlyingDecl()->getQualifiedNameAsString() == Name) {
        classify(E);
        break;
      }
    return true;
  }

private:
  void classify(const Expr *E);
  bool isCudaCall(const CallExpr *Call) const;
  std::string position(const Expr *E) const {
    const SourceManager &SM = P.sources(Side::Host);
    SourceLocation Loc = SM.getExpansionLoc(E->getBeginLoc());
    return llvm::sys::path::filename(SM.getFilename(Loc)).str() + ":" +
           std::to_string(SM.getExpansionLineNumber(Loc));
  }

  const Program &P;
  llvm::StringRef Name;
  KernelReferences &Out;
};

} // namespace

/// A call of the CUDA runtime: named cuda*, and not the project's own.
bool ReferenceFinder::isCudaCall(const CallExpr *Call) const {
  auto IsRuntime = [&](const NamedDecl *D) {
    const SourceManager &SM = P.sources(Side::Host);
    return D && D->getDeclName().isIdentifier() &&
           D->getName().starts_with("cuda") &&
           !P.isEditable(Side::Host,
                         SM.getFileID(SM.getFileLoc(D->getLocation())));
  };
  if (const FunctionDecl *F = Call->getDirectCallee())
    return IsRuntime(F);
  const auto *Named = dyn_cast<OverloadExpr>(Call->getCallee()->IgnoreParens());
  return Named && llvm::all_of(Named->decls(), [&](const NamedDecl *D) {
           return IsRuntime(D->getUnderlyingDecl());
         });
}

void ReferenceFinder::classify(const Expr *E) {
  bool Erased = false;
  llvm::ArrayRef<const Stmt *> Around = stack();
  // From the reference outwards; the reference itself comes last.
  for (size_t I = Around.size() - 1; I-- > 0;) {
    const Stmt *S = Around[I];
    if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(S)) {
      if (Launch->getCallee()->getSourceRange().fullyContains(
              Around[I + 1]->getSourceRange()) &&
          !Erased)
        return;
      break;
    }
    if (const auto *Call = dyn_cast<CallExpr>(S)) {
      if (isCudaCall(Call))
        return;
      break;
    }
    if (const auto *Cast = dyn_cast<ExplicitCastExpr>(S)) {
      if (Cast->getType()->isVoidPointerType())
        Erased = true;
      continue;
    }
    if (isa<ParenExpr, ImplicitCastExpr>(S))
      continue;
    const auto *Op = dyn_cast<UnaryOperator>(S);
    if (Op && Op->getOpcode() == UO_AddrOf)
      continue;
    break;
  }
  std::string &Kind = Erased ? Out.ErasedType : Out.Escape;
  if (Kind.empty())
    Kind = position(E);
}

KernelReferences findReferences(const Program &P, const Kernel &K) {
  KernelReferences Result;
  ReferenceFinder Finder(P, K.Name, Result);
  ASTUnit &AST = P.ast(Side::Host);
  for (FileID File : P.editableFiles(Side::Host)) {
    llvm::SmallVector<Decl *, 64> Decls;
    AST.findFileRegionDecls(File, 0, AST.getSourceManager().getFileIDSize(File),
                            Decls);
    for (Decl *D : Decls)
      Finder.TraverseDecl(D);
  }
  return Result;
}

std::vector<const FunctionDecl *> declarationsOf(const Kernel &K) {
  std::vector<const FunctionDecl *> Result;
  if (const FunctionTemplateDecl *Template =
          K.Pattern->getDescribedFunctionTemplate()) {
    for (const RedeclarableTemplateDecl *D : Template->redecls())
      Result.push_back(cast<FunctionTemplateDecl>(D)->getTemplatedDecl());
    return Result;
  }
  for (const FunctionDecl *D : K.Pattern->redecls())
    Result.push_back(D);
  return Result;
}

std::string whyOnlyLaunchedHere(const Program &P, const Kernel &K) {
  const SourceManager &SM = P.sources(Side::Device);
  for (const FunctionDecl *D : declarationsOf(K))
    if (P.pathOf(Side::Device, SM.getFileID(SM.getFileLoc(D->getLocation()))) !=
        P.file())
      return "";
  const std::string File = llvm::sys::path::filename(P.file()).str();
  const bool HasMain = definesMain(P);
  // Those that include a header may launch what is in it.
  if (isHeaderName(P.file()) && !HasMain)
    return "";
  if (K.IsTemplate)
    return K.Name + " is a template that only " + File + " sees";
  if (!K.Pattern->isExternallyVisible())
    return K.Name + " is local to " + File;
  if (HasMain)
    return K.Name + " is declared only in " + File +
           ", which holds main as well";
  return "";
}

bool mayChangeParameters(const Kernel &K, const ProgramAnalysis &A) {
  const Program &P = A.program();
  return K.Editable && !K.IsTemplate && K.Function == K.Pattern &&
         !isa<CXXMethodDecl>(K.Function) && K.Launches.size() == 1 &&
         K.Launches.front()->Form == LaunchForm::Chevron &&
         !K.Launches.front()->InMacro &&
         K.Launches.front()->Arguments.size() == K.Parameters.size() &&
         A.seesEveryLaunch(K) && !A.unseenLaunches(K) &&
         !whyOnlyLaunchedHere(P, K).empty() &&
         !findReferences(P, K).escapes() && declarationsOf(K).size() == 1;
}

bool isNamedByLaunchAlone(const Kernel &K, const ProgramAnalysis &A) {
  const Program &P = A.program();
  if (K.Launches.size() != 1 || !A.seesEveryLaunch(K) || A.unseenLaunches(K) ||
      whyOnlyLaunchedHere(P, K).empty() || declarationsOf(K).size() != 1)
    return false;
  SourceLines Text(P.text());
  std::string Name = K.Function->getName().str();
  unsigned Tokens = llvm::count_if(Text.tokens(), [&](const RawToken &T) {
    return T.Kind == tok::raw_identifier && Text.spelling(T) == Name;
  });
  bool InDirective =
      llvm::any_of(Text.directives(), [&](const RawDirective &D) {
        return D.Rest.contains(Name);
      });
  return Tokens == 2 && !InDirective;
}

SourceRange withComments(const Kernel &K) {
  const SourceManager &SM = K.Context->getSourceManager();
  SourceLocation Begin = SM.getExpansionLoc(K.Function->getBeginLoc());
  llvm::StringRef Text = SM.getBufferData(SM.getFileID(Begin));
  unsigned At = SM.getFileOffset(Begin), From = At;
  while (true) {
    size_t Line = Text.take_front(From).rfind('\n', From ? From - 2 : 0);
    Line = Line == llvm::StringRef::npos ? 0 : Line + 1;
    if (From < 2 || !Text.slice(Line, From).starts_with("//"))
      break;
    From = Line;
  }
  return SourceRange(Begin.getLocWithOffset(int(From) - int(At)),
                     SM.getExpansionLoc(K.Function->getEndLoc()));
}

} // namespace cudal1

//===- LibraryUnit.cpp - May a unit keep one handle of a library? ---------===//

#include "LibraryUnit.h"
#include "HostUnit.h"
#include "SourceLines.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/FileManager.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace cudal1 {

//===----------------------------------------------------------------------===//
// One thread, one device
//===----------------------------------------------------------------------===//

namespace {

class HandleVisitor : public RecursiveASTVisitor<HandleVisitor> {
public:
  explicit HandleVisitor(const ASTContext &Context) : Context(Context) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    const CXXRecordDecl *R = E->getConstructor()->getParent();
    if (R->isInStdNamespace() && R->getIdentifier() &&
        (R->getName() == "thread" || R->getName() == "jthread"))
      refuse(E->getBeginLoc(), "starts a thread");
    return true;
  }
  bool VisitOMPExecutableDirective(OMPExecutableDirective *D) {
    refuse(D->getBeginLoc(), "runs in several threads");
    return true;
  }
  bool VisitCallExpr(CallExpr *C);

  std::string Why;
  /// Calls that make handles of before invalid.
  std::vector<const CallExpr *> Resets;

private:
  void refuse(SourceLocation At, const llvm::Twine &What) {
    if (Why.empty())
      Why =
          ("line " +
           llvm::Twine(Context.getSourceManager().getExpansionLineNumber(At)) +
           " " + What)
              .str();
  }

  const ASTContext &Context;
  bool DeviceSet = false;
};

} // namespace

bool HandleVisitor::VisitCallExpr(CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getIdentifier())
    return true;
  llvm::StringRef Name = F->getName();
  if (Name == "pthread_create" || Name == "thrd_create" || Name == "fork" ||
      (F->isInStdNamespace() && Name == "async"))
    refuse(C->getBeginLoc(), "starts a thread");
  else if (Name == "cudaSetDevice" && std::exchange(DeviceSet, true))
    refuse(C->getBeginLoc(), "changes the device");
  else if (Name == "cudaDeviceReset")
    Resets.push_back(C);
  else if (Name.starts_with("cudaGraph") ||
           Name.starts_with("cudaStreamBeginCapture"))
    refuse(C->getBeginLoc(), "works with graphs");
  else if (Name.starts_with("cuCtx") || Name.starts_with("cuDevicePrimaryCtx"))
    refuse(C->getBeginLoc(), "changes the context");
  else if (Name == "cudaMemGetInfo")
    refuse(C->getBeginLoc(), "asks how much memory is free");
  else if (!F->hasBody() && !F->getBuiltinID() && !F->isImplicit() &&
           !F->isDefaulted() && !F->hasAttr<CUDAGlobalAttr>() &&
           !Context.getSourceManager().isInSystemHeader(F->getLocation()))
    refuse(C->getBeginLoc(), "calls " + Name + ", which is not seen");
  return true;
}

static bool hasPerThreadStream(const Program &P) {
  return P.context(Side::Host).getLangOpts().GPUDefaultStream !=
             LangOptions::GPUDefaultStreamKind::Legacy ||
         P.text().contains("CUDA_API_PER_THREAD_DEFAULT_STREAM") ||
         llvm::any_of(P.input().HostArgs, [](llvm::StringRef Argument) {
           return Argument.contains("PER_THREAD_DEFAULT_STREAM");
         });
}

static const FunctionDecl *mainOf(const Program &P) {
  for (const FunctionDecl *F : hostFunctions(P))
    if (F->isMain())
      return F;
  return nullptr;
}

/// Only a return follows \p Reset in the body of main.
static bool isAtEndOfMain(const CallExpr *Reset, const FunctionDecl *Main) {
  const auto *Body = Main ? dyn_cast<CompoundStmt>(Main->getBody()) : nullptr;
  bool Seen = false;
  if (!Body)
    return false;
  for (const Stmt *S : Body->body()) {
    if (Seen && !isa<ReturnStmt, NullStmt>(S))
      return false;
    Seen |= findIn(S, [&](const Stmt *Inner) { return Inner == Reset; }) &&
            !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
  }
  return Seen;
}

/// `cudaSetDevice` in a loop.
static bool choosesDeviceInLoop(const FunctionDecl *F) {
  return findIn(F->getBody(), [](const Stmt *S) {
    return isa<ForStmt, WhileStmt, CXXForRangeStmt>(S) &&
           findIn(S, [](const Stmt *Inner) {
             const auto *C = dyn_cast<CallExpr>(Inner);
             const FunctionDecl *Callee = C ? C->getDirectCallee() : nullptr;
             return Callee && Callee->getIdentifier() &&
                    Callee->getName() == "cudaSetDevice";
           });
  });
}

std::string whyNoSharedHandle(const ProgramAnalysis &A) {
  const Program &P = A.program();
  if (!P.hasSide(Side::Host) || !P.hasSide(Side::Device))
    return "only one side of the unit is compiled";
  if (!definesMain(P))
    return "other files of the program are not seen";
  if (hasPerThreadStream(P))
    return "each thread has a default stream of its own";
  HandleVisitor Visitor(P.context(Side::Host));
  const SourceManager &SM = P.sources(Side::Host);
  for (FileID File : P.editableFiles(Side::Host)) {
    SmallVector<Decl *, 64> Decls;
    P.ast(Side::Host)
        .findFileRegionDecls(File, 0, SM.getFileIDSize(File), Decls);
    for (Decl *D : Decls)
      if (isa<TranslationUnitDecl>(D->getLexicalDeclContext()))
        Visitor.TraverseDecl(D);
  }
  if (!Visitor.Why.empty())
    return Visitor.Why;
  const FunctionDecl *Main = mainOf(P);
  for (const CallExpr *Reset : Visitor.Resets)
    if (!isAtEndOfMain(Reset, Main))
      return "the device is reset before the program ends";
  for (const FunctionDecl *F : hostFunctions(P))
    if (choosesDeviceInLoop(F))
      return "the device is changed in a loop";
  return "";
}

bool findsHeader(const Program &P, llvm::StringRef Header) {
  Preprocessor &PP = P.ast(Side::Host).getPreprocessor();
  FileManager &Files = PP.getFileManager();
  const HeaderSearch &Search = PP.getHeaderSearchInfo();
  return llvm::any_of(Search.search_dir_range(), [&](const DirectoryLookup &D) {
    llvm::SmallString<256> Path(D.getName());
    llvm::sys::path::append(Path, Header);
    return bool(Files.getOptionalFileRef(Path));
  });
}

//===----------------------------------------------------------------------===//
// The first use of CUDA
//===----------------------------------------------------------------------===//

namespace {

/// Which statements call CUDA, themselves or by functions of the unit.
class CudaUses {
public:
  bool in(const Stmt *S) {
    return findIn(S, [this](const Stmt *Inner) {
      const auto *C = dyn_cast<CallExpr>(Inner);
      return C && calls(C);
    });
  }

private:
  bool calls(const CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee(), *Definition = nullptr;
    if (isa<CUDAKernelCallExpr>(C))
      return true;
    if (!F || !F->getIdentifier())
      return false;
    if (F->getName().starts_with("cuda"))
      return !F->getName().starts_with("cudaGetErrorString");
    const SourceManager &SM = F->getASTContext().getSourceManager();
    return !SM.isInSystemHeader(F->getLocation()) && F->hasBody(Definition) &&
           Seen.insert(Definition).second && in(Definition->getBody());
  }

  llvm::DenseSet<const FunctionDecl *> Seen;
};

} // namespace

const Stmt *firstUseOfCuda(const Program &P) {
  const FunctionDecl *Main = mainOf(P);
  const auto *Body =
      Main ? dyn_cast_or_null<CompoundStmt>(Main->getBody()) : nullptr;
  const SourceManager &SM = P.sources(Side::Host);
  if (!Body || SM.getFileID(SM.getExpansionLoc(Main->getLocation())) !=
                   SM.getMainFileID())
    return nullptr;
  for (const Stmt *S : Body->body()) {
    bool Chooses = findIn(S, [](const Stmt *Inner) {
      const auto *C = dyn_cast<CallExpr>(Inner);
      const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
      return F && F->getIdentifier() &&
             (F->getName() == "cudaSetDevice" ||
              F->getName() == "cudaSetDeviceFlags" ||
              F->getName().starts_with("cudaGetDevice"));
    });
    if (Chooses)
      continue;
    // What it calls may choose a device as well.
    if (CudaUses().in(S))
      return S;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Places in the main file
//===----------------------------------------------------------------------===//

UnitWriter::UnitWriter(const Program &P, EditBuilder &Builder)
    : P(P), Builder(Builder) {}

SourceLocation UnitWriter::at(unsigned Offset) const {
  const SourceManager &SM = P.sources(Side::Host);
  return SM.getLocForStartOfFile(SM.getMainFileID())
      .getLocWithOffset(int(Offset));
}

unsigned UnitWriter::offsetOf(SourceLocation Loc) const {
  const SourceManager &SM = P.sources(Side::Host);
  return SM.getFileOffset(SM.getExpansionLoc(Loc));
}

bool UnitWriter::isUnconditional(unsigned Offset) const {
  SourceLines Lines(P.text());
  int Depth = 0;
  for (const RawDirective *D : Lines.directivesIn(0, Offset)) {
    Depth += D->Name.starts_with("if");
    Depth -= D->Name == "endif";
  }
  return Depth == 0;
}

unsigned UnitWriter::withComment(unsigned Offset) const {
  llvm::StringRef Text = P.text();
  SourceLines Lines(Text);
  unsigned Begin = Lines.lineStart(Offset);
  if (!Lines.isFirstOnLine(Offset))
    return Offset;
  unsigned Result = Begin;
  while (Begin > 0) {
    unsigned Above = Lines.lineStart(Begin - 1);
    llvm::StringRef Line = Text.slice(Above, Begin).trim();
    if (Line.starts_with("//")) {
      Begin = Result = Above;
    } else if (Line.ends_with("*/")) {
      size_t Open = Text.take_front(Begin).rfind("/*");
      if (Open == llvm::StringRef::npos || !Lines.isFirstOnLine(unsigned(Open)))
        break;
      Begin = Result = Lines.lineStart(unsigned(Open));
    } else {
      break;
    }
  }
  return Result;
}

std::optional<unsigned> UnitWriter::firstFunction(unsigned Before) const {
  const SourceManager &SM = P.sources(Side::Host);
  SmallVector<Decl *, 64> Decls;
  FileID Main = SM.getMainFileID();
  P.ast(Side::Host).findFileRegionDecls(Main, 0, SM.getFileIDSize(Main), Decls);
  for (const Decl *D : Decls) {
    if (!isa<TranslationUnitDecl>(D->getLexicalDeclContext()))
      continue;
    const auto *Template = dyn_cast<FunctionTemplateDecl>(D);
    const auto *F =
        Template ? Template->getTemplatedDecl() : dyn_cast<FunctionDecl>(D);
    if (!F || !F->doesThisDeclarationHaveABody() || F->isImplicit())
      continue;
    SourceLocation Begin = SM.getExpansionLoc(D->getBeginLoc());
    if (SM.getFileID(Begin) != SM.getMainFileID())
      continue;
    unsigned Offset = SM.getFileOffset(Begin);
    if (Offset > Before)
      return std::nullopt;
    if (isUnconditional(Offset) && beginsDeclaration(Offset))
      return withComment(Offset);
  }
  return std::nullopt;
}

bool UnitWriter::beginsDeclaration(unsigned Offset) const {
  SourceLines Lines(P.text());
  std::optional<size_t> Before = Lines.tokenBefore(Offset);
  if (!Before)
    return true;
  const RawToken &T = Lines.tokens()[*Before];
  return T.Kind == tok::semi || T.Kind == tok::r_brace;
}

unsigned UnitWriter::mentions(llvm::StringRef Name) const {
  SourceLines Lines(P.text());
  unsigned Count = 0;
  for (const RawToken &T : Lines.tokens())
    Count += T.Kind == tok::raw_identifier && Lines.spelling(T) == Name;
  // Macros may mention it too.
  for (const RawDirective &D : Lines.directives())
    Count += D.Rest.contains(Name);
  return Count;
}

/// The last `#include <...>` of \p Lines behind which a line may be added, or
/// the one of cuda_runtime.h.
static const RawDirective *includeToFollow(const SourceLines &Lines,
                                           const UnitWriter &Writer) {
  const RawDirective *Result = nullptr;
  for (const RawDirective &D : Lines.directives()) {
    if (D.Name != "include" || !D.Rest.ends_with(">") ||
        !Writer.isUnconditional(D.Offset) ||
        !Lines.text().slice(D.End, Lines.lineEnd(D.End)).trim().empty())
      continue;
    Result = &D;
    if (D.Rest == "<cuda_runtime.h>")
      break;
  }
  return Result;
}

void UnitWriter::include(llvm::StringRef Header) {
  SourceLines Lines(P.text());
  std::string Wanted = ("<" + Header + ">").str();
  bool There = llvm::is_contained(Added, Wanted) ||
               llvm::any_of(Lines.directives(), [&](const RawDirective &D) {
                 return D.Name == "include" && D.Rest == Wanted &&
                        isUnconditional(D.Offset);
               });
  if (There)
    return;
  Added.push_back(Wanted);
  if (const RawDirective *D = includeToFollow(Lines, *this))
    return Builder.insertAfterToken(at(D->End - 1), "\n#include " + Wanted);
  std::optional<unsigned> Place = firstFunction(unsigned(P.text().size()));
  if (!Place)
    return Builder.fail("there is no place for #include " + Wanted);
  Builder.insertBefore(at(*Place), "#include " + Wanted + "\n");
}

} // namespace cudal1

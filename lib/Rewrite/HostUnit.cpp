//===- HostUnit.cpp - May the host be taken to use the GPU plainly? -------===//

#include "HostUnit.h"
#include "HostArrays.h"
#include "LaunchEdits.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Analysis/HostPointers.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

bool definesMain(const Program &P) {
  ASTContext &Host = P.context(Side::Host);
  auto Main = Host.getTranslationUnitDecl()->lookup(
      DeclarationName(&Host.Idents.get("main")));
  return llvm::any_of(Main, [](const NamedDecl *D) {
    const auto *F = dyn_cast<FunctionDecl>(D);
    return F && F->hasBody();
  });
}

/// Calls \p Visit with each declaration at the outermost level of the unit's
/// editable files.
static void forEachDeclaration(const Program &P,
                               llvm::function_ref<void(Decl *)> Visit) {
  const SourceManager &SM = P.sources(Side::Host);
  for (FileID File : P.editableFiles(Side::Host)) {
    SmallVector<Decl *, 64> Decls;
    P.ast(Side::Host)
        .findFileRegionDecls(File, 0, SM.getFileIDSize(File), Decls);
    // Members of a namespace are listed beside it.
    for (Decl *D : Decls)
      if (isa<TranslationUnitDecl>(D->getLexicalDeclContext()))
        Visit(D);
  }
}

std::vector<const FunctionDecl *> hostFunctions(const Program &P) {
  class Finder : public RecursiveASTVisitor<Finder> {
  public:
    bool VisitFunctionDecl(FunctionDecl *F) {
      if (F->doesThisDeclarationHaveABody() && !F->isDependentContext() &&
          !F->isTemplateInstantiation() && !F->hasAttr<CUDAGlobalAttr>() &&
          !F->hasAttr<CUDADeviceAttr>())
        Found.push_back(F);
      return true;
    }
    std::vector<const FunctionDecl *> Found;
  } Search;
  forEachDeclaration(P, [&](Decl *D) { Search.TraverseDecl(D); });
  return std::move(Search.Found);
}

namespace {

class PlainnessVisitor : public RecursiveASTVisitor<PlainnessVisitor> {
public:
  explicit PlainnessVisitor(const ASTContext &Context) : Context(Context) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitVarDecl(VarDecl *V) {
    if (V->hasAttr<HIPManagedAttr>())
      refuse(V->getLocation(), "declares managed memory");
    return true;
  }
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
  /// Calls that lock the pages of host memory.
  std::vector<const CallExpr *> Pinning;
  const CallExpr *CopiesAhead = nullptr;

  void refuse(SourceLocation At, const llvm::Twine &What) {
    if (Why.empty())
      Why =
          ("line " +
           llvm::Twine(Context.getSourceManager().getExpansionLineNumber(At)) +
           " " + What)
              .str();
  }

private:
  void checkStreams(const CallExpr *C);
  bool isDefaultStream(const Expr *E) const;

  const ASTContext &Context;
  bool DeviceSet = false;
};

} // namespace

static bool isStream(QualType T) {
  const RecordDecl *R =
      T->isPointerType() ? T->getPointeeType()->getAsRecordDecl() : nullptr;
  return R && R->getIdentifier() && R->getName() == "CUstream_st";
}

bool PlainnessVisitor::isDefaultStream(const Expr *E) const {
  if (E->isDefaultArgument())
    return true;
  if (isNullPointer(E, Context))
    return true;
  Expr::EvalResult Value;
  return !E->isValueDependent() && E->EvaluateAsInt(Value, Context) &&
         Value.Val.getInt() == 0;
}

void PlainnessVisitor::checkStreams(const CallExpr *C) {
  for (const Expr *Argument : C->arguments())
    if (isStream(Argument->getType().getCanonicalType()) &&
        !isDefaultStream(Argument))
      refuse(C->getBeginLoc(), "uses a stream");
}

/// cudaHostRegister without flags.
static bool isPlainRegistration(const CallExpr *C, const ASTContext &Context) {
  Expr::EvalResult Flags;
  return C->getDirectCallee()->getName() == "cudaHostRegister" &&
         C->getNumArgs() == 3 && !C->getArg(2)->isValueDependent() &&
         C->getArg(2)->EvaluateAsInt(Flags, Context) && Flags.Val.getInt() == 0;
}

bool PlainnessVisitor::VisitCallExpr(CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(C))
    if (const CallExpr *Config = Launch->getConfig();
        Config && Config->getNumArgs() == 4 &&
        !isDefaultStream(Config->getArg(3)->IgnoreParenImpCasts()))
      refuse(C->getBeginLoc(), "launches to a stream");
  if (!F || !F->getIdentifier())
    return true;
  llvm::StringRef Name = F->getName();
  if (Name == "pthread_create" || Name == "thrd_create" ||
      (F->isInStdNamespace() && Name == "async"))
    refuse(C->getBeginLoc(), "starts a thread");
  if (!Name.starts_with("cu")) {
    // It may have work of its own on the device.
    if (!F->hasBody() && !F->getBuiltinID() &&
        !Context.getSourceManager().isInSystemHeader(F->getLocation()) &&
        !F->isImplicit() && !F->isDefaulted() && !F->hasAttr<CUDAGlobalAttr>())
      refuse(C->getBeginLoc(), "calls " + Name + ", which is not seen");
    return true;
  }
  if (Name.starts_with("cudaStreamCreate"))
    refuse(C->getBeginLoc(), "makes a stream");
  else if (Name == "cudaLaunchHostFunc" || Name == "cudaStreamAddCallback")
    refuse(C->getBeginLoc(), "lets the stream call the host");
  else if (Name == "cudaMallocHost" || isPlainRegistration(C, Context))
    Pinning.push_back(C);
  else if (Name == "cudaMallocManaged" ||
           (Name.starts_with("cudaHost") && Name != "cudaHostUnregister") ||
           Name.contains("External") || Name.contains("Graphics") ||
           Name.starts_with("cudaIpc"))
    refuse(C->getBeginLoc(), "makes memory that host and device share");
  else if (Name == "cudaSetDevice" && std::exchange(DeviceSet, true))
    refuse(C->getBeginLoc(), "changes the device");
  else if (Name.starts_with("cudaGraph") || !Name.starts_with("cuda"))
    refuse(C->getBeginLoc(), "calls " + Name);
  else if (!isa<CUDAKernelCallExpr>(C))
    checkStreams(C);
  if (Name.starts_with("cudaMemcpy") && Name.ends_with("Async"))
    CopiesAhead = C;
  return true;
}

/// Refuses page-locked memory that a kernel may see, or copies that may be
/// under way while the host goes on. Memory of which every use is seen, and
/// none hands its address on, cannot get to a kernel.
static void checkPinned(const Program &P, PlainnessVisitor &Visitor) {
  if (Visitor.Pinning.empty())
    return;
  if (Visitor.CopiesAhead)
    return Visitor.refuse(Visitor.CopiesAhead->getBeginLoc(),
                          "copies while the host goes on");
  ASTContext &Context = P.context(Side::Host);
  llvm::SmallPtrSet<const CallExpr *, 4> Fine;
  for (const FunctionDecl *F : hostFunctions(P))
    for (const CallExpr *C : Visitor.Pinning) {
      if (!findIn(F->getBody(), [C](const Stmt *S) { return S == C; }))
        continue;
      const Expr *E = C->getArg(0)->IgnoreParenCasts();
      const VarDecl *V = hostPlaceOf(E, Context).Variable;
      if (const auto *Address = dyn_cast<UnaryOperator>(E); Address && !V)
        if (const auto *Ref = dyn_cast<DeclRefExpr>(
                Address->getSubExpr()->IgnoreParenCasts()))
          V = dyn_cast<VarDecl>(Ref->getDecl());
      if (V && HostUses(*F, Context).isOwnMemory(V))
        Fine.insert(C);
    }
  for (const CallExpr *C : Visitor.Pinning)
    if (!Fine.contains(C))
      Visitor.refuse(C->getBeginLoc(),
                     "makes memory that host and device share");
}

static bool isAllocatedByCuda(const HostBuffer &B) {
  if (B.K != HostBuffer::Allocation || B.Chain.empty())
    return false;
  const auto *Call = dyn_cast<CallExpr>(B.Chain.front());
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  return F && F->getIdentifier() &&
         (F->getName() == "cudaMalloc" || F->getName() == "cudaMallocPitch" ||
          F->getName() == "cudaMallocAsync");
}

/// Why a launch may hand host memory to a kernel, or a kernel may show what it
/// does before it is waited for.
static std::string whyLaunchShows(const Launch &L, const ProgramAnalysis &A) {
  auto At = [&](const llvm::Twine &What) {
    return ("line " + llvm::Twine(L.Line) + " " + What).str();
  };
  const Kernel *Of = nullptr;
  for (const std::unique_ptr<Kernel> &K : A.kernels())
    if (llvm::is_contained(K->Launches, &L))
      Of = K.get();
  if (!Of || L.Form != LaunchForm::Chevron)
    return At("launches a kernel that is not seen");
  if (showsOrder(*Of) || !Of->UnknownCalls.empty() || Of->HasAsm)
    return At("launches " + Of->Name + ", which may print or read a clock");
  HostPointers Pointers(A.hostIndex());
  for (const Expr *Argument : L.Arguments) {
    QualType T = Argument->getType();
    if (T->isRecordType() && !T->isDependentType()) {
      // A struct may hold pointers.
      for (const FieldDecl *F : T->getAsRecordDecl()->fields())
        if (!F->getType()->isArithmeticType() &&
            !F->getType()->isEnumeralType())
          return At("passes a struct to " + Of->Name);
      continue;
    }
    if (!T->isPointerType() || isNullPointer(Argument, A.hostIndex().context()))
      continue;
    PointsTo To = Pointers.pointsTo(Argument, {L.HostFunction, {}});
    if (!To.Unknown.empty() || !llvm::all_of(To.Buffers, isAllocatedByCuda))
      return At("passes a pointer to " + Of->Name +
                " that may be one of the host");
  }
  return "";
}

std::string whyNotPlain(const ProgramAnalysis &A) {
  const Program &P = A.program();
  if (!P.hasSide(Side::Host) || !P.hasSide(Side::Device))
    return "only one side of the unit is compiled";
  if (!definesMain(P))
    return "other files of the program are not seen";
  const ASTContext &Context = P.context(Side::Host);
  if (Context.getLangOpts().GPUDefaultStream !=
          LangOptions::GPUDefaultStreamKind::Legacy ||
      P.text().contains("CUDA_API_PER_THREAD_DEFAULT_STREAM") ||
      llvm::any_of(P.input().HostArgs, [](llvm::StringRef Argument) {
        return Argument.contains("PER_THREAD_DEFAULT_STREAM");
      }))
    return "each thread has a default stream of its own";
  PlainnessVisitor Visitor(Context);
  forEachDeclaration(P, [&](Decl *D) { Visitor.TraverseDecl(D); });
  checkPinned(P, Visitor);
  if (!Visitor.Why.empty())
    return Visitor.Why;
  for (const std::unique_ptr<Launch> &L : A.launches())
    if (std::string Why = whyLaunchShows(*L, A); !Why.empty())
      return Why;
  return "";
}

} // namespace cudal1

//===- LaunchAnalysis.cpp - Launches on the host --------------------------===//

#include "KernelAnalysis.h"
#include "cudal1/Analysis/Assignments.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace cudal1 {

StringRef toString(LaunchForm Form) {
  switch (Form) {
  case LaunchForm::Chevron:
    return "<<<>>>";
  case LaunchForm::CudaLaunchKernel:
    return "cudaLaunchKernel";
  case LaunchForm::CudaLaunchCooperative:
    return "cudaLaunchCooperativeKernel";
  case LaunchForm::CudaLaunchKernelEx:
    return "cudaLaunchKernelEx";
  }
  llvm_unreachable("covered switch");
}

static const Expr *strip(const Expr *E) {
  while (E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr();
    else if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(E))
      E = Cast->getSubExpr();
    else if (const auto *Construct = dyn_cast<CXXConstructExpr>(E);
             Construct && Construct->getNumArgs() == 1 &&
             (Construct->getConstructor()->isCopyOrMoveConstructor()))
      E = Construct->getArg(0);
    else
      return E;
  }
  return E;
}

/// The value of an integer expression: a constant, or a local variable that
/// nothing changes after its initialiser.
static std::optional<int64_t> valueOf(const Expr *E, const Stmt *HostBody,
                                      const ASTContext &Context) {
  Expr::EvalResult Value;
  if (!E->isValueDependent() && E->EvaluateAsInt(Value, Context))
    return Value.Val.getInt().getExtValue();
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->hasLocalStorage() || isa<ParmVarDecl>(V) || !V->getInit() ||
      !V->getType()->isIntegerType() || V->getType().isVolatileQualified() ||
      V->getInit()->isValueDependent() || !HostBody ||
      !V->getInit()->EvaluateAsInt(Value, Context) ||
      Assignments::of(HostBody).isAssigned(V))
    return std::nullopt;
  return Value.Val.getInt().getExtValue();
}

static LaunchExtent extentOf(const Expr *E, const Stmt *HostBody,
                             const ASTContext &Context) {
  LaunchExtent Extent;
  Extent.Known = true;
  if (!E || isa<CXXDefaultArgExpr>(E)) {
    Extent.Value = 1;
    return Extent;
  }
  Extent.Expression = E;
  Extent.Value = valueOf(E, HostBody, Context);
  return Extent;
}

/// A local dim3 that nothing changes after its initialiser.
static const Expr *definitionOf(const Expr *E, const Stmt *HostBody) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->getInit() || isa<ParmVarDecl>(V))
    return E;
  if (!V->getType().isConstQualified()) {
    if (!V->isLocalVarDecl() || !HostBody)
      return E;
    // `grid.x = ...` after the declaration hides the value.
    if (Assignments::of(HostBody).isAssigned(V))
      return E;
  }
  return strip(V->getInit());
}

/// The three components of a dim3 argument.
static std::array<LaunchExtent, 3>
extentsOf(const Expr *E, const Stmt *HostBody, const ASTContext &Context) {
  std::array<LaunchExtent, 3> Extents;
  if (!E)
    return Extents;
  E = definitionOf(strip(E), HostBody);
  if (!E)
    return Extents;
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    for (unsigned I = 0; I < 3; ++I)
      Extents[I] =
          extentOf(I < Construct->getNumArgs() ? Construct->getArg(I) : nullptr,
                   HostBody, Context);
  } else if (const auto *List = dyn_cast<InitListExpr>(E)) {
    for (unsigned I = 0; I < 3; ++I)
      Extents[I] =
          extentOf(I < List->getNumInits() ? List->getInit(I) : nullptr,
                   HostBody, Context);
  } else if (E->getType()->isIntegralOrEnumerationType()) {
    Extents[0] = extentOf(E, HostBody, Context);
    Extents[1] = Extents[2] = extentOf(nullptr, HostBody, Context);
  }
  return Extents;
}

static const FunctionDecl *calleeOf(const Expr *E) {
  while (E) {
    E = strip(E);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return dyn_cast<FunctionDecl>(Ref->getDecl());
    if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
      E = Cast->getSubExpr();
    else if (const auto *Op = dyn_cast<UnaryOperator>(E);
             Op &&
             (Op->getOpcode() == UO_AddrOf || Op->getOpcode() == UO_Deref))
      E = Op->getSubExpr();
    else
      return nullptr;
  }
  return nullptr;
}

namespace {

class LaunchFinder : public RecursiveASTVisitor<LaunchFinder> {
public:
  LaunchFinder(const Program &P, std::vector<std::unique_ptr<Launch>> &Out)
      : P(P), Context(P.context(Side::Host)), Out(Out) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    auto *Function = dyn_cast_or_null<FunctionDecl>(D);
    llvm::SaveAndRestore Saved(Host, Function ? Function : Host);
    llvm::SaveAndRestore SavedLoop(
        HostLoop, Function ? static_cast<const Stmt *>(nullptr) : HostLoop);
    return RecursiveASTVisitor::TraverseDecl(D);
  }

  bool TraverseForStmt(ForStmt *S) {
    llvm::SaveAndRestore Saved(HostLoop, static_cast<const Stmt *>(S));
    return RecursiveASTVisitor::TraverseForStmt(S);
  }
  bool TraverseWhileStmt(WhileStmt *S) {
    llvm::SaveAndRestore Saved(HostLoop, static_cast<const Stmt *>(S));
    return RecursiveASTVisitor::TraverseWhileStmt(S);
  }
  bool TraverseDoStmt(DoStmt *S) {
    llvm::SaveAndRestore Saved(HostLoop, static_cast<const Stmt *>(S));
    return RecursiveASTVisitor::TraverseDoStmt(S);
  }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *S) {
    llvm::SaveAndRestore Saved(HostLoop, static_cast<const Stmt *>(S));
    return RecursiveASTVisitor::TraverseCXXForRangeStmt(S);
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Call) {
    if (Call->isInstantiationDependent())
      return true;
    const CallExpr *Config = Call->getConfig();
    auto Argument = [&](unsigned I) -> const Expr * {
      if (!Config || I >= Config->getNumArgs() ||
          isa<CXXDefaultArgExpr>(Config->getArg(I)))
        return nullptr;
      return Config->getArg(I);
    };
    Launch L;
    L.Form = LaunchForm::Chevron;
    L.Callee = calleeOf(Call->getCallee());
    L.Arguments.assign(Call->arg_begin(), Call->arg_end());
    add(L, Call, Argument(0), Argument(1), Argument(2), Argument(3));
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || Call->getNumArgs() < 2 ||
        Call->isInstantiationDependent())
      return true;
    Launch L;
    StringRef Name = Callee->getName();
    if (Name == "cudaLaunchKernel")
      L.Form = LaunchForm::CudaLaunchKernel;
    else if (Name == "cudaLaunchCooperativeKernel")
      L.Form = LaunchForm::CudaLaunchCooperative;
    else if (Name == "cudaLaunchKernelEx" || Name == "cudaLaunchKernelExC")
      L.Form = LaunchForm::CudaLaunchKernelEx;
    else
      return true;
    // Only the toolkit's own: its template wrappers call the C function.
    if (!Context.getSourceManager().isInSystemHeader(Callee->getLocation()) &&
        Callee->hasBody())
      return true;
    auto Argument = [&](unsigned I) -> const Expr * {
      return I < Call->getNumArgs() && !isa<CXXDefaultArgExpr>(Call->getArg(I))
                 ? Call->getArg(I)
                 : nullptr;
    };
    if (L.Form == LaunchForm::CudaLaunchKernelEx) {
      L.Callee = calleeOf(Call->getArg(1));
      for (unsigned I = 2; I < Call->getNumArgs(); ++I)
        L.Arguments.push_back(Call->getArg(I));
      add(L, Call, nullptr, nullptr, nullptr, nullptr);
    } else {
      L.Callee = calleeOf(Call->getArg(0));
      add(L, Call, Argument(1), Argument(2), Argument(4), Argument(5));
    }
    return true;
  }

private:
  void add(Launch L, const CallExpr *Call, const Expr *Grid, const Expr *Block,
           const Expr *Shared, const Expr *Stream) {
    const SourceManager &Sources = Context.getSourceManager();
    SourceLocation Where = Call->getBeginLoc();
    SourceLocation Expansion = Sources.getExpansionLoc(Where);
    FileID File = Sources.getFileID(Expansion);
    if (!P.isEditable(Side::Host, File))
      return;
    L.Call = Call;
    L.HostFunction = Host;
    L.HostLoop = HostLoop;
    L.Grid = Grid;
    L.Block = Block;
    L.SharedBytes = Shared;
    L.Stream = Stream;
    const Stmt *Body = Host && Host->hasBody() ? Host->getBody() : nullptr;
    L.GridExtent = extentsOf(Grid, Body, Context);
    L.BlockExtent = extentsOf(Block, Body, Context);
    L.InMacro = Where.isMacroID() || Call->getEndLoc().isMacroID();
    L.File = P.pathOf(Side::Host, File);
    L.Line = Sources.getExpansionLineNumber(Where);
    Out.push_back(std::make_unique<Launch>(std::move(L)));
  }

  const Program &P;
  ASTContext &Context;
  std::vector<std::unique_ptr<Launch>> &Out;
  const FunctionDecl *Host = nullptr;
  const Stmt *HostLoop = nullptr;
};

} // namespace

std::vector<std::unique_ptr<Launch>> analyzeLaunches(const Program &P) {
  std::vector<std::unique_ptr<Launch>> Launches;
  ASTUnit &AST = P.ast(Side::Host);
  LaunchFinder Finder(P, Launches);
  for (FileID File : P.editableFiles(Side::Host)) {
    SmallVector<Decl *, 64> Decls;
    AST.findFileRegionDecls(File, 0, AST.getSourceManager().getFileIDSize(File),
                            Decls);
    for (Decl *D : Decls)
      Finder.TraverseDecl(D);
  }
  return Launches;
}

} // namespace cudal1

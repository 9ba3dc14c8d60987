//===- KernelAnalysis.cpp - From a __global__ function to a Kernel --------===//

#include "KernelAnalysis.h"

#include "BodyWalker.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace cudal1 {

static std::string displayName(const FunctionDecl *Function) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  Function->getNameForDiagnostic(
      OS, Function->getASTContext().getPrintingPolicy(), /*Qualified=*/true);
  return Text;
}

static void fillParameters(Kernel &K, const Assignments &Changes) {
  for (const ParmVarDecl *Decl : K.Function->parameters()) {
    KernelParameter P;
    P.Decl = Decl;
    P.Index = K.Parameters.size();
    P.Reassigned = Changes.isAssigned(Decl);
    QualType Type = Decl->getType();
    P.IsPointer = Type->isPointerType();
    if (P.IsPointer) {
      P.Pointee = Type->getPointeeType().getUnqualifiedType();
      P.PointeeConst = Type->getPointeeType().isConstQualified();
      P.Restrict = Type.isRestrictQualified();
    }
    K.Parameters.push_back(P);
  }
}

namespace {
class ReturnFinder : public RecursiveASTVisitor<ReturnFinder> {
public:
  const Stmt *Last = nullptr;
  bool Early = false;
  bool VisitReturnStmt(ReturnStmt *Return) {
    Early |= Return != Last;
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
};
} // namespace

static bool hasEarlyReturn(const Stmt *Body) {
  ReturnFinder Finder;
  if (const auto *Compound = dyn_cast<CompoundStmt>(Body);
      Compound && !Compound->body_empty())
    Finder.Last = Compound->body_back();
  Finder.TraverseStmt(const_cast<Stmt *>(Body));
  return Finder.Early;
}

std::string mangledName(const FunctionDecl *Function) {
  // On the host side a kernel's own name would be the one of its stub.
  GlobalDecl Kernel(Function, KernelReferenceKind::Kernel);
  std::unique_ptr<MangleContext> Mangler(
      const_cast<ASTContext &>(Function->getASTContext())
          .createMangleContext());
  if (!Mangler->shouldMangleDeclName(Function))
    return Function->getNameAsString();
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  Mangler->mangleName(Kernel, OS);
  return Name;
}

std::unique_ptr<Kernel> analyzeKernel(const FunctionDecl *Function,
                                      const FunctionDecl *Pattern,
                                      const Program &P,
                                      CalleeSummaries &Callees) {
  ASTContext &Context = Function->getASTContext();
  const SourceManager &Sources = Context.getSourceManager();
  Assignments Changes = Assignments::of(Function->getBody());
  auto Start = [&] {
    auto K = std::make_unique<Kernel>();
    K->Function = Function;
    K->Pattern = Pattern;
    K->Context = &Context;
    fillParameters(*K, Changes);
    return K;
  };
  // Whether a loaded value may change depends on what is written, so a kernel
  // with loaded indices is walked again once that is known.
  auto K = Start();
  BodyWalker First(*K, Changes, Callees);
  First.walk(Function->getBody());
  bool HasLoads = false;
  for (SymbolId Id = 0; Id < K->Symbols.size(); ++Id)
    HasLoads |= K->Symbols[Id].Kind == SymbolKind::Load;
  if (HasLoads) {
    auto Again = Start();
    BodyWalker Second(*Again, Changes, Callees);
    Second.setWritten(*K);
    Second.walk(Function->getBody());
    K = std::move(Again);
  }

  K->Name = Pattern->getQualifiedNameAsString();
  K->DisplayName = displayName(Function);
  K->IsTemplate = Pattern != Function;
  if (!Function->isDependentContext())
    K->MangledName = mangledName(Function);
  SourceLocation Where = Pattern->getLocation();
  SourceLocation Expansion = Sources.getExpansionLoc(Where);
  FileID File = Sources.getFileID(Expansion);
  K->File = P.pathOf(Side::Device, File);
  K->Line = Sources.getExpansionLineNumber(Where);
  K->Editable = !Where.isMacroID() && P.isEditable(Side::Device, File) &&
                !Function->isDependentContext();
  K->HasEarlyReturn = hasEarlyReturn(Function->getBody());
  K->HasLaunchBounds = Function->hasAttr<CUDALaunchBoundsAttr>();
  return K;
}

namespace {

/// Collects the definitions of kernels below a declaration.
class KernelFinder {
public:
  std::vector<std::pair<const FunctionDecl *, const FunctionDecl *>> Found;

  void visit(const Decl *D) {
    if (const auto *Function = dyn_cast<FunctionDecl>(D))
      return visitFunction(Function);
    if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D))
      return visitTemplate(Template);
    if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D))
      for (const Decl *Inner : cast<DeclContext>(D)->decls())
        visit(Inner);
  }

private:
  void add(const FunctionDecl *Function, const FunctionDecl *Pattern) {
    for (const auto &[Known, Of] : Found)
      if (Known == Function)
        return;
    Found.emplace_back(Function, Pattern);
  }

  void visitFunction(const FunctionDecl *Function) {
    if (Function->hasAttr<CUDAGlobalAttr>() &&
        Function->doesThisDeclarationHaveABody() &&
        !Function->isTemplateInstantiation())
      add(Function, Function);
  }

  void visitTemplate(const FunctionTemplateDecl *Template) {
    const FunctionDecl *Pattern = Template->getTemplatedDecl();
    if (!Pattern->hasAttr<CUDAGlobalAttr>() ||
        !Pattern->doesThisDeclarationHaveABody())
      return;
    bool Any = false;
    for (const FunctionDecl *Instance : Template->specializations()) {
      if (Instance->getTemplateSpecializationKind() ==
          TSK_ExplicitSpecialization)
        continue; // has a text of its own
      const FunctionDecl *Definition = nullptr;
      if (Instance->hasBody(Definition) && !Definition->isDependentContext()) {
        add(Definition, Pattern);
        Any = true;
      }
    }
    if (!Any)
      add(Pattern, Pattern);
  }
};

} // namespace

std::vector<std::unique_ptr<Kernel>> analyzeKernels(const Program &P) {
  std::vector<std::unique_ptr<Kernel>> Kernels;
  if (!P.hasSide(Side::Device))
    return Kernels;
  ASTUnit &AST = P.ast(Side::Device);
  KernelFinder Finder;
  for (FileID File : P.editableFiles(Side::Device)) {
    SmallVector<Decl *, 64> Decls;
    unsigned Length = AST.getSourceManager().getFileIDSize(File);
    AST.findFileRegionDecls(File, 0, Length, Decls);
    for (const Decl *D : Decls)
      Finder.visit(D);
  }
  CalleeSummaries Callees;
  const FunctionDecl *Last = nullptr;
  for (const auto &[Function, Pattern] : Finder.Found) {
    Kernels.push_back(analyzeKernel(Function, Pattern, P, Callees));
    Kernels.back()->IsPrimary = Pattern != Last;
    Last = Pattern;
  }
  return Kernels;
}

} // namespace cudal1

//===- DeviceUses.cpp - What a unit's device code refers to ---------------===//

#include "DeviceUses.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace cudal1;

namespace {

class Collector : public RecursiveASTVisitor<Collector> {
public:
  Collector(const Program &P, DeviceUses &Uses)
      : P(P), Sources(P.sources(Side::Device)), Uses(Uses) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  /// Roots: device functions and variables of the project.
  void findRoots(const DeclContext &Context) {
    for (const Decl *D : Context.decls()) {
      if (const auto *Inner = dyn_cast<DeclContext>(D);
          Inner && (isa<NamespaceDecl>(D) || isa<LinkageSpecDecl>(D))) {
        findRoots(*Inner);
        continue;
      }
      if (isOfProject(*D) && holdsDeviceCode(*D))
        use(D);
    }
  }

  void finish() {
    while (!Pending.empty()) {
      const Decl *D = Pending.back();
      Pending.pop_back();
      TraverseDecl(const_cast<Decl *>(D));
    }
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) { return use(E->getDecl()); }
  bool VisitMemberExpr(MemberExpr *E) { return use(E->getMemberDecl()); }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    return use(E->getConstructor());
  }
  bool VisitOverloadExpr(OverloadExpr *E) {
    for (const NamedDecl *D : E->decls())
      use(D);
    return true;
  }
  bool VisitTypedefTypeLoc(TypedefTypeLoc L) { return use(L.getDecl()); }
  bool VisitTagTypeLoc(TagTypeLoc L) { return use(L.getDecl()); }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc L) {
    return use(L.getTypePtr()->getTemplateName().getAsTemplateDecl());
  }
  bool VisitStmt(Stmt *S) {
    SourceLocation Loc = S->getBeginLoc();
    if (Loc.isMacroID())
      Uses.Files.insert(Sources.getFileID(Sources.getSpellingLoc(Loc)));
    return true;
  }

private:
  bool isOfProject(const Decl &D) const {
    return P.isEditable(Side::Device, Sources.getFileID(Sources.getExpansionLoc(
                                          D.getLocation())));
  }

  static bool holdsDeviceCode(const Decl &D) {
    if (const auto *Template = dyn_cast<TemplateDecl>(&D))
      return Template->getTemplatedDecl() &&
             isDeviceDeclaration(*Template->getTemplatedDecl());
    return isDeviceDeclaration(D);
  }

  bool use(const Decl *D) {
    if (!D || D->isImplicit())
      return true;
    if (const auto *Member = dyn_cast<CXXRecordDecl>(D->getDeclContext()))
      use(Member);
    if (const auto *Enum = dyn_cast<EnumDecl>(D->getDeclContext()))
      use(Enum);
    D = generic(D);
    if (!keep(D))
      return true;
    if (const TemplateDecl *Template = D->getDescribedTemplate())
      keepSpecializations(*Template);
    return true;
  }

  /// False for what is known already.
  bool keep(const Decl *D) {
    if (!Uses.Declarations.insert(D->getCanonicalDecl()).second)
      return false;
    Uses.Files.insert(
        Sources.getFileID(Sources.getExpansionLoc(D->getLocation())));
    if (isOfProject(*D) && !isa<ParmVarDecl>(D))
      Pending.push_back(D);
    return true;
  }

  /// Which of the explicit and partial ones device code means is not asked.
  void keepSpecializations(const TemplateDecl &Template) {
    if (const auto *Class = dyn_cast<ClassTemplateDecl>(&Template)) {
      for (const ClassTemplateSpecializationDecl *S : Class->specializations())
        if (S->isExplicitSpecialization() && isOfProject(*S))
          keep(S);
      llvm::SmallVector<ClassTemplatePartialSpecializationDecl *, 4> Partial;
      const_cast<ClassTemplateDecl *>(Class)->getPartialSpecializations(
          Partial);
      for (const ClassTemplatePartialSpecializationDecl *S : Partial)
        if (isOfProject(*S))
          keep(S);
    } else if (const auto *Function =
                   dyn_cast<FunctionTemplateDecl>(&Template)) {
      for (const FunctionDecl *S : Function->specializations())
        if (S->getTemplateSpecializationKind() == TSK_ExplicitSpecialization &&
            isOfProject(*S))
          keep(S);
    } else if (const auto *Variable = dyn_cast<VarTemplateDecl>(&Template)) {
      for (const VarTemplateSpecializationDecl *S : Variable->specializations())
        if (S->isExplicitSpecialization() && isOfProject(*S))
          keep(S);
    }
  }

  /// The template's own declaration in the place of one made from it, and the
  /// definition where there is one.
  static const Decl *generic(const Decl *D) {
    if (const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(D))
      D = S->getSpecializedTemplate()->getTemplatedDecl();
    if (const auto *T = dyn_cast<RedeclarableTemplateDecl>(D))
      D = T->getTemplatedDecl();
    if (const auto *F = dyn_cast<FunctionDecl>(D)) {
      if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
        F = Pattern;
      const FunctionDecl *Definition = F->getDefinition();
      return Definition ? Definition : F;
    }
    if (const auto *R = dyn_cast<CXXRecordDecl>(D))
      if (const CXXRecordDecl *Definition = R->getDefinition())
        return Definition;
    return D;
  }

  const Program &P;
  const SourceManager &Sources;
  DeviceUses &Uses;
  std::vector<const Decl *> Pending;
};

} // namespace

bool cudal1::isDeviceDeclaration(const Decl &D) {
  return D.hasAttr<CUDADeviceAttr>() || D.hasAttr<CUDAGlobalAttr>() ||
         D.hasAttr<CUDAConstantAttr>() || D.hasAttr<CUDASharedAttr>();
}

DeviceUses cudal1::findDeviceUses(const Program &P) {
  DeviceUses Uses;
  Collector C(P, Uses);
  C.findRoots(*P.context(Side::Device).getTranslationUnitDecl());
  C.finish();
  return Uses;
}

//===- HostIndexVisitor.cpp - Fills a HostIndex: walk, calls, records -----===//

#include "HostIndexVisitor.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

void HostIndexVisitor::run(const Program &P) {
  for (FileID File : P.editableFiles(Side::Host))
    Index.Files.insert(File);
  for (FileID File : P.editableFiles(Side::Host)) {
    SmallVector<Decl *, 64> Decls;
    P.ast(Side::Host)
        .findFileRegionDecls(File, 0, SM.getFileIDSize(File), Decls);
    // Members of a namespace are listed beside it.
    for (Decl *D : Decls)
      if (isa<TranslationUnitDecl>(D->getLexicalDeclContext()))
        TraverseDecl(D);
  }
  for (const VarDecl *V : RecordVariables)
    if (Index.unseenWriters(V))
      Index.escapeRecord(userRecord(V->getType()), V->getLocation(),
                         "`" + V->getNameAsString() +
                             "` may be changed by other files");
  for (const FunctionDecl *F : RecordFunctions)
    if (!Index.isClosed(F))
      for (const ParmVarDecl *P : F->parameters())
        if (const RecordDecl *R = userRecord(P->getType()))
          Index.escapeRecord(R, F->getLocation(),
                             "`" + F->getNameAsString() +
                                 "` may be called from other files");
}

bool HostIndexVisitor::isLibrary(const Decl *D) const {
  return D->getLocation().isInvalid() || !Index.isIndexedFile(D->getLocation());
}

bool HostIndexVisitor::TraverseDecl(Decl *D) {
  if (!D)
    return true;
  if (const auto *Scope = dyn_cast<DeclContext>(D))
    if (Scope->isDependentContext())
      return true;
  auto *F = dyn_cast<FunctionDecl>(D);
  if (F)
    Functions.push_back(F);
  Path.push_back({nullptr, D});
  bool Result = Base::TraverseDecl(D);
  Path.pop_back();
  if (F)
    Functions.pop_back();
  return Result;
}

bool HostIndexVisitor::TraverseStmt(Stmt *S) {
  if (!S)
    return true;
  Path.push_back({S, nullptr});
  bool Result = Base::TraverseStmt(S);
  Path.pop_back();
  return Result;
}

// The body belongs to the call operator; a generic lambda has one body for
// each instantiation.
bool HostIndexVisitor::TraverseLambdaExpr(LambdaExpr *L) {
  for (unsigned I = 0, N = L->capture_size(); I != N; ++I) {
    const LambdaCapture *C = L->capture_begin() + I;
    if (L->isInitCapture(C)) {
      TraverseDecl(C->getCapturedVar());
    } else if (C->capturesVariable() && C->getCaptureKind() == LCK_ByCopy) {
      copied(C->getCapturedVar()->getType(), L->getBeginLoc());
    }
  }
  auto Walk = [&](FunctionDecl *Operator) {
    Functions.push_back(Operator);
    VisitFunctionDecl(Operator);
    TraverseStmt(Operator->getBody());
    Functions.pop_back();
  };
  if (FunctionTemplateDecl *Generic = L->getDependentCallOperator()) {
    for (FunctionDecl *F : Generic->specializations())
      Walk(F);
  } else {
    Walk(L->getCallOperator());
  }
  return true;
}

bool HostIndexVisitor::TraverseInitListExpr(InitListExpr *L) {
  InitListExpr *Semantic = L->isSemanticForm() ? L : L->getSemanticForm();
  if (!Semantic)
    Semantic = L;
  VisitInitListExpr(Semantic);
  for (Expr *Init : Semantic->inits())
    TraverseStmt(Init);
  return true;
}

bool HostIndexVisitor::TraverseConstructorInitializer(CXXCtorInitializer *I) {
  if (I->isMemberInitializer() && I->getInit())
    initialize(I->getMember(), I->getInit(), I->getSourceLocation());
  return Base::TraverseConstructorInitializer(I);
}

bool HostIndexVisitor::jump() {
  if (!Functions.empty())
    Index.Jumps.insert(Functions.back()->getCanonicalDecl());
  return true;
}

bool HostIndexVisitor::VisitFunctionDecl(FunctionDecl *F) {
  if (F->isMain())
    Index.HasMain = true;
  if (!F->doesThisDeclarationHaveABody())
    return true;
  Index.Returns[F->getCanonicalDecl()];
  for (const ParmVarDecl *P : F->parameters())
    if (userRecord(P->getType())) {
      RecordFunctions.push_back(F);
      break;
    }
  return true;
}

bool HostIndexVisitor::VisitReturnStmt(ReturnStmt *S) {
  if (!Functions.empty() && S->getRetValue())
    Index.Returns[Functions.back()->getCanonicalDecl()].push_back(
        S->getRetValue());
  return true;
}

/// The record of the author's that a type is, refers to, points to or is an
/// array of.
const RecordDecl *HostIndexVisitor::userRecord(QualType T) const {
  T = T.getNonReferenceType();
  while (!T.isNull() && (T->isPointerType() || T->isArrayType()))
    T = T->isPointerType() ? T->getPointeeType()
                           : QualType(T->getArrayElementTypeNoTypeQual(), 0);
  const RecordDecl *R = T.isNull() ? nullptr : T->getAsRecordDecl();
  return R && !isLibrary(R) ? R : nullptr;
}

void HostIndexVisitor::noteTemplateArguments(
    llvm::ArrayRef<TemplateArgument> Args, SourceLocation Loc) {
  for (const TemplateArgument &Arg : Args) {
    if (Arg.getKind() == TemplateArgument::Pack)
      noteTemplateArguments(Arg.getPackAsArray(), Loc);
    if (Arg.getKind() != TemplateArgument::Type)
      continue;
    if (const RecordDecl *R = userRecord(Arg.getAsType()))
      Index.InLibraryTemplates.try_emplace(canonical(R), Loc);
    noteLibraryType(Arg.getAsType(), Loc);
  }
}

/// A library's class template over a type of the author's makes and copies
/// objects of it out of sight.
void HostIndexVisitor::noteLibraryType(QualType T, SourceLocation Loc) {
  T = T.getNonReferenceType();
  while (T->isPointerType())
    T = T->getPointeeType();
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T.getCanonicalType()->getAsCXXRecordDecl());
  if (R && isLibrary(R))
    noteTemplateArguments(R->getTemplateArgs().asArray(), Loc);
}

/// Objects of type \p T are copied, and so is all that they contain.
void HostIndexVisitor::copied(QualType T, SourceLocation Loc) {
  const RecordDecl *R = userRecord(T);
  if (!R || T->isPointerType() || T->isReferenceType() ||
      !Index.CopiedRecords.try_emplace(canonical(R), Loc).second)
    return;
  if (const RecordDecl *Definition = R->getDefinition())
    for (const FieldDecl *F : Definition->fields())
      copied(F->getType(), Loc);
  if (const auto *Class = dyn_cast_or_null<CXXRecordDecl>(R->getDefinition()))
    for (const CXXBaseSpecifier &Parent : Class->bases())
      copied(Parent.getType(), Loc);
}

void HostIndexVisitor::callOf(const Expr *Call, const FunctionDecl *Callee) {
  const FunctionDecl *Caller = Functions.empty() ? nullptr : Functions.back();
  Index.CallerOfCall[Call] = Caller;
  if (!Callee)
    return;
  Index.Callers[Callee->getCanonicalDecl()].push_back({Call, Caller});
  if (isLibrary(Callee))
    if (const TemplateArgumentList *Args =
            Callee->getTemplateSpecializationArgs())
      noteTemplateArguments(Args->asArray(), Call->getBeginLoc());
}

bool HostIndexVisitor::VisitCXXConstructExpr(CXXConstructExpr *C) {
  const CXXConstructorDecl *Constructor = C->getConstructor();
  callOf(C, Constructor);
  noteLibraryType(C->getType(), C->getBeginLoc());
  if (!Constructor->isCopyOrMoveConstructor() ||
      (!Constructor->isImplicit() && !Constructor->isDefaulted()))
    return true;
  // A local object that is returned does not outlive its copy.
  for (const auto &Around : llvm::drop_begin(llvm::reverse(Path))) {
    if (!Around.S)
      break;
    if (isa<FullExpr, ImplicitCastExpr>(Around.S))
      continue;
    if (isa<ReturnStmt>(Around.S))
      if (const auto *Ref =
              dyn_cast<DeclRefExpr>(C->getArg(0)->IgnoreParenImpCasts()))
        if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
          if (V->hasLocalStorage() && !V->getType()->isReferenceType())
            return true;
    break;
  }
  copied(C->getType(), C->getBeginLoc());
  return true;
}

static bool returnsOrFrees(const FunctionDecl &F) {
  return F.getIdentifier() &&
         llvm::StringSwitch<bool>(F.getName())
             .Cases({"free", "cudaFree", "cudaFreeHost", "cudaFreeAsync",
                     "memset", "printf", "fprintf"},
                    true)
             .Default(false);
}

static bool copiesBytes(const FunctionDecl &F) {
  return F.getIdentifier() && F.getName().contains_insensitive("memcpy");
}

/// What code without a visible body may do to the records that it is given.
void HostIndexVisitor::unseenCall(const CallExpr *C,
                                  const FunctionDecl *Callee) {
  SourceLocation Loc = C->getBeginLoc();
  if (Callee && (returnsOrFrees(*Callee) || allocatedArgument(*Callee)))
    return;
  std::string Name = Callee ? "`" + Callee->getNameAsString() + "`"
                            : std::string("a function pointer");
  for (unsigned I = 0; I < C->getNumArgs(); ++I) {
    const Expr *Arg = C->getArg(I);
    QualType Own = Arg->IgnoreParenCasts()->getType();
    // `&s` and pointers; also an object bound to a reference.
    bool Reachable = Own->isPointerType() || Own->isArrayType() ||
                     (Arg->isGLValue() && !Own.isConstQualified());
    const RecordDecl *R = userRecord(Own);
    if (!R || !Reachable)
      continue;
    QualType Param = Arg->getType();
    if (Callee && I < Callee->getNumParams())
      Param = Callee->getParamDecl(I)->getType();
    if (Param->isPointerOrReferenceType() &&
        Param->getPointeeType().isConstQualified())
      continue;
    if (Callee && copiesBytes(*Callee)) {
      copied(QualType(Index.Context.getCanonicalTagType(R)), Loc);
      bool FromSame = false;
      for (const Expr *Other : C->arguments())
        FromSame |= Other != Arg &&
                    userRecord(Other->IgnoreParenCasts()->getType()) == R;
      if (FromSame)
        continue;
    }
    Index.escapeRecord(R, Loc,
                       "`" + R->getNameAsString() + "` is passed to " + Name +
                           " at " + Index.where(Loc));
  }
  if (const RecordDecl *R = userRecord(C->getType()))
    Index.escapeRecord(R, Loc,
                       "`" + R->getNameAsString() + "` is made by " + Name +
                           " at " + Index.where(Loc));
}

bool HostIndexVisitor::VisitCallExpr(CallExpr *C) {
  const FunctionDecl *Callee = C->getDirectCallee();
  callOf(C, Callee);
  swapCall(C);
  bool Library = Callee && isLibrary(Callee);
  if (!Callee || !Callee->hasBody() ||
      (Library && !Callee->isTemplateInstantiation()))
    if (!isa_and_nonnull<CXXMethodDecl>(Callee) || !Callee->isDefaulted())
      unseenCall(C, Callee);
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (Method &&
      (Method->isCopyAssignmentOperator() ||
       Method->isMoveAssignmentOperator()) &&
      (Method->isImplicit() || Method->isDefaulted()))
    if (const Expr *From = argumentOf(C, 0))
      if (!isa<MaterializeTemporaryExpr>(From->IgnoreParenImpCasts()) &&
          !isa<InitListExpr>(From->IgnoreParenImpCasts()))
        copied(QualType(Index.Context.getCanonicalTagType(Method->getParent())),
               C->getBeginLoc());
  return true;
}

bool HostIndexVisitor::VisitCastExpr(CastExpr *C) {
  if (C->getCastKind() != CK_BitCast && C->getCastKind() != CK_LValueBitCast)
    return true;
  const Expr *From = C->getSubExpr();
  const RecordDecl *Source = userRecord(From->getType());
  const RecordDecl *Target = userRecord(C->getType());
  if (Source == Target)
    return true;
  size_t Outer = skipCasts(Path.size() - 1);
  // Arguments of calls are judged with the call.
  if (Outer > 0 && isa_and_nonnull<CallExpr>(Path[Outer - 1].S))
    Source = nullptr;
  const Expr *Origin = stripPointer(From);
  const auto *Call = dyn_cast<CallExpr>(Origin);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  if ((Callee && returnsAllocation(*Callee)) ||
      isNullPointer(From, Index.Context))
    Target = nullptr;
  for (const RecordDecl *R : {Source, Target})
    if (R)
      Index.escapeRecord(R, C->getBeginLoc(),
                         "a pointer to `" + R->getNameAsString() +
                             "` is cast at " + Index.where(C->getBeginLoc()));
  return true;
}

} // namespace cudal1

//===- HostCalls.cpp - Known host functions and pointer expressions -------===//

#include "cudal1/Analysis/HostIndex.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

/// A function of a library, not one of the author's that bears the same name:
/// its body is not in the author's files.
static bool isLibraryFunction(const FunctionDecl &F) {
  const SourceManager &SM = F.getASTContext().getSourceManager();
  const FunctionDecl *Definition = nullptr;
  if (!F.hasBody(Definition))
    return true;
  return SM.isInSystemHeader(SM.getExpansionLoc(Definition->getLocation()));
}

static StringRef plainName(const FunctionDecl &F) {
  const IdentifierInfo *Name = F.getIdentifier();
  if (!Name || !F.getDeclContext()->getRedeclContext()->isFileContext())
    return "";
  return Name->getName();
}

std::optional<unsigned> allocatedArgument(const FunctionDecl &Callee) {
  bool Allocates =
      llvm::StringSwitch<bool>(plainName(Callee))
          .Cases({"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync",
                  "cudaMallocFromPoolAsync", "cudaMallocPitch",
                  "cudaMallocHost", "cudaHostAlloc"},
                 true)
          .Cases({"cuMemAlloc", "cuMemAlloc_v2", "cuMemAllocManaged",
                  "cuMemAllocHost", "cuMemAllocHost_v2", "cuMemHostAlloc",
                  "cuMemAllocAsync", "cuMemAllocPitch", "cuMemAllocPitch_v2",
                  "posix_memalign"},
                 true)
          .Default(false);
  if (Allocates && isLibraryFunction(Callee))
    return 0;
  return std::nullopt;
}

bool returnsAllocation(const FunctionDecl &Callee) {
  bool Allocates = llvm::StringSwitch<bool>(plainName(Callee))
                       .Cases({"malloc", "calloc", "aligned_alloc", "memalign",
                               "valloc", "__builtin_malloc"},
                              true)
                       .Default(false);
  return Allocates && isLibraryFunction(Callee);
}

bool isLaunchFunction(const FunctionDecl &Callee) {
  return llvm::StringSwitch<bool>(plainName(Callee))
      .Cases({"cudaLaunchKernel", "cudaLaunchKernel_ptsz",
              "cudaLaunchCooperativeKernel", "cudaLaunchKernelEx",
              "cudaLaunchKernelExC", "cuLaunchKernel",
              "cuLaunchCooperativeKernel"},
             true)
      .Default(false);
}

static const Expr *peelCast(const CastExpr *Cast) {
  switch (Cast->getCastKind()) {
  case CK_LValueToRValue:
  case CK_NoOp:
  case CK_BitCast:
  case CK_LValueBitCast:
  case CK_AddressSpaceConversion:
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
    return Cast->getSubExpr();
  default:
    return nullptr;
  }
}

static const Expr *peelOperator(const BinaryOperator *Op) {
  if (Op->getOpcode() == BO_Comma || Op->getOpcode() == BO_Assign)
    return Op->getRHS();
  if (Op->isCompoundAssignmentOp())
    return Op->getLHS();
  if (!Op->isAdditiveOp())
    return nullptr;
  if (Op->getLHS()->getType()->isPointerType())
    return Op->getLHS();
  return Op->getRHS()->getType()->isPointerType() ? Op->getRHS() : nullptr;
}

/// `&p[i]` and `&*p` point into what p points into.
static const Expr *peelAddress(const UnaryOperator *Op) {
  if (Op->isIncrementDecrementOp())
    return Op->getSubExpr();
  if (Op->getOpcode() != UO_AddrOf)
    return nullptr;
  const Expr *Sub = Op->getSubExpr()->IgnoreParens();
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Sub)) {
    const Expr *Base = Subscript->getBase();
    const auto *Cast = dyn_cast<ImplicitCastExpr>(Base->IgnoreParens());
    bool Decays = Cast && Cast->getCastKind() == CK_ArrayToPointerDecay;
    return Decays ? nullptr : Base;
  }
  if (const auto *Deref = dyn_cast<UnaryOperator>(Sub))
    if (Deref->getOpcode() == UO_Deref)
      return Deref->getSubExpr();
  return nullptr;
}

bool passesThrough(const CallExpr *Call) {
  const FunctionDecl *F = Call->getDirectCallee();
  return F && F->isInStdNamespace() && F->getIdentifier() &&
         (F->getName() == "forward" || F->getName() == "move") &&
         Call->getNumArgs() == 1;
}

const Expr *stripPointer(const Expr *E) {
  while (true) {
    E = E->IgnoreParens();
    const Expr *Next = nullptr;
    if (const auto *Full = dyn_cast<FullExpr>(E))
      Next = Full->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      Next = Temporary->getSubExpr();
    else if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(E))
      Next = Default->getExpr();
    else if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(E))
      Next = Default->getExpr();
    else if (const auto *Subst = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      Next = Subst->getReplacement();
    else if (const auto *Cast = dyn_cast<CastExpr>(E))
      Next = peelCast(Cast);
    else if (const auto *Call = dyn_cast<CallExpr>(E))
      Next = passesThrough(Call) ? Call->getArg(0) : nullptr;
    else if (const auto *Op = dyn_cast<BinaryOperator>(E))
      Next = peelOperator(Op);
    else if (const auto *Op = dyn_cast<UnaryOperator>(E))
      Next = peelAddress(Op);
    else if (const auto *List = dyn_cast<InitListExpr>(E);
             List && List->getNumInits() == 1 &&
             !List->getType()->isRecordType() &&
             !List->getType()->isArrayType())
      Next = List->getInit(0);
    if (!Next)
      return E;
    E = Next;
  }
}

const FunctionDecl *calleeOf(const Expr *Call) {
  const FunctionDecl *F = nullptr;
  if (const auto *C = dyn_cast<CallExpr>(Call))
    F = C->getDirectCallee();
  else if (const auto *C = dyn_cast<CXXConstructExpr>(Call))
    F = C->getConstructor();
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  if (Method && Method->isVirtual())
    return nullptr;
  return F;
}

const Expr *argumentOf(const Expr *Call, unsigned Index) {
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(Call))
    return Index < Construct->getNumArgs() ? Construct->getArg(Index) : nullptr;
  const auto *C = cast<CallExpr>(Call);
  // The object of a member operator is its first argument, yet no parameter.
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(C->getDirectCallee());
  if (isa<CXXOperatorCallExpr>(C) && Method && Method->isInstance())
    ++Index;
  return Index < C->getNumArgs() ? C->getArg(Index) : nullptr;
}

bool isNullPointer(const Expr *E, const ASTContext &Context) {
  E = stripPointer(E);
  if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr, CXXNullPtrLiteralExpr,
          GNUNullExpr>(E))
    return true;
  if (const auto *List = dyn_cast<InitListExpr>(E))
    return List->getNumInits() == 0;
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    if (Cast->getCastKind() == CK_NullToPointer)
      return true;
  return !E->isValueDependent() &&
         E->isNullPointerConstant(const_cast<ASTContext &>(Context),
                                  Expr::NPC_ValueDependentIsNotNull) !=
             Expr::NPCK_NotNull;
}

static bool isLibraryRecord(const CXXRecordDecl &R, const SourceManager &SM) {
  return SM.isInSystemHeader(SM.getExpansionLoc(R.getLocation()));
}

bool isOwningContainer(QualType T, const SourceManager &SM) {
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl());
  if (!R || !R->getIdentifier() || !isLibraryRecord(*R, SM))
    return false;
  std::string Name = R->getQualifiedNameAsString();
  StringRef Space = StringRef(Name).split("::").first;
  bool Known = llvm::StringSwitch<bool>(R->getName())
                   .Case("vector", Space == "std" || Space == "thrust")
                   .Cases({"device_vector", "host_vector", "universal_vector"},
                          Space == "thrust")
                   .Default(false);
  if (!Known)
    return false;
  // With an allocator of the author's the buffer may come from anywhere.
  for (const TemplateArgument &Arg : R->getTemplateArgs().asArray())
    if (Arg.getKind() == TemplateArgument::Type)
      if (const CXXRecordDecl *A = Arg.getAsType()->getAsCXXRecordDecl())
        if (A->getIdentifier() && A->getName().contains("llocator") &&
            !isLibraryRecord(*A, SM))
          return false;
  return true;
}

} // namespace cudal1

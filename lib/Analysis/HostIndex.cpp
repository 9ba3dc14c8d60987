//===- HostIndex.cpp - Where host code keeps and changes pointers ---------===//

#include "cudal1/Analysis/HostIndex.h"

#include "HostIndexVisitor.h"
#include "cudal1/Frontend/CompileUnit.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace cudal1 {

HostIndex::HostIndex(const Program &P) : Context(P.context(Side::Host)) {
  HostIndexVisitor(*this).run(P);
}

bool HostIndex::isIndexedFile(SourceLocation Loc) const {
  const SourceManager &SM = Context.getSourceManager();
  return Files.contains(SM.getFileID(SM.getExpansionLoc(Loc)));
}

const RecordDecl *canonical(const RecordDecl *R) {
  return cast<RecordDecl>(R->getCanonicalDecl());
}

bool isPointerSlot(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  if (const auto *Array = dyn_cast<ConstantArrayType>(T))
    T = Array->getElementType();
  return T->isPointerType() && !T->isFunctionPointerType();
}

/// The variable or field that stands at the bottom of `v`, `s.f` or an element
/// of an array of pointers.
static std::optional<Slot> baseSlot(const Expr *E) {
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V || !isPointerSlot(V->getType()))
      return std::nullopt;
    Slot S;
    bool Refers = isa<ParmVarDecl>(V) && V->getType()->isReferenceType();
    S.Key = SlotKey(V->getFirstDecl(), Refers);
    return S;
  }
  const auto *Member = dyn_cast<MemberExpr>(E);
  if (!Member || !isPointerSlot(Member->getMemberDecl()->getType()))
    return std::nullopt;
  Slot S;
  if (const auto *Static = dyn_cast<VarDecl>(Member->getMemberDecl())) {
    S.Key = SlotKey(Static->getFirstDecl(), false);
    return S;
  }
  const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
  if (!Field || Field->getParent()->isUnion() ||
      Field->getType()->isReferenceType())
    return std::nullopt;
  S.Key = SlotKey(Field->getFirstDecl(), false);
  S.Base = Member->getBase();
  S.Arrow = Member->isArrow();
  return S;
}

static const ParmVarDecl *pointerParameter(const Expr *E) {
  const auto *Load = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
  if (!Load || Load->getCastKind() != CK_LValueToRValue)
    return nullptr;
  const auto *Ref = dyn_cast<DeclRefExpr>(Load->getSubExpr()->IgnoreParens());
  const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  if (!P || !P->getType()->isPointerType() ||
      !P->getType()->getPointeeType()->isPointerType())
    return nullptr;
  return P;
}

std::optional<Slot> HostIndex::slotOf(const Expr *Lvalue) const {
  const Expr *E = Lvalue->IgnoreParens();
  while (const auto *Cast = dyn_cast<ImplicitCastExpr>(E)) {
    if (Cast->getCastKind() != CK_NoOp)
      break;
    E = Cast->getSubExpr()->IgnoreParens();
  }
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
    if (const ParmVarDecl *P = pointerParameter(Subscript->getBase())) {
      Expr::EvalResult Value;
      if (!Subscript->getIdx()->EvaluateAsInt(Value, Context) ||
          Value.Val.getInt() != 0)
        return std::nullopt;
      Slot S;
      S.Key = SlotKey(P, true);
      return S;
    }
    const auto *Decay =
        dyn_cast<ImplicitCastExpr>(Subscript->getBase()->IgnoreParens());
    if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
      return std::nullopt;
    std::optional<Slot> S = baseSlot(Decay->getSubExpr()->IgnoreParens());
    if (S)
      S->Index = Subscript->getIdx();
    return S;
  }
  if (const auto *Deref = dyn_cast<UnaryOperator>(E)) {
    const ParmVarDecl *P = Deref->getOpcode() == UO_Deref
                               ? pointerParameter(Deref->getSubExpr())
                               : nullptr;
    if (!P)
      return std::nullopt;
    Slot S;
    S.Key = SlotKey(P, true);
    return S;
  }
  std::optional<Slot> S = baseSlot(E);
  // A whole array is no slot; only its elements are.
  if (S && E->getType()->isArrayType())
    return std::nullopt;
  return S;
}

llvm::ArrayRef<SlotWrite> HostIndex::writesOf(SlotKey Key) const {
  auto It = Writes.find(Key);
  if (It == Writes.end())
    return {};
  return It->second;
}

llvm::ArrayRef<CallSite> HostIndex::callersOf(const FunctionDecl *F) const {
  auto It = Callers.find(F->getCanonicalDecl());
  if (It == Callers.end())
    return {};
  return It->second;
}

std::optional<llvm::ArrayRef<const Expr *>>
HostIndex::returnsOf(const FunctionDecl *F) const {
  auto It = Returns.find(F->getCanonicalDecl());
  if (It == Returns.end())
    return std::nullopt;
  return llvm::ArrayRef<const Expr *>(It->second);
}

/// Declared in another file than the one that defines it, so that others can
/// know of it; also when it is not defined at all.
bool HostIndex::isDeclaredElsewhere(const NamedDecl *D) const {
  auto FileOf = [&](const Decl *Any) {
    return Context.getSourceManager().getFileID(
        Context.getSourceManager().getExpansionLoc(Any->getLocation()));
  };
  const Decl *Definition = D;
  if (const auto *F = dyn_cast<FunctionDecl>(D)) {
    if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
      F = Pattern;
    Definition = F->getDefinition() ? F->getDefinition() : F;
  } else if (const auto *V = dyn_cast<VarDecl>(D)) {
    Definition = V->getDefinition();
    if (!Definition)
      return true;
  }
  for (const Decl *Other : Definition->redecls())
    if (FileOf(Other) != FileOf(Definition))
      return true;
  return false;
}

/// Defined in a header that was given as the input: other units include it, and
/// each may use it in its own way. A definition that may stand only once in a
/// program is not shared.
static bool isShared(const NamedDecl *D) {
  const auto *F = dyn_cast<FunctionDecl>(D);
  if (F && F->isExternallyVisible() && !F->isInlined() && !F->isTemplated() &&
      !F->isTemplateInstantiation())
    return false;
  const SourceManager &SM = D->getASTContext().getSourceManager();
  SourceLocation Loc = SM.getExpansionLoc(D->getLocation());
  return SM.isInMainFile(Loc) && isHeaderName(SM.getFilename(Loc));
}

/// Known to no other unit: of internal linkage, or in a unit with a main of
/// its own and told to nobody through a header.
bool HostIndex::isClosed(const NamedDecl *D) const {
  if (!HasMain && isShared(D))
    return false;
  return !D->isExternallyVisible() || (HasMain && !isDeclaredElsewhere(D));
}

std::optional<HostObstacle>
HostIndex::unseenLaunches(const FunctionDecl *Kernel) const {
  std::string Name = Kernel->getNameAsString();
  if (auto It = AddressTaken.find(Kernel->getCanonicalDecl());
      It != AddressTaken.end())
    return HostObstacle{It->second, "the address of `" + Name +
                                        "` is taken at " + where(It->second)};
  if (!HasMain && isShared(Kernel))
    return HostObstacle{Kernel->getLocation(),
                        "other files may include `" + Name + "` and launch it"};
  const FunctionDecl *Pattern = Kernel->getTemplateInstantiationPattern();
  const FunctionDecl *Text = Pattern ? Pattern : Kernel;
  if (const FunctionDecl *Definition = Text->getDefinition())
    Text = Definition;
  const SourceManager &SM = Context.getSourceManager();
  bool InMainFile = SM.getFileID(SM.getExpansionLoc(Text->getLocation())) ==
                    SM.getMainFileID();
  // Other units that include a header launch what it defines on buffers of
  // their own. A program that defines a function twice does not link, though.
  bool DefinedOnce =
      !Pattern && Kernel->isExternallyVisible() && !Text->isInlined();
  if ((!InMainFile && !DefinedOnce) || (!Pattern && !isClosed(Kernel)) ||
      (Kernel->isExternallyVisible() && isDeclaredElsewhere(Text)))
    return HostObstacle{Kernel->getLocation(),
                        "`" + Name + "` may be launched from other files"};
  return std::nullopt;
}

std::optional<HostObstacle>
HostIndex::unseenCallers(const FunctionDecl *F) const {
  F = F->getCanonicalDecl();
  std::string Name = F->getNameAsString();
  if (auto It = AddressTaken.find(F); It != AddressTaken.end())
    return HostObstacle{It->second, "the address of `" + Name +
                                        "` is taken at " + where(It->second)};
  if (!isIndexed(F))
    return HostObstacle{F->getLocation(), "`" + Name + "` is library code"};
  const auto *Method = dyn_cast<CXXMethodDecl>(F);
  if (Method && Method->isVirtual())
    return HostObstacle{F->getLocation(), "`" + Name + "` is virtual"};
  if (Method) {
    auto It = InLibraryTemplates.find(canonical(Method->getParent()));
    if (It != InLibraryTemplates.end())
      return HostObstacle{It->second, "`" + Name +
                                          "` may be called by the library "
                                          "template used at " +
                                          where(It->second)};
    if (Method->getParent()->isLambda())
      return std::nullopt;
  }
  if (!isClosed(F))
    return HostObstacle{F->getLocation(),
                        "`" + Name + "` may be called from other files"};
  return std::nullopt;
}

std::optional<HostObstacle> HostIndex::unseenWriters(const VarDecl *V) const {
  if (V->hasLocalStorage() || V->isStaticLocal() ||
      (isClosed(V) && isIndexedFile(V->getLocation())))
    return std::nullopt;
  return HostObstacle{V->getLocation(), "`" + V->getNameAsString() +
                                            "` may be changed by other files"};
}

std::optional<HostObstacle>
HostIndex::unseenObjects(const RecordDecl *R) const {
  auto It = EscapedRecords.find(canonical(R));
  if (It != EscapedRecords.end())
    return It->second;
  if (!isIndexedFile(R->getLocation()))
    return HostObstacle{R->getLocation(), "`" + R->getNameAsString() +
                                              "` is a type of a library"};
  return std::nullopt;
}

std::optional<SourceLocation> HostIndex::copyOf(const RecordDecl *R) const {
  for (const auto *Map : {&CopiedRecords, &InLibraryTemplates})
    if (auto It = Map->find(canonical(R)); It != Map->end())
      return It->second;
  return std::nullopt;
}

std::optional<SourceLocation>
HostIndex::bufferMoves(const ValueDecl *Container) const {
  auto It = BufferMoves.find(Container);
  if (It == BufferMoves.end())
    return std::nullopt;
  return It->second;
}

bool HostIndex::isLaunchArguments(const VarDecl *V) const {
  auto It = ArgumentArrays.find(V);
  return It != ArgumentArrays.end() && It->second.isInvalid();
}

void HostIndex::escapeRecord(const RecordDecl *R, SourceLocation Loc,
                             const llvm::Twine &Why) {
  R = canonical(R);
  if (!EscapedRecords.try_emplace(R, HostObstacle{Loc, Why.str()}).second)
    return;
  // What an object holds or points to is within reach as well.
  if (const RecordDecl *Definition = R->getDefinition())
    for (const FieldDecl *F : Definition->fields()) {
      QualType T = F->getType().getNonReferenceType();
      while (!T.isNull() && (T->isPointerType() || T->isArrayType()))
        T = T->isPointerType()
                ? T->getPointeeType()
                : QualType(T->getArrayElementTypeNoTypeQual(), 0);
      if (const RecordDecl *Inner = T->getAsRecordDecl())
        escapeRecord(Inner, Loc, Why);
    }
  if (const auto *Class = dyn_cast_or_null<CXXRecordDecl>(R->getDefinition()))
    for (const CXXBaseSpecifier &Parent : Class->bases())
      if (const CXXRecordDecl *Inner = Parent.getType()->getAsCXXRecordDecl())
        escapeRecord(Inner, Loc, Why);
}

std::string HostIndex::where(SourceLocation Loc) const {
  const SourceManager &SM = Context.getSourceManager();
  PresumedLoc Place = SM.getPresumedLoc(SM.getExpansionLoc(Loc), false);
  if (Place.isInvalid())
    return "an unknown place";
  return (llvm::sys::path::filename(Place.getFilename()) + ":" +
          llvm::Twine(Place.getLine()))
      .str();
}

bool sameExpression(const Expr *A, const Expr *B, const ASTContext &Context) {
  llvm::FoldingSetNodeID IdA, IdB;
  A->IgnoreParens()->Profile(IdA, Context, true);
  B->IgnoreParens()->Profile(IdB, Context, true);
  return IdA == IdB;
}

} // namespace cudal1

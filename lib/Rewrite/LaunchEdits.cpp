//===- LaunchEdits.cpp - Rewriting the shape of launches ------------------===//

#include "LaunchEdits.h"

#include "RoundedQuotient.h"
#include "cudal1/Analysis/DeviceFunctions.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// The expression that an author wrote for a configuration argument: without
/// conversions, copies and temporaries.
static const Expr *written(const Expr *E) {
  while (true) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr();
    else if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(E))
      E = Cast->getSubExpr();
    else if (const auto *Construct = dyn_cast<CXXConstructExpr>(E);
             Construct && Construct->getNumArgs() == 1 &&
             Construct->getConstructor()->isCopyOrMoveConstructor())
      E = Construct->getArg(0);
    else
      return E;
  }
}

static bool isDim3(QualType T) {
  const auto *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getIdentifier() && R->getName() == "dim3";
}

/// The name of the kernel stands at the launch itself: not a template's
/// parameter, not a macro.
static bool namesKernel(const Launch &L, const EditBuilder &Host) {
  const Expr *Callee =
      L.Form == LaunchForm::Chevron ? L.Call->getCallee() : L.Call->getArg(0);
  Callee = Callee->IgnoreParenCasts();
  if (const auto *Op = dyn_cast<UnaryOperator>(Callee))
    if (Op->getOpcode() == UO_AddrOf)
      Callee = Op->getSubExpr()->IgnoreParenCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(Callee);
  if (!Ref || Ref->getLocation().isMacroID())
    return false;
  return Host.text(Ref->getLocation()) == L.Callee->getName();
}

std::optional<LaunchSet> editableLaunches(const Kernel &K,
                                          const ProgramAnalysis &A,
                                          std::string &Obstacle) {
  if (auto Unseen = A.unseenLaunches(K)) {
    Obstacle = *Unseen;
    return std::nullopt;
  }
  const Program &P = A.program();
  const SourceManager &SM = P.sources(Side::Host);
  EditBuilder Host(P, Side::Host);
  LaunchSet Set;
  std::set<SourceLocation> Seen;
  for (const Kernel *Instance : A.instancesOf(K))
    for (const Launch *L : Instance->Launches) {
      std::string Where = "the launch at line " + std::to_string(L->Line);
      if (L->InMacro || !Host.canEdit(L->Call->getSourceRange())) {
        Obstacle = Where + " is written in a macro or cannot be edited";
        return std::nullopt;
      }
      if (!L->Grid || !L->Block || L->Form == LaunchForm::CudaLaunchKernelEx ||
          L->Form == LaunchForm::CudaLaunchCooperative ||
          !namesKernel(*L, Host)) {
        Obstacle = Where + " is of a form that cannot be edited";
        return std::nullopt;
      }
      Set.All.push_back(L);
      if (Seen.insert(SM.getFileLoc(L->Call->getBeginLoc())).second)
        Set.Places.push_back(L);
    }
  // A host template may launch another kernel from the same text.
  for (const auto &L : A.launches()) {
    if (llvm::is_contained(Set.All, L.get()))
      continue;
    if (!Seen.count(SM.getFileLoc(L->Call->getBeginLoc())))
      continue;
    bool Same = llvm::any_of(
        Set.All, [&](const Launch *Known) { return Known->Call == L->Call; });
    if (!Same) {
      Obstacle = "the launch at line " + std::to_string(L->Line) +
                 " launches other kernels too";
      return std::nullopt;
    }
  }
  return Set;
}

namespace {

class Mentions : public RecursiveASTVisitor<Mentions> {
public:
  explicit Mentions(const VarDecl *V) : V(V) {}
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (E->getDecl() == V)
      All.push_back(E);
    return true;
  }
  const VarDecl *V;
  std::vector<const DeclRefExpr *> All;
};

} // namespace

static std::vector<const DeclRefExpr *> mentionsOf(const VarDecl *V) {
  Mentions Finder(V);
  if (const auto *F =
          dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod()))
    if (F->hasBody())
      Finder.TraverseStmt(F->getBody());
  return Finder.All;
}

bool isOnlyLaunchConfiguration(const VarDecl *V, const LaunchSet &Set,
                               const ProgramAnalysis &A,
                               llvm::ArrayRef<SourceRange> Replaced) {
  if (!V->isLocalVarDecl() || !V->hasLocalStorage() ||
      V->getType()->isReferenceType())
    return false;
  std::vector<const DeclRefExpr *> Known;
  for (const Launch *L : Set.All)
    for (const Expr *Argument : {L->Grid, L->Block})
      if (const auto *Ref = dyn_cast<DeclRefExpr>(written(Argument)))
        Known.push_back(Ref);
  std::vector<const DeclRefExpr *> All = mentionsOf(V);
  const SourceManager &SM = A.program().sources(Side::Host);
  auto GoesAway = [&](const DeclRefExpr *Ref) {
    SourceLocation At = SM.getFileLoc(Ref->getLocation());
    return llvm::any_of(Replaced, [&](SourceRange R) {
      SourceLocation Begin = SM.getFileLoc(R.getBegin());
      SourceLocation End = SM.getFileLoc(R.getEnd());
      return !SM.isBeforeInTranslationUnit(At, Begin) &&
             !SM.isBeforeInTranslationUnit(End, At);
    });
  };
  return !All.empty() && llvm::all_of(All, [&](const DeclRefExpr *Ref) {
    return llvm::is_contained(Known, Ref) || GoesAway(Ref);
  });
}

bool isOnlyBlock(const VarDecl *V, const LaunchSet &Set,
                 const ProgramAnalysis &A) {
  if (!V->isLocalVarDecl() || !V->hasLocalStorage() ||
      V->getType()->isReferenceType())
    return false;
  std::vector<const Expr *> Known;
  for (const Launch *L : Set.All)
    if (auto Block = geometryOf(L->Block, A))
      Known.push_back(Block->Written);
  return llvm::all_of(mentionsOf(V), [&](const DeclRefExpr *Ref) {
    return llvm::is_contained(Known, Ref);
  });
}

/// A local dim3 that is only read after its initialiser: every mention is the
/// base of a member that is loaded, or is copied.
static bool isNeverChanged(const VarDecl *V) {
  if (V->getType().isConstQualified())
    return true;
  class Reader : public RecursiveASTVisitor<Reader> {
  public:
    explicit Reader(const VarDecl *V) : V(V) {}
    bool VisitImplicitCastExpr(ImplicitCastExpr *Cast) {
      if (Cast->getCastKind() == CK_LValueToRValue ||
          Cast->getCastKind() == CK_NoOp)
        if (const auto *Member =
                dyn_cast<MemberExpr>(Cast->getSubExpr()->IgnoreParens()))
          note(Member->getBase());
      if (Cast->getCastKind() == CK_NoOp && Cast->getType().isConstQualified())
        note(Cast->getSubExpr());
      return true;
    }
    void note(const Expr *E) {
      if (const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParens()))
        if (Ref->getDecl() == V)
          Reads.insert(Ref);
    }
    const VarDecl *V;
    llvm::DenseSet<const DeclRefExpr *> Reads;
  };
  const auto *F =
      dyn_cast_or_null<FunctionDecl>(V->getParentFunctionOrMethod());
  if (!F || !F->hasBody())
    return false;
  Reader Finder(V);
  Finder.TraverseStmt(F->getBody());
  return llvm::all_of(mentionsOf(V), [&](const DeclRefExpr *Ref) {
    return Finder.Reads.contains(Ref);
  });
}

static bool isPrimary(const Expr *E) {
  return !E->getBeginLoc().isMacroID() && !E->getEndLoc().isMacroID() &&
         isa<IntegerLiteral, DeclRefExpr, MemberExpr>(E->IgnoreImpCasts());
}

/// \p E changes something. A function that divides and rounds up does not.
static bool hasEffects(const Expr *E, const ASTContext &Context) {
  if (auto Rounded = roundedQuotient(E, Context))
    return Rounded->Dividend->HasSideEffects(Context) ||
           Rounded->Divisor->HasSideEffects(Context);
  return E->HasSideEffects(Context);
}

/// The three arguments of a dim3 constructor as text.
static bool constructorText(const CXXConstructExpr &C, const EditBuilder &Host,
                            const ASTContext &Context,
                            std::array<std::string, 3> &Text,
                            std::array<bool, 3> &Primary) {
  if (!isDim3(C.getType()) || C.getNumArgs() != 3)
    return false;
  for (unsigned I = 0; I < 3; ++I) {
    const Expr *Argument = C.getArg(I);
    if (isa<CXXDefaultArgExpr>(Argument)) {
      Text[I] = "1";
      continue;
    }
    if (hasEffects(Argument, Context) ||
        !Host.canEdit(Argument->getSourceRange()))
      return false;
    Text[I] = Host.text(Argument->getSourceRange()).str();
    Primary[I] = isPrimary(Argument);
    if (Text[I].empty())
      return false;
  }
  return true;
}

std::optional<LaunchGeometry> geometryOf(const Expr *Argument,
                                         const ProgramAnalysis &A) {
  const Program &P = A.program();
  const ASTContext &Context = P.context(Side::Host);
  EditBuilder Host(P, Side::Host);
  LaunchGeometry G;
  G.Argument = Argument;
  const Expr *E = written(Argument);
  G.Written = E;
  if (!Host.canEdit(Argument->getSourceRange()))
    return std::nullopt;
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    if (!constructorText(*Construct, Host, Context, G.Text, G.Primary))
      return std::nullopt;
    // A number that became a dim3 by itself.
    G.Scalar = Construct->getParenOrBraceRange().isInvalid();
    if (G.Scalar)
      G.Written = written(Construct->getArg(0));
    G.Constructor = G.Scalar ? nullptr : Construct;
    return G;
  }
  std::string Text = Host.text(E->getSourceRange()).str();
  if (Text.empty() || hasEffects(E, Context))
    return std::nullopt;
  if (E->getType()->isIntegralOrEnumerationType()) {
    G.Scalar = true;
    G.Text = {Text, "1", "1"};
    G.Primary[0] = isPrimary(E);
    return G;
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  if (!isDim3(E->getType()) || (!Ref && !isa<MemberExpr>(E)) || !isPrimary(E))
    return std::nullopt;
  G.Text = {Text + ".x", Text + ".y", Text + ".z"};
  G.Variable = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!G.Variable || !G.Variable->isLocalVarDecl() || !G.Variable->getInit() ||
      !isNeverChanged(G.Variable))
    return G;
  const auto *Construct =
      dyn_cast<CXXConstructExpr>(written(G.Variable->getInit()));
  std::array<std::string, 3> Arguments;
  std::array<bool, 3> Primary;
  if (Construct && Construct->getParenOrBraceRange().isValid() &&
      constructorText(*Construct, Host, Context, Arguments, Primary))
    G.Constructor = Construct;
  return G;
}

std::string sharedBlocksText(const LaunchGeometry &Grid, unsigned Axis,
                             int64_t Ratio) {
  const std::string &Text = Grid.Text[Axis];
  std::string Blocks = Grid.Primary[Axis] ? Text : "(" + Text + ")";
  return "(" + Blocks + " + " + std::to_string(Ratio - 1) + ") / " +
         std::to_string(Ratio);
}

bool showsOrder(const Kernel &K) {
  class Finder : public RecursiveASTVisitor<Finder> {
  public:
    bool VisitCallExpr(CallExpr *C) {
      if (const FunctionDecl *F = C->getDirectCallee()) {
        DeviceFunction What = classify(*F);
        Found |= What == DeviceFunction::Print || What == DeviceFunction::Clock;
        const FunctionDecl *Definition = nullptr;
        if (What == DeviceFunction::Ordinary && F->hasBody(Definition) &&
            Seen.insert(Definition).second)
          TraverseStmt(Definition->getBody());
      }
      return true;
    }
    llvm::DenseSet<const FunctionDecl *> Seen;
    bool Found = false;
  } Search;
  Search.TraverseStmt(K.Function->getBody());
  return Search.Found;
}

SourceLocation attributePlace(const FunctionDecl &F) {
  if (NestedNameSpecifierLoc Qualifier = F.getQualifierLoc())
    return Qualifier.getBeginLoc();
  return F.getLocation();
}

void replaceLaunchBounds(const Kernel &K, EditBuilder &Builder,
                         StringRef Bounds) {
  const auto *Old = K.Pattern->getAttr<CUDALaunchBoundsAttr>();
  if (Old && !Old->isInherited() && Old->getLocation().isMacroID()) {
    CharSourceRange Use =
        K.Context->getSourceManager().getExpansionRange(Old->getLocation());
    SourceRange Range(Use.getBegin(), Use.getEnd());
    if (Builder.text(Range).starts_with("__launch_bounds__") &&
        Builder.canEdit(Range))
      return Builder.replace(Range, Bounds);
  }
  Builder.fail("the launch bounds of `" + K.Name + "` cannot be changed");
}

std::string launchesAre(const LaunchSet &Set) {
  if (Set.All.size() == 1)
    return "its one launch is";
  return "all " + std::to_string(Set.All.size()) + " launches are";
}

std::string dim3Arguments(const std::array<std::string, 3> &Text) {
  std::string Result = Text[0];
  if (Text[1] != "1" || Text[2] != "1")
    Result += ", " + Text[1];
  if (Text[2] != "1")
    Result += ", " + Text[2];
  return Result;
}

std::string dim3Text(const std::array<std::string, 3> &Text) {
  return "dim3(" + dim3Arguments(Text) + ")";
}

} // namespace cudal1

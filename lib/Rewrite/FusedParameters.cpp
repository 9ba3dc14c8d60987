//===- FusedParameters.cpp - Names of two kernels in one ------------------===//

#include "FusedParameters.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace clang;

namespace cudal1 {

/// All variables that a kernel declares, in inner blocks too.
static std::vector<const VarDecl *> localsOf(const Kernel &K) {
  class Finder : public RecursiveASTVisitor<Finder> {
  public:
    bool VisitVarDecl(VarDecl *V) {
      Found.push_back(V);
      return true;
    }
    std::vector<const VarDecl *> Found;
  } Search;
  Search.TraverseStmt(K.Function->getBody());
  return std::move(Search.Found);
}

FusedParameters::FusedParameters(const ThreadsOf &First,
                                 const ThreadsOf &Second,
                                 const ProgramAnalysis &A)
    : First(First), Second(Second), A(A) {
  addParameters(First, OfFirst, false);
  addParameters(Second, OfSecond, true);
  for (FusedParameter &P : Parameters)
    spell(P);
  inheritNumbers();
  nameLocals();
  checkNames();
}

std::string FusedParameters::fresh(llvm::StringRef Wanted) {
  std::string Name = Wanted.str();
  while (true) {
    std::string Once = freshName(First.kernel().Function, Name, Taken);
    Name = freshName(Second.kernel().Function, Once, Taken);
    if (Name == Once)
      break;
  }
  Taken.push_back(Name);
  return Name;
}

/// The parameter that already stands for what \p P is given.
FusedParameter *FusedParameters::alike(const ThreadsOf &Of,
                                       const ParmVarDecl *P) {
  const ASTContext &Host = A.program().context(Side::Host);
  const Expr *Argument = Of.argumentOf(*P)->IgnoreParenImpCasts();
  bool Pointer = P->getType()->isPointerType();
  if (!Pointer && !isa<DeclRefExpr>(Argument))
    return nullptr;
  for (FusedParameter &Known : Parameters) {
    QualType T = Known.Of.front()->getType(), Mine = P->getType();
    if (Pointer != T->isPointerType())
      continue;
    if (Pointer) {
      T = T->getPointeeType();
      Mine = Mine->getPointeeType();
    }
    if (Of.kernel().Context->hasSameUnqualifiedType(T, Mine) &&
        isSameValue(Known.Argument, Of.argumentOf(*P), Host))
      return &Known;
  }
  return nullptr;
}

void FusedParameters::addParameters(const ThreadsOf &Of, NewNames &Names,
                                    bool IsSecond) {
  for (const KernelParameter &Each : Of.kernel().Parameters) {
    const ParmVarDecl *P = Each.Decl;
    if (P->hasDefaultArg() || P->getName().empty() ||
        P->getType()->isReferenceType())
      no("a parameter is of an unusual form");
    // Two numbers of one kernel keep their names though they be equal.
    FusedParameter *Known = IsSecond || Each.IsPointer ? alike(Of, P) : nullptr;
    if (Known) {
      Known->Of.push_back(P);
      Names[P] = Known->Name;
      continue;
    }
    FusedParameter New;
    New.Argument = Of.argumentOf(*P);
    New.Of.push_back(P);
    New.Name = P->getName().str();
    if (IsSecond) {
      // Its own name may stand in its own kernel.
      std::string Name =
          freshName(First.kernel().Function, P->getName(), Taken);
      New.Name = Name == P->getName() ? Name : fresh(Name);
    }
    Taken.push_back(New.Name);
    Names[P] = New.Name;
    Parameters.push_back(std::move(New));
  }
}

/// Declares \p P: as its author did where that fits all that it stands for.
void FusedParameters::spell(FusedParameter &P) {
  EditBuilder Texts(A.program(), Side::Device);
  const ParmVarDecl *Model = P.Of.front();
  QualType T = Model->getType();
  if (llvm::all_of(P.Of, [&](const ParmVarDecl *Each) {
        return Each->getType().getUnqualifiedType() == T.getUnqualifiedType() &&
               Each->getType().isRestrictQualified() == T.isRestrictQualified();
      })) {
    std::string Text = Texts.text(Model->getSourceRange()).str();
    if (!llvm::StringRef(Text).ends_with(Model->getName()) ||
        Text.find('\n') != std::string::npos)
      return no("a parameter is declared in an unusual form");
    Text.resize(Text.size() - Model->getName().size());
    P.Text = Text + P.Name;
    return;
  }
  bool Const = true, Restrict = true;
  for (const ParmVarDecl *Each : P.Of) {
    Const &= Each->getType()->isPointerType() &&
             Each->getType()->getPointeeType().isConstQualified();
    Restrict &= Each->getType().isRestrictQualified();
  }
  if (!T->isPointerType()) {
    P.Text = spellElementType(Model, T.getUnqualifiedType(),
                              First.kernel().Function->getASTContext()) +
             " " + P.Name;
    return;
  }
  P.Text = (Const ? "const " : "") +
           spellElementType(Model, T->getPointeeType().getUnqualifiedType(),
                            First.kernel().Function->getASTContext()) +
           " *" + (Restrict ? "__restrict__ " : "") + P.Name;
}

/// The second kernel's row and column are the first one's.
void FusedParameters::inheritNumbers() {
  for (unsigned Axis = 0; Axis < 2; ++Axis) {
    const auto &Mine = First.elements().Along[Axis].Variables;
    if (Mine.empty())
      continue;
    const VarDecl *Number = Mine.front();
    for (const VarDecl *V : Second.elements().Along[Axis].Variables)
      if (V->getType().getCanonicalType().getUnqualifiedType() ==
          Number->getType().getCanonicalType().getUnqualifiedType()) {
        Inherited.insert(V);
        OfSecond[V] = Number->getName().str();
      }
  }
}

/// Names that the second kernel declares and that mean something else in what
/// it shares with the first.
void FusedParameters::nameLocals() {
  std::set<std::string> Used;
  for (const FusedParameter &P : Parameters)
    Used.insert(P.Name);
  for (const VarDecl *V : First.elements().Declarations)
    Used.insert(V->getName().str());
  for (const VarDecl *V : localsOf(Second.kernel())) {
    if (Inherited.contains(V) || !Used.count(V->getName().str()))
      continue;
    OfSecond[V] = fresh(V->getName());
  }
}

/// What else the second kernel names is not hidden by the first one's
/// variables.
void FusedParameters::checkNames() {
  class Finder : public RecursiveASTVisitor<Finder> {
  public:
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      const auto *V = dyn_cast<VarDecl>(E->getDecl());
      if (!(V && (V->isLocalVarDecl() || isa<ParmVarDecl>(V))) &&
          E->getDecl()->getIdentifier())
        Names.insert(E->getDecl()->getName().str());
      return true;
    }
    bool VisitTypeLoc(TypeLoc T) {
      QualType Type = T.getType();
      if (const auto *Alias = Type->getAs<TypedefType>())
        Names.insert(Alias->getDecl()->getName().str());
      if (const TagDecl *Tag = Type->getAsTagDecl())
        Names.insert(Tag->getName().str());
      return true;
    }
    std::set<std::string> Names;
  } Search;
  Search.TraverseStmt(Second.kernel().Function->getBody());
  for (const FusedParameter &P : Parameters)
    if (Search.Names.count(P.Name))
      no(P.Name + " means something else in " + Second.kernel().Name);
  for (const VarDecl *V : First.elements().Declarations)
    if (Search.Names.count(V->getName().str()))
      no(V->getName() + " means something else in " + Second.kernel().Name);
}

} // namespace cudal1

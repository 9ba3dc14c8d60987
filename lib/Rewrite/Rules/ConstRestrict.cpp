//===- ConstRestrict.cpp - const and __restrict__ on pointer parameters ---===//
//
// What is known not to be written, and not to overlap with what is written, may
// be kept in registers over stores and read through the read-only data cache.
// const needs a look at the kernel and its declarations only; __restrict__ is a
// promise on the buffers of every launch.
//
//===----------------------------------------------------------------------===//

#include "../KernelReferences.h"
#include "../ReadOnlyUse.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/Rule.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Qualifies pointer parameters with `const` and `__restrict__`.
class ConstRestrict : public Rule {
public:
  llvm::StringRef name() const override { return "const-restrict"; }
  llvm::StringRef summary() const override {
    return "Qualifies pointer parameters of a kernel with `const` and "
           "`__restrict__`.";
  }
  FpClass fpClass() const override { return FpClass::Reassociate; }
  void findSites(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const override;

private:
  void findConst(const Kernel &K, const ProgramAnalysis &A,
                 std::vector<Site> &Out) const;
  void findRestrict(const Kernel &K, const ProgramAnalysis &A,
                    std::vector<Site> &Out) const;
};

} // namespace

static std::string nameOf(const KernelParameter &Parameter) {
  return Parameter.Decl->getNameAsString();
}

static bool mayBeWritten(const KernelParameter &Parameter) {
  return Parameter.Use.Written || Parameter.Use.Atomic || Parameter.Use.Escapes;
}

static bool isUsed(const KernelParameter &Parameter) {
  return Parameter.Use.Read || mayBeWritten(Parameter);
}

/// A plain array of values. Pointers to pointers and volatile memory are left
/// alone: const has another place there, and a promise another meaning.
static bool pointsToValues(const KernelParameter &Parameter) {
  if (!Parameter.IsPointer)
    return false;
  QualType Pointee = Parameter.Decl->getType()->getPointeeType();
  return !Pointee.isNull() && !Pointee.isVolatileQualified() &&
         !Pointee->isAnyPointerType() && !Pointee->isArrayType() &&
         !Pointee->isFunctionType();
}

/// The `T *` of the parameter as one declaration writes it; null for arrays,
/// typedefs of pointers and everything else that has no place for a qualifier.
static PointerTypeLoc pointerOf(const FunctionDecl &Declaration,
                                unsigned Index) {
  const TypeSourceInfo *Written =
      Declaration.getParamDecl(Index)->getTypeSourceInfo();
  return Written
             ? Written->getTypeLoc().getUnqualifiedLoc().getAs<PointerTypeLoc>()
             : PointerTypeLoc();
}

static std::string joined(const std::vector<const KernelParameter *> &List) {
  std::vector<std::string> Names;
  Names.reserve(List.size());
  for (const KernelParameter *Parameter : List)
    Names.push_back(nameOf(*Parameter));
  return llvm::join(Names, ", ");
}

//===----------------------------------------------------------------------===//
// const
//===----------------------------------------------------------------------===//

/// Another function of the name, or an instantiation that the author spells
/// out: the parameter types then say which is meant.
static bool signatureMatters(const Kernel &K) {
  const FunctionDecl *Pattern = K.Pattern;
  const NamedDecl *Own = Pattern;
  const FunctionTemplateDecl *Template =
      Pattern->getDescribedFunctionTemplate();
  if (Template)
    Own = Template;
  for (const NamedDecl *D :
       Pattern->getDeclContext()->getRedeclContext()->lookup(
           Pattern->getDeclName()))
    if (D->getCanonicalDecl() != Own->getCanonicalDecl())
      return true;
  if (Pattern->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
    return true;
  if (!Template)
    return false;
  return llvm::any_of(Template->specializations(), [](const FunctionDecl *F) {
    return F->getTemplateSpecializationKind() != TSK_ImplicitInstantiation;
  });
}

/// Where `const ` goes in every declaration; nothing when one has no place.
static std::optional<std::vector<SourceLocation>>
constPlaces(const Kernel &K, const EditBuilder &Probe, unsigned Index) {
  std::vector<SourceLocation> Places;
  for (const FunctionDecl *D : declarationsOf(K)) {
    PointerTypeLoc Pointer = pointerOf(*D, Index);
    if (!Pointer || D->getLexicalDeclContext()->isRecord())
      return std::nullopt;
    SourceLocation Place = Pointer.getPointeeLoc().getBeginLoc();
    if (!Probe.canInsertBefore(Place))
      return std::nullopt;
    Places.push_back(Place);
  }
  return Places;
}

static bool mayBecomeConst(const Kernel &K, const KernelParameter &Parameter) {
  return pointsToValues(Parameter) && !Parameter.PointeeConst &&
         isUsed(Parameter) && !mayBeWritten(Parameter) &&
         acceptsConstPointee(*K.Function, *Parameter.Decl);
}

/// Another unit may declare the kernel with the old types and fail to link.
static bool isDeclaredElsewhere(const Kernel &K, const Program &P) {
  const SourceManager &SM = P.sources(Side::Device);
  FileID File = SM.getFileID(SM.getFileLoc(K.Pattern->getLocation()));
  return !K.IsTemplate && K.Pattern->isExternallyVisible() &&
         !K.Pattern->isExternC() && P.pathOf(Side::Device, File) == P.file() &&
         whyOnlyLaunchedHere(P, K).empty();
}

void ConstRestrict::findConst(const Kernel &K, const ProgramAnalysis &A,
                              std::vector<Site> &Out) const {
  const Program &P = A.program();
  // Without a launch here the kernel is found by its name, which the types are
  // a part of.
  if ((K.Launches.empty() && !K.Pattern->isExternC()) || signatureMatters(K))
    return;
  const EditBuilder Probe(P, Side::Device);
  std::vector<const KernelParameter *> Chosen;
  std::vector<SourceLocation> Places;
  for (const KernelParameter &Parameter : K.Parameters) {
    if (!mayBecomeConst(K, Parameter))
      continue;
    if (auto More = constPlaces(K, Probe, Parameter.Index)) {
      Chosen.push_back(&Parameter);
      Places.insert(Places.end(), More->begin(), More->end());
    }
  }
  if (Chosen.empty() || findReferences(P, K).escapes())
    return;
  Site S = siteAt(*this, K, A, K.Pattern->getLocation());
  S.Subject = "const " + joined(Chosen);
  S.Class = FpClass::Exact;
  S.Description = "make what " + joined(Chosen) + " point to const";
  S.Evidence = {joined(Chosen) +
                    ": only read, and handed on as pointers to const only",
                "every declaration of " + K.Name + " can be changed alike"};
  if (isDeclaredElsewhere(K, P))
    S.Condition =
        "no other unit declares " + K.Name + " with the old parameter types";
  S.Apply = [&P, Places](const RewriteParams &) -> llvm::Expected<Edit> {
    EditBuilder Builder(P, Side::Device);
    for (SourceLocation Place : Places)
      Builder.insertBefore(Place, "const ");
    return Builder.finish();
  };
  Out.push_back(std::move(S));
}

//===----------------------------------------------------------------------===//
// __restrict__
//===----------------------------------------------------------------------===//

namespace {

/// What is known of one parameter against everything else.
struct Separation {
  OverlapAnswer::Kind Answer = OverlapAnswer::Disjoint;
  std::vector<std::string> Reasons;
  std::vector<std::string> Obstacles;

  void add(const OverlapAnswer &A, const std::string &Pair) {
    if (A.Answer == OverlapAnswer::Disjoint) {
      if (!A.Reason.empty())
        Reasons.push_back(Pair + ": " + A.Reason);
    } else {
      Obstacles.push_back(Pair);
    }
    Answer = std::max(Answer, A.Answer);
  }
};

} // namespace

/// Against memory that is reached otherwise than through a pointer parameter.
static void separateFromOthers(const Kernel &K, const ProgramAnalysis &A,
                               const KernelParameter &Parameter,
                               Separation &Result) {
  const MemoryAccess *Own = nullptr;
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Base == Parameter.Decl)
      Own = &Access;
  for (const MemoryAccess &Access : K.Accesses) {
    const KernelParameter *Other = K.parameter(Access.Base);
    if ((Other && Other->IsPointer) ||
        (Access.Space != MemorySpace::Global &&
         Access.Space != MemorySpace::Unknown) ||
        (!Access.writes() && !mayBeWritten(Parameter)))
      continue;
    OverlapAnswer Answer;
    if (Access.Base && !Other && Own)
      Answer = A.basesMayOverlap(K, *Own, Access);
    std::string What = Access.Base ? Access.Base->getNameAsString()
                                   : "an access through an unknown pointer";
    Result.add(Answer, nameOf(Parameter) + " and " + What);
  }
}

static Separation separate(const Kernel &K, const ProgramAnalysis &A,
                           const KernelParameter &Parameter) {
  Separation Result;
  for (const KernelParameter &Other : K.Parameters) {
    if (&Other == &Parameter || !Other.IsPointer || !isUsed(Other))
      continue;
    if (!mayBeWritten(Parameter) && !mayBeWritten(Other))
      continue;
    // The pair in one order, however it is asked for.
    bool First = Parameter.Index < Other.Index;
    const KernelParameter &Low = First ? Parameter : Other;
    const KernelParameter &High = First ? Other : Parameter;
    Result.add(A.mayOverlap(K, Low, High),
               nameOf(Low) + " and " + nameOf(High));
  }
  separateFromOthers(K, A, Parameter, Result);
  return Result;
}

static bool mayBeRestrict(const Kernel &K, const EditBuilder &Probe,
                          const KernelParameter &Parameter) {
  if (!pointsToValues(Parameter) || Parameter.Restrict || !isUsed(Parameter) ||
      Parameter.Use.Escapes)
    return false;
  const ParmVarDecl *Written = K.Pattern->getParamDecl(Parameter.Index);
  return pointerOf(*K.Pattern, Parameter.Index) &&
         Written->getLocation().isFileID() && Written->getIdentifier() &&
         Probe.canEdit(Written->getLocation());
}

/// With `__restrict__` nvcc orders loads and stores otherwise, and then fuses
/// other products and sums: seen to change the last bit of float results.
static FpClass restrictClass(const Kernel &K) {
  bool OnlyIntegers = llvm::all_of(K.Accesses, [](const MemoryAccess &Access) {
    return !Access.writes() ||
           (!Access.ElementType.isNull() &&
            Access.ElementType->isIntegralOrEnumerationType());
  });
  return OnlyIntegers ? FpClass::Exact : FpClass::Reassociate;
}

static Site restrictSite(const Rule &R, const Kernel &K,
                         const ProgramAnalysis &A,
                         const std::vector<const KernelParameter *> &Chosen) {
  const Program &P = A.program();
  Site S = siteAt(R, K, A, K.Pattern->getLocation());
  S.Subject = "restrict " + joined(Chosen);
  S.Class = restrictClass(K);
  S.Description =
      "promise that nothing written overlaps with " + joined(Chosen);
  std::vector<SourceLocation> Places;
  Places.reserve(Chosen.size());
  for (const KernelParameter *Parameter : Chosen)
    Places.push_back(K.Pattern->getParamDecl(Parameter->Index)->getLocation());
  S.Apply = [&P, Places](const RewriteParams &) -> llvm::Expected<Edit> {
    EditBuilder Builder(P, Side::Device);
    for (SourceLocation Place : Places)
      Builder.insertBefore(Place, "__restrict__ ");
    return Builder.finish();
  };
  return S;
}

static void addUnique(std::vector<std::string> &List,
                      const std::vector<std::string> &More) {
  for (const std::string &Text : More)
    if (!llvm::is_contained(List, Text))
      List.push_back(Text);
}

void ConstRestrict::findRestrict(const Kernel &K, const ProgramAnalysis &A,
                                 std::vector<Site> &Out) const {
  // What asm or an unknown function touches cannot be told.
  if (K.HasAsm || !K.UnknownCalls.empty())
    return;
  const EditBuilder Probe(A.program(), Side::Device);
  std::vector<const KernelParameter *> Proved, Unproved;
  std::vector<std::string> Reasons, Obstacles;
  for (const KernelParameter &Parameter : K.Parameters) {
    if (!mayBeRestrict(K, Probe, Parameter))
      continue;
    Separation Known = separate(K, A, Parameter);
    if (Known.Answer == OverlapAnswer::Disjoint) {
      Proved.push_back(&Parameter);
      addUnique(Reasons, Known.Reasons);
    } else if (Known.Answer == OverlapAnswer::Unknown) {
      Unproved.push_back(&Parameter);
      addUnique(Obstacles, Known.Obstacles);
    }
  }
  if (!Proved.empty()) {
    Site S = restrictSite(*this, K, A, Proved);
    S.Evidence = Reasons;
    if (Reasons.empty())
      S.Evidence = {joined(Proved) + ": nothing that the kernel writes can be "
                                     "reached another way"};
    Out.push_back(std::move(S));
  }
  if (!Unproved.empty()) {
    Site S = restrictSite(*this, K, A, Unproved);
    S.Condition = "no overlap at any launch of " + llvm::join(Obstacles, "; ");
    S.Evidence = {"no cast, asm or unknown function hides an access"};
    Out.push_back(std::move(S));
  }
}

void ConstRestrict::findSites(const Kernel &K, const ProgramAnalysis &A,
                              std::vector<Site> &Out) const {
  // A parameter pack has no parameter of its own for each argument.
  if (K.Pattern->getNumParams() != K.Parameters.size())
    return;
  findConst(K, A, Out);
  findRestrict(K, A, Out);
}

std::unique_ptr<Rule> createConstRestrictRule() {
  return std::make_unique<ConstRestrict>();
}

} // namespace cudal1

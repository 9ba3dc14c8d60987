//===- Overlap.cpp - May two buffers of a kernel overlap? -----------------===//

#include "LaunchPoints.h"
#include "cudal1/Analysis/HostPointers.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

using namespace clang;

namespace cudal1 {

ProgramAnalysis::ProgramAnalysis(const Program &P) : P(&P) {}
ProgramAnalysis::~ProgramAnalysis() = default;

const HostIndex &ProgramAnalysis::hostIndex() const {
  if (!Host)
    Host = std::make_unique<HostIndex>(*P);
  return *Host;
}

static OverlapAnswer cannotTell(const llvm::Twine &Why) {
  return {OverlapAnswer::Unknown, Why.str()};
}

std::optional<std::string>
ProgramAnalysis::unseenLaunches(const Kernel &K) const {
  const HostIndex &Index = hostIndex();
  bool Any = false;
  for (const Kernel *Instance : instancesOf(K)) {
    if (Instance->Launches.empty())
      continue;
    Any = true;
    std::vector<LaunchPoint> Points;
    if (auto Obstacle = launchPoints(*Instance, Index, Points))
      return Obstacle;
    llvm::DenseSet<const Expr *> Known;
    for (const Launch *L : Instance->Launches)
      Known.insert(L->Call);
    for (const LaunchPoint &Point : Points)
      if (!Known.contains(Point.Call))
        return "the launch at " + Index.where(Point.Call->getBeginLoc()) +
               " is not understood";
  }
  if (!Any)
    return "no launch of `" + K.DisplayName + "` in this unit";
  return std::nullopt;
}

OverlapAnswer ProgramAnalysis::mayOverlap(const Kernel &K,
                                          const KernelParameter &A,
                                          const KernelParameter &B) const {
  if (A.Index == B.Index)
    return {OverlapAnswer::Overlap, "it is one parameter"};
  // One `restrict` is enough: what is reached through it is reached through
  // nothing else, unless nobody writes there.
  for (const KernelParameter *P : {&A, &B})
    if (P->Restrict)
      return {OverlapAnswer::Disjoint, "`" + P->Decl->getNameAsString() +
                                           "` is declared __restrict__ by the "
                                           "author"};
  const HostIndex &Index = hostIndex();
  std::vector<LaunchPoint> Points;
  if (auto Obstacle = launchPoints(K, Index, Points))
    return cannotTell(*Obstacle);
  HostPointers Pointers(Index);
  std::optional<OverlapAnswer> Result;
  for (const LaunchPoint &Point : Points) {
    std::string Where = Index.where(Point.Call->getBeginLoc());
    auto Argument = [&](const KernelParameter &P) {
      return P.Index < Point.Arguments.size() ? Point.Arguments[P.Index]
                                              : nullptr;
    };
    OverlapAnswer Answer =
        Argument(A) && Argument(B)
            ? Pointers.mayOverlap(Argument(A), Argument(B),
                                  HostContext{Point.Caller, {}})
            : cannotTell("its arguments cannot be seen");
    if (!Answer.disjoint())
      Answer.Reason = "at the launch " + Where + ", " + Answer.Reason;
    if (!Result || Answer.Answer > Result->Answer)
      Result = Answer;
  }
  if (Result->disjoint() && Points.size() > 1)
    Result->Reason = "at each of " + std::to_string(Points.size()) +
                     " launches the buffers differ; first, " + Result->Reason;
  return *Result;
}

static StringRef nameOf(const MemoryAccess &A) {
  return A.Base->getIdentifier() ? A.Base->getName() : "an unnamed object";
}

/// A variable of device memory and what a parameter points to.
static OverlapAnswer variableAndParameter(const Kernel &K, const VarDecl &V,
                                          const KernelParameter &P,
                                          const HostIndex &Index) {
  std::vector<LaunchPoint> Points;
  if (auto Obstacle = launchPoints(K, Index, Points))
    return cannotTell(*Obstacle);
  HostPointers Pointers(Index);
  OverlapAnswer Answer;
  for (const LaunchPoint &Point : Points) {
    if (P.Index >= Point.Arguments.size() || !Point.Arguments[P.Index])
      return cannotTell("the arguments of a launch cannot be seen");
    Answer = Pointers.mayPointInto(Point.Arguments[P.Index], &V,
                                   HostContext{Point.Caller, {}});
    if (!Answer.disjoint())
      return Answer;
  }
  return Answer;
}

OverlapAnswer ProgramAnalysis::basesMayOverlap(const Kernel &K,
                                               const MemoryAccess &A,
                                               const MemoryAccess &B) const {
  for (const MemoryAccess *One : {&A, &B})
    if (!One->Base || One->Space == MemorySpace::Unknown)
      return cannotTell("where an access goes cannot be told");
  if (A.Base == B.Base)
    return {OverlapAnswer::Overlap, ("both access `" + nameOf(A) + "`").str()};
  std::string Names = ("`" + nameOf(A) + "` and `" + nameOf(B) + "`").str();
  if (A.Space != B.Space)
    return {OverlapAnswer::Disjoint,
            Names + " lie in different kinds of memory"};
  const KernelParameter *ParmA = K.parameter(A.Base);
  const KernelParameter *ParmB = K.parameter(B.Base);
  if (ParmA && ParmB)
    return mayOverlap(K, *ParmA, *ParmB);
  const auto *VarA = dyn_cast<VarDecl>(A.Base);
  const auto *VarB = dyn_cast<VarDecl>(B.Base);
  auto IsArray = [](const VarDecl *V, MemorySpace Space) {
    // All dynamic shared arrays begin at one address.
    bool Dynamic = Space == MemorySpace::Shared && V && V->hasExternalStorage();
    return V && !isa<ParmVarDecl>(V) && !V->getType()->isReferenceType() &&
           !Dynamic;
  };
  bool ArrayA = IsArray(VarA, A.Space), ArrayB = IsArray(VarB, B.Space);
  if (ArrayA && ArrayB)
    return {OverlapAnswer::Disjoint, Names + " are different arrays"};
  if (A.Space == MemorySpace::Shared &&
      ((ArrayA && VarB && !isa<ParmVarDecl>(VarB)) ||
       (ArrayB && VarA && !isa<ParmVarDecl>(VarA))))
    return {OverlapAnswer::Disjoint, Names + " are different arrays"};
  if (A.Space == MemorySpace::Global && ArrayA && ParmB)
    return variableAndParameter(K, *VarA, *ParmB, hostIndex());
  if (A.Space == MemorySpace::Global && ArrayB && ParmA)
    return variableAndParameter(K, *VarB, *ParmA, hostIndex());
  return cannotTell(Names + " may overlap");
}

} // namespace cudal1

//===- WholeAllocation.cpp - Does a launch pass the start of a buffer? ----===//

#include "LaunchPoints.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

using namespace clang;

namespace cudal1 {

/// Calls between a launch and an allocation that are followed.
static constexpr unsigned MaxDepth = 8;

/// `cudaMalloc(&p, ...)` and its kin write \p W.
static bool isDeviceAllocation(const SlotWrite &W) {
  const auto *Call =
      W.K == SlotWrite::OutArgument ? dyn_cast<CallExpr>(W.E) : nullptr;
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->getIdentifier() &&
         Callee->getName().starts_with("cudaMalloc") &&
         allocatedArgument(*Callee) == W.Argument;
}

static bool isWholeAllocation(const Expr *E, const HostIndex &Index,
                              unsigned Depth) {
  if (!E || Depth > MaxDepth)
    return false;
  E = E->IgnoreParenCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->getType()->isPointerType() || Index.unseenWriters(V))
    return false;
  llvm::ArrayRef<SlotWrite> Writes = Index.writesOf(SlotKey(V, false));
  for (const SlotWrite &W : Writes)
    if (!isDeviceAllocation(W) &&
        !(W.K == SlotWrite::Value && isNullPointer(W.E, Index.context())))
      return false;
  const auto *Parameter = dyn_cast<ParmVarDecl>(V);
  if (!Parameter)
    return !Writes.empty();
  const auto *Function = dyn_cast<FunctionDecl>(Parameter->getDeclContext());
  if (!Function || Index.unseenCallers(Function) ||
      Index.callersOf(Function).empty())
    return false;
  for (const CallSite &Site : Index.callersOf(Function))
    if (!isWholeAllocation(
            argumentOf(Site.Call, Parameter->getFunctionScopeIndex()), Index,
            Depth + 1))
      return false;
  return true;
}

bool ProgramAnalysis::isWholeAllocation(const Kernel &K,
                                        const KernelParameter &P) const {
  std::vector<LaunchPoint> Points;
  if (P.Reassigned || launchPoints(K, hostIndex(), Points))
    return false;
  for (const LaunchPoint &Point : Points)
    if (P.Index >= Point.Arguments.size() ||
        !cudal1::isWholeAllocation(Point.Arguments[P.Index], hostIndex(), 0))
      return false;
  return true;
}

bool ProgramAnalysis::seesEveryLaunch(const Kernel &K) const {
  std::vector<LaunchPoint> Points;
  return !launchPoints(K, hostIndex(), Points) &&
         Points.size() == K.Launches.size();
}

} // namespace cudal1

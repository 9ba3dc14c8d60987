//===- LaunchPoints.cpp - Launches as the host index sees them ------------===//

#include "LaunchPoints.h"

using namespace clang;

namespace cudal1 {

/// The arguments behind `void *args[] = {&a, &b}`, null elements where one
/// cannot be told; empty when the array cannot be followed.
static std::vector<const Expr *> argumentsOfArray(const CallExpr &Call,
                                                  const HostIndex &Index) {
  std::vector<const Expr *> Arguments;
  for (const Expr *Passed : Call.arguments()) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Passed->IgnoreParenCasts());
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V || !V->getType()->isArrayType() || !Index.isLaunchArguments(V))
      continue;
    const auto *List = dyn_cast<InitListExpr>(V->getInit()->IgnoreImplicit());
    if (!List)
      return {};
    for (const Expr *Init : List->inits()) {
      const auto *Address = dyn_cast<UnaryOperator>(Init->IgnoreParenCasts());
      Arguments.push_back(Address && Address->getOpcode() == UO_AddrOf
                              ? Address->getSubExpr()
                              : nullptr);
    }
    return Arguments;
  }
  return {};
}

std::optional<std::string> launchPoints(const Kernel &K, const HostIndex &Index,
                                        std::vector<LaunchPoint> &Out) {
  if (K.Launches.empty())
    return "no launch of `" + K.DisplayName + "` in this unit";
  llvm::DenseSet<const Expr *> Seen;
  for (const Launch *L : K.Launches) {
    LaunchPoint Point;
    Point.Call = L->Call;
    Point.Caller = Index.callerOf(L->Call);
    Point.Arguments = L->Arguments;
    if (Point.Arguments.empty() && L->Form != LaunchForm::Chevron)
      Point.Arguments = argumentsOfArray(*L->Call, Index);
    if (Seen.insert(L->Call).second)
      Out.push_back(std::move(Point));
  }
  for (const Launch *L : K.Launches) {
    if (auto Obstacle = Index.unseenLaunches(L->Callee))
      return Obstacle->Why;
    // A launch in a generic lambda has no Launch of its own.
    for (const CallSite &Site : Index.callersOf(L->Callee)) {
      const auto *Call = dyn_cast<CallExpr>(Site.Call);
      if (!Call || !Seen.insert(Site.Call).second)
        continue;
      LaunchPoint Point;
      Point.Call = Call;
      Point.Caller = Site.Caller;
      Point.Arguments.assign(Call->arg_begin(), Call->arg_end());
      Out.push_back(std::move(Point));
    }
  }
  return std::nullopt;
}

} // namespace cudal1

//===- SiteFeatures.cpp - What a policy sees of a site --------------------===//

#include "cudal1/Policy/SiteFeatures.h"
#include "clang/Basic/SourceManager.h"

using namespace cudal1;

/// First and last byte of a loop in its file, as expanded.
static std::pair<unsigned, unsigned> extentOf(const Loop &L,
                                              const clang::SourceManager &SM) {
  clang::SourceRange Range =
      SM.getExpansionRange(L.Statement->getSourceRange()).getAsRange();
  return {SM.getFileOffset(Range.getBegin()), SM.getFileOffset(Range.getEnd())};
}

const Loop *cudal1::loopOf(const Site &S) {
  const Kernel &K = *S.TheKernel;
  if (!K.Context)
    return nullptr;
  const clang::SourceManager &SM = K.Context->getSourceManager();
  const Loop *Found = nullptr;
  for (const std::unique_ptr<Loop> &L : K.Loops) {
    if (!L->Statement || K.File != S.File)
      continue;
    auto [Begin, End] = extentOf(*L, SM);
    if (Begin <= S.Offset && S.Offset <= End &&
        (!Found || L->Depth > Found->Depth))
      Found = L.get();
  }
  return Found;
}

bool cudal1::isAccumulation(const Kernel &K, const MemoryAccess &A) {
  return A.Space == MemorySpace::Global && A.Kind == AccessKind::ReadWrite &&
         A.InLoop && K.isInvariantIn(A.Index, *A.InLoop);
}

static void addAccess(const Kernel &K, const MemoryAccess &A,
                      SiteFeatures &Out) {
  if (A.Space != MemorySpace::Global)
    return;
  switch (A.Class) {
  case AccessClass::Coalesced:
    ++Out.Coalesced;
    break;
  case AccessClass::Strided:
    ++Out.Strided;
    break;
  case AccessClass::Broadcast:
    ++Out.Broadcast;
    break;
  case AccessClass::Gather:
    ++Out.Gather;
    break;
  case AccessClass::Unknown:
    break;
  }
  if (A.InLoop && A.reads())
    ++Out.GlobalReadsInLoops;
  Out.GlobalAccumulation |= isAccumulation(K, A);
}

SiteFeatures cudal1::featuresOf(const Site &S) {
  SiteFeatures F;
  F.LoopDepth = S.LoopDepth;
  F.OnHost = S.isOnHost();
  F.HostLaunches = S.HostLaunches;
  if (!S.TheKernel)
    return F;
  const Kernel &K = *S.TheKernel;
  if (const Loop *L = loopOf(S)) {
    F.LoopDepth = std::max(F.LoopDepth, L->Depth);
    F.InnermostLoop = L->IsInnermost;
    F.TripCount = L->TripCount;
    F.LoopHasBarrier = L->HasBarrier;
  }
  F.InVolume = K.UsesBlockIdx[0] && K.UsesBlockIdx[1] && K.UsesBlockIdx[2];
  for (const MemoryAccess &A : K.Accesses)
    addAccess(K, A, F);
  for (const MathCall &M : K.MathCalls)
    F.MathCallsInLoops += M.InLoop != nullptr;
  F.SharedArrays = K.SharedArrays.size();
  F.Barriers = K.Barriers.size();
  return F;
}

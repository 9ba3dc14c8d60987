//===- Decisions.cpp - The analysis as the network's features -------------===//

#include "cudal1/Policy/Decisions.h"
#include "cudal1/Policy/AdvisorPolicy.h"
#include "cudal1/Policy/SiteFeatures.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include <cmath>

using namespace cudal1;

/// Accesses narrower than this leave part of a transaction unused.
static constexpr uint64_t NarrowBytes = 4;
/// The widest access that one instruction makes.
static constexpr uint64_t WideBytes = 8;

namespace {

/// Counts what a kernel's own statements do.
class OperationCounter : public clang::RecursiveASTVisitor<OperationCounter> {
public:
  double Statements = 0, Branches = 0;
  double Float = 0, FloatInLoops = 0, Double = 0, Integer = 0, Divisions = 0;

  bool TraverseStmt(clang::Stmt *S) {
    bool IsLoop =
        llvm::isa_and_nonnull<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(
            S);
    Loops += IsLoop;
    bool Result = RecursiveASTVisitor::TraverseStmt(S);
    Loops -= IsLoop;
    return Result;
  }
  bool VisitCompoundStmt(clang::CompoundStmt *S) {
    Statements += S->size();
    return true;
  }
  bool VisitIfStmt(clang::IfStmt *) {
    ++Branches;
    return true;
  }
  bool VisitConditionalOperator(clang::ConditionalOperator *) {
    ++Branches;
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *B) {
    clang::BinaryOperatorKind Kind = B->getOpcode();
    if (B->isCompoundAssignmentOp())
      Kind = clang::BinaryOperator::getOpForCompoundAssignment(Kind);
    if (!clang::BinaryOperator::isAdditiveOp(Kind) &&
        !clang::BinaryOperator::isMultiplicativeOp(Kind))
      return true;
    clang::QualType Type = B->getType();
    if (Type->isDependentType())
      return true;
    if (Type->isRealFloatingType()) {
      ++Float;
      FloatInLoops += Loops > 0;
      Double += Type->isSpecificBuiltinType(clang::BuiltinType::Double);
    } else if (Type->isIntegerType()) {
      ++Integer;
      Divisions += Kind == clang::BO_Div || Kind == clang::BO_Rem;
    }
    return true;
  }

private:
  int Loops = 0;
};

} // namespace

static void addOperations(const Kernel &K, NamedValues &Out) {
  if (!K.Function || !K.Function->hasBody())
    return;
  OperationCounter C;
  C.TraverseStmt(K.Function->getBody());
  Out["statements"] = C.Statements;
  Out["branches"] = C.Branches;
  Out["floatOperations"] = C.Float;
  Out["floatOperationsInLoops"] = C.FloatInLoops;
  Out["doubleOperations"] = C.Double;
  Out["integerOperations"] = C.Integer;
  Out["integerDivisions"] = C.Divisions;
}

static void addLoops(const Kernel &K, NamedValues &Out) {
  for (const std::unique_ptr<Loop> &L : K.Loops) {
    ++Out["loops"];
    Out["loopDepth"] = std::max(Out["loopDepth"], double(L->Depth));
    Out["countedLoops"] += L->Counted;
    if (L->TripCount)
      Out["knownTripCount"] =
          std::max(Out["knownTripCount"], double(*L->TripCount));
  }
}

static const char *nameOf(AccessClass Class) {
  switch (Class) {
  case AccessClass::Coalesced:
    return "coalesced";
  case AccessClass::Strided:
    return "strided";
  case AccessClass::Broadcast:
    return "broadcast";
  case AccessClass::Gather:
    return "gather";
  case AccessClass::Unknown:
    return "unknownAccesses";
  }
  llvm_unreachable("unknown AccessClass");
}

static void addAccesses(const Kernel &K, NamedValues &Out) {
  for (const MemoryAccess &A : K.Accesses) {
    if (A.Space == MemorySpace::Shared)
      ++Out["sharedAccesses"];
    if (A.Space != MemorySpace::Global)
      continue;
    ++Out[nameOf(A.Class)];
    Out["globalReads"] += A.reads();
    Out["globalWrites"] += A.writes();
    Out["globalReadsInLoops"] += A.reads() && A.InLoop;
    Out["globalWritesInLoops"] += A.writes() && A.InLoop;
    Out["conditionalAccesses"] += A.Conditional;
    Out["bytesPerThread"] += double(A.ElementSize);
    Out["narrowAccesses"] += A.ElementSize && A.ElementSize < NarrowBytes;
    Out["wideAccesses"] += A.ElementSize >= WideBytes;
    if (isAccumulation(K, A))
      Out["globalAccumulation"] = 1;
  }
  if (Out["bytesPerThread"] > 0)
    Out["operationsPerByte"] = Out["floatOperations"] / Out["bytesPerThread"];
}

static void addLaunches(const Kernel &K, NamedValues &Out) {
  Out["launchSites"] = double(K.Launches.size());
  for (const Launch *L : K.Launches) {
    if (L->HostLoop)
      Out["launchedInLoop"] = 1;
    double Threads = 1;
    for (const LaunchExtent &E : L->BlockExtent)
      Threads *= double(E.Value.value_or(1));
    if (!L->BlockExtent[0].Value || Threads <= Out["blockThreads"])
      continue;
    Out["blockThreads"] = Threads;
    Out["blockX"] = double(*L->BlockExtent[0].Value);
    Out["blockY"] = double(L->BlockExtent[1].Value.value_or(1));
  }
}

NamedValues cudal1::codeFeatures(const Kernel *K) {
  NamedValues Out;
  Out["onHost"] = !K;
  if (!K)
    return Out;
  addOperations(*K, Out);
  addLoops(*K, Out);
  addAccesses(*K, Out);
  addLaunches(*K, Out);
  for (const MathCall &M : K->MathCalls) {
    ++Out["mathCalls"];
    Out["mathCallsInLoops"] += M.InLoop != nullptr;
  }
  for (const Barrier &B : K->Barriers) {
    ++Out["barriers"];
    Out["barriersInLoops"] += B.InLoop != nullptr;
  }
  for (const AtomicOperation &A : K->Atomics)
    ++Out[A.Space == MemorySpace::Shared ? "sharedAtomics" : "globalAtomics"];
  for (const KernelParameter &P : K->Parameters) {
    Out["pointerParameters"] += P.IsPointer;
    Out["restrictParameters"] += P.Restrict;
  }
  Out["sharedArrays"] = double(K->SharedArrays.size());
  Out["localArrays"] = double(K->LocalArrays.size());
  Out["warpOperations"] = double(K->WarpOperations.size());
  Out["usesY"] = K->UsesThreadIdx[1] || K->UsesBlockIdx[1];
  Out["usesZ"] = K->UsesThreadIdx[2] || K->UsesBlockIdx[2];
  Out["earlyReturn"] = K->HasEarlyReturn;
  return Out;
}

StepKey cudal1::keyOf(const Rewrite &R) {
  return {R.Rule, R.Subject, {R.Params.begin(), R.Params.end()}};
}

/// What holds for every choice of a site.
static NamedValues siteFeatures(const Site &S, const SiteFeatures &F,
                                llvm::ArrayRef<Rewrite> Applied) {
  NamedValues Out;
  Out["exact"] = S.Class == FpClass::Exact;
  Out["reassociates"] = S.Class == FpClass::Reassociate;
  Out["needsCheck"] = S.needsCheck();
  Out["siteLoopDepth"] = F.LoopDepth;
  Out["innermostLoop"] = F.InnermostLoop;
  Out["siteTripCountKnown"] = F.TripCount.has_value();
  Out["siteTripCount"] = double(F.TripCount.value_or(0));
  Out["siteLoopHasBarrier"] = F.LoopHasBarrier;
  Out["hostLaunches"] = F.HostLaunches;
  Out["choices"] = double(S.Choices.size());
  for (const Rewrite &R : Applied) {
    Out["appliedSameRule"] += R.Rule == S.TheRule->name();
    if (R.Rule == S.TheRule->name() && R.Subject == S.Subject)
      Out["appliedSameSite"] = 1;
  }
  if (!S.TheKernel)
    return Out;
  const Loop *Around = loopOf(S);
  for (const MemoryAccess &A : S.TheKernel->Accesses) {
    if (!S.Subject.empty() && A.Base && A.Base->getName() == S.Subject) {
      ++Out["subjectAccesses"];
      Out["subjectElementBytes"] = double(A.ElementSize);
    }
    if (!Around || !A.InLoop || !A.InLoop->isInside(Around) ||
        A.Space != MemorySpace::Global)
      continue;
    Out["siteLoopReads"] += A.reads();
    Out["siteLoopWrites"] += A.writes();
    Out["siteLoopStrided"] += A.Class == AccessClass::Strided;
    Out["siteLoopBytes"] += double(A.ElementSize);
  }
  return Out;
}

Decision cudal1::decisionOf(const PolicyState &State) {
  Decision D;
  D.State = codeFeatures(State.TheKernel);
  if (State.Facts)
    D.State.insert(State.Facts->begin(), State.Facts->end());
  if (State.TimeShare)
    D.State["timeShare"] = *State.TimeShare;
  D.State["logSpeedup"] = State.LogSpeedup;
  D.State["appliedRewrites"] = double(State.Applied.size());
  for (const Rewrite &R : State.Applied)
    D.Applied.push_back(keyOf(R));

  const Site *Last = nullptr;
  SiteFeatures F;
  NamedValues OfSite;
  for (const Action &A : State.Actions) {
    if (A.Where != Last) {
      F = featuresOf(*A.Where);
      OfSite = siteFeatures(*A.Where, F, State.Applied);
      Last = A.Where;
    }
    llvm::StringRef Rule = A.Where->TheRule->name();
    CandidateStep Step;
    Step.Key = {
        Rule.str(), A.Where->Subject, {A.Params->begin(), A.Params->end()}};
    Step.Features = OfSite;
    Step.Features["choiceIndex"] = double(A.Params - A.Where->Choices.data());
    Step.Features["advice"] = std::log(advise(Rule, F, *A.Params).Speedup);
    D.Actions.push_back(std::move(Step));
  }
  for (const Exemplar &E : State.Exemplars) {
    MeasuredExample M;
    for (const Rewrite &R : E.Rewrites)
      M.Rewrites.push_back(keyOf(R));
    M.LogSpeedup = E.LogSpeedup;
    M.LogStep = E.LogStep;
    M.Failed = E.Failed;
    D.Examples.push_back(std::move(M));
  }
  return D;
}

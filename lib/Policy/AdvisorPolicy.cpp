//===- AdvisorPolicy.cpp - A policy from a table of experience ------------===//

#include "cudal1/Policy/AdvisorPolicy.h"
#include "cudal1/Network/Expectation.h"
#include <cmath>

using namespace cudal1;

namespace {

/// One row: where Applies holds, Rule usually makes the kernel this much
/// faster. The first row that fits a site counts.
struct AdviceRow {
  llvm::StringLiteral Rule;
  bool (*Applies)(const SiteFeatures &);
  /// Kernel time before ÷ after. Orders of magnitude from the published
  /// studies and our own benchmarks; measuring decides, this only orders.
  double Speedup;
  llvm::StringLiteral Reason;
};

/// A preference among the choices of one rule, as a factor on its gain.
struct ChoiceRow {
  llvm::StringLiteral Rule;
  llvm::StringLiteral Parameter;
  int64_t Value;
  double Factor;
};

bool always(const SiteFeatures &) { return true; }
bool inLoop(const SiteFeatures &F) { return F.LoopDepth > 0; }
bool inNest(const SiteFeatures &F) { return F.LoopDepth > 1; }
bool accumulates(const SiteFeatures &F) { return F.GlobalAccumulation; }
bool strided(const SiteFeatures &F) { return F.Strided > F.Coalesced; }
bool somewhatStrided(const SiteFeatures &F) { return F.Strided > 0; }
bool readsInLoops(const SiteFeatures &F) { return F.GlobalReadsInLoops > 0; }
bool mathsInLoops(const SiteFeatures &F) { return F.MathCallsInLoops > 0; }
bool shortLoop(const SiteFeatures &F) {
  return F.InnermostLoop && F.TripCount && *F.TripCount <= 16;
}
bool innermost(const SiteFeatures &F) {
  return F.InnermostLoop && !F.LoopHasBarrier;
}
bool waits(const SiteFeatures &F) { return F.Barriers > 0; }
bool inVolume(const SiteFeatures &F) { return F.InVolume; }
bool launchesInLoop(const SiteFeatures &F) {
  return F.OnHost && F.LoopDepth > 0 && F.HostLaunches > 0;
}
bool streams(const SiteFeatures &F) {
  return F.Coalesced > 0 && F.Strided == 0 && F.Gather == 0;
}

const AdviceRow Table[] = {
    {"aggregate-atomics", always, 10.0,
     "atomics of many threads on few addresses"},
    {"tensor-core", always, 12.0, "a matrix product that tensor cores know"},
    {"async-copy-pipeline", always, 1.0,
     "a block waits for the tiles that it copies"},
    {"raise-to-library", always, 9.0, "a matrix product that cuBLAS has"},
    {"tile-contraction", always, 8.0, "a matrix product without reuse"},
    {"parallelize-row", always, 6.0, "one thread walks a whole row"},
    {"keep-in-registers", always, 1.5, "loops walk the same elements"},
    {"warp-per-block", always, 4.0, "a block for each few loads and a sum"},
    {"tree-to-shuffle", always, 2.0, "barriers at each level of a tree"},
    {"transpose-through-shared", always, 3.0,
     "loads follow one axis and stores the other"},
    {"split-work", accumulates, 4.0, "few threads walk long columns"},
    {"split-work", always, 2.0, "few threads walk long columns"},
    {"swap-thread-indices", strided, 4.0, "most accesses are strided"},
    {"swap-thread-indices", somewhatStrided, 1.5, "some accesses are strided"},
    {"scalar-replacement", accumulates, 2.5,
     "a loop accumulates in global memory"},
    {"scalar-replacement", inLoop, 1.3, "memory is re-read in a loop"},
    {"scalar-replacement", always, 1.05, "memory is re-read"},
    {"pad-shared", always, 1.5, "threads of a warp meet in one bank"},
    {"float-literals", inLoop, 1.8, "double arithmetic in a loop"},
    {"float-literals", always, 1.2, "double arithmetic"},
    {"strength-reduction", inLoop, 1.3, "slow integer or pow in a loop"},
    {"strength-reduction", always, 1.08, "slow integer or pow"},
    {"fast-math", mathsInLoops, 1.4, "precise maths in a loop"},
    {"fast-math", always, 1.1, "precise maths"},
    {"specialize-parameter", inLoop, 1.6, "a loop's parameter is a constant"},
    {"specialize-parameter", always, 1.05, "a parameter is a constant"},
    {"peel-bounds", always, 1.1, "a loop tests bounds that mostly hold"},
    {"constant-memory", always, 1.2, "all threads read the same weights"},
    {"interchange-loops", somewhatStrided, 2.0,
     "an inner loop walks memory the long way"},
    {"interchange-loops", always, 1.05,
     "an inner loop walks memory the long way"},
    {"unroll-and-jam", always, 1.1, "iterations read the same memory"},
    {"const-restrict", readsInLoops, 1.2,
     "loads in loops may go through the read-only path"},
    {"const-restrict", always, 1.03, "loads may be moved over stores"},
    {"hoist-invariant", inNest, 1.2, "repeated in a loop nest"},
    {"hoist-invariant", inLoop, 1.08, "repeated in a loop"},
    {"unroll-loop", shortLoop, 1.25, "a short loop of known length"},
    {"unroll-loop", innermost, 1.18, "an innermost loop"},
    {"unroll-loop", inLoop, 1.04, "an outer loop"},
    {"vectorize-access", streams, 1.15, "a stream of narrow accesses"},
    {"vectorize-access", always, 1.1, "narrow accesses"},
    {"stage-shared", always, 1.4, "neighbours read the same window"},
    {"tile-loop", mathsInLoops, 2.0, "all threads go through one array"},
    {"tile-loop", always, 1.1, "all threads go through one array"},
    {"coarsen-thread", waits, 2.0, "large blocks wait for one load a thread"},
    {"coarsen-thread", inVolume, 1.09, "neighbouring planes share their reads"},
    {"coarsen-thread", readsInLoops, 1.15,
     "neighbouring elements read the same memory"},
    {"coarsen-thread", always, 1.06, "one element a thread"},
    {"block-size", inLoop, 1.08, "another block shape"},
    {"block-size", always, 1.1, "another block shape"},
    {"fuse-kernels", always, 1.5, "what one kernel writes the next one reads"},
    {"inline-producer", always, 1.4,
     "one kernel fills what the next one reads"},
    {"drop-buffer", always, 1.2, "what a kernel writes nobody else reads"},
    {"remove-sync", launchesInLoop, 1.5, "the host waits after each launch"},
    {"cuda-graph", always, 1.15, "launches follow each other in a loop"},
    {"keep-on-device", always, 4.0, "data goes to the host and back"},
    {"pool-allocation", always, 1.0, "memory of changing sizes in a loop"},
    {"pin-host-memory", always, 1.0, "pageable memory is copied in a loop"},
    {"hoist-allocation", always, 1.25, "memory is made in a loop"},
    {"remove-sync", always, 1.0, "the host waits once too often"},
    {"launch-bounds", always, 1.03, "registers limit the occupancy"},
};

const ChoiceRow Choices[] = {
    {"coarsen-thread", "items", 8, 0.8},
    {"transpose-through-shared", "columns", 32, 1.08},
    {"transpose-through-shared", "rows", 4, 1.03},
    {"transpose-through-shared", "rows", 16, 0.8},
    {"unroll-loop", "factor", 2, 0.7},
    {"unroll-loop", "factor", 8, 0.95},
    {"unroll-loop", "factor", 16, 0.6},
};

/// For a rule that the table does not know: worth a try, after the others.
constexpr double UnknownRuleSpeedup = 1.05;
double choiceFactor(llvm::StringRef RuleName, const RewriteParams &Params) {
  for (const ChoiceRow &Row : Choices) {
    auto It = Params.find(Row.Parameter.str());
    if (Row.Rule == RuleName && It != Params.end() && It->second == Row.Value)
      return Row.Factor;
  }
  return 1;
}

/// The table's expectation moved towards what was measured.
double posterior(double Prior, const Action &A,
                 llvm::ArrayRef<Exemplar> Exemplars) {
  Expectation Gain(Prior);
  for (const Exemplar &E : Exemplars)
    if (!E.Rewrites.empty() &&
        E.Rewrites.back().Rule == A.Where->TheRule->name())
      Gain.add(isSameStep(A, E.Rewrites.back()), E.Failed, E.LogStep);
  return Gain.mean();
}

} // namespace

Advice cudal1::advise(llvm::StringRef RuleName, const SiteFeatures &Features,
                      const RewriteParams &Params) {
  for (const AdviceRow &Row : Table)
    if (Row.Rule == RuleName && Row.Applies(Features))
      return {1 + (Row.Speedup - 1) * choiceFactor(RuleName, Params),
              Row.Reason};
  return {UnknownRuleSpeedup, "nothing is known of this rule"};
}

PolicyScores AdvisorPolicy::score(const PolicyState &State) const {
  PolicyScores Result;
  Result.Stop = std::log(SmallestWorthwhileSpeedup);
  const Site *Last = nullptr;
  SiteFeatures Features;
  for (const Action &A : State.Actions) {
    if (A.Where != Last) {
      Features = featuresOf(*A.Where);
      Last = A.Where;
    }
    Advice Table = advise(A.Where->TheRule->name(), Features, *A.Params);
    Result.Actions.push_back(
        posterior(std::log(Table.Speedup), A, State.Exemplars));
  }
  return Result;
}

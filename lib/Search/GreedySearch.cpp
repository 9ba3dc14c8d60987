//===- GreedySearch.cpp - Keep what is faster, go on from there -----------===//

#include "cudal1/Search/GreedySearch.h"
#include "SearchRun.h"
#include "cudal1/Search/SiteMatch.h"
#include "llvm/ADT/StringMap.h"
#include <set>

using namespace cudal1;

/// Variants compiled at once before the first of them is measured. Enough to
/// keep a pool of cores busy, few enough that the order of the policy counts.
static constexpr size_t BatchSize = 12;
/// What each further choice of a site is worth beside the one before it, so
/// that a batch is not one site's parameters alone.
static constexpr double FurtherChoice = 0.8;
/// A step on host code is measured by whole programs, which takes the time of
/// many replayed variants of a kernel.
static constexpr double HostStepCost = 4;

namespace {

/// A step from the current Variant with its worth to the whole program.
struct RankedStep {
  Action Step;
  double Worth;
};

class GreedyRun {
public:
  GreedyRun(const Policy &ThePolicy, SearchProblem &P, const SearchContext &C)
      : ThePolicy(ThePolicy), Run(P, C) {}

  SearchOutcome run() {
    while (!Run.isOver() && round())
      ;
    return Run.finish();
  }

private:
  bool round();
  std::vector<RankedStep> rank();
  std::vector<RankedStep> nextBatch();
  std::vector<Attempt> measureBatch(llvm::ArrayRef<RankedStep> Steps);
  void remember(const Attempt &A);
  double worth(const Attempt &A);
  bool take(llvm::ArrayRef<Attempt> Winners);
  std::optional<Attempt> combine(llvm::ArrayRef<const Attempt *> Winners);

  const Attempt *base() const { return Run.best() ? &*Run.best() : nullptr; }

  const Policy &ThePolicy;
  SearchRun Run;
  /// By display name of the kernel, "" for host code.
  llvm::StringMap<std::vector<Exemplar>> Exemplars;
  /// Steps from the current Variant that were in a batch already.
  std::set<std::pair<const Site *, const RewriteParams *>> Batched;
};

} // namespace

/// Every step that its kernel's policy finds better than stopping.
std::vector<RankedStep> GreedyRun::rank() {
  SearchProblem &P = Run.problem();
  std::map<const Kernel *, std::vector<Action>> ByKernel;
  for (const Site &S : P.sites())
    if (Run.matters(S))
      for (const RewriteParams &Params : S.Choices)
        ByKernel[S.TheKernel].push_back({&S, &Params});

  std::vector<RankedStep> Result;
  for (const auto &[K, Actions] : ByKernel) {
    std::string Name = K ? K->DisplayName : "";
    std::vector<Rewrite> Applied;
    for (const Rewrite &R : P.current().Rewrites)
      if (R.Kernel == Name)
        Applied.push_back(R);
    std::optional<double> Share = K ? P.timeShare(Name) : std::nullopt;
    PolicyScores Scores =
        ThePolicy.score({K, Share, Applied, Exemplars[Name], Actions});
    for (size_t I = 0; I < Actions.size(); ++I)
      if (Scores.Actions[I] > Scores.Stop)
        Result.push_back(
            {Actions[I], (Scores.Actions[I] - Scores.Stop) *
                             (K ? P.kernelShare() * Share.value_or(1.0)
                                : 1 / HostStepCost)});
  }
  return Result;
}

/// Equal ones in the order of the list of sites, which the source gives.
static void sortByWorth(std::vector<RankedStep> &Steps) {
  llvm::sort(Steps, [](const RankedStep &A, const RankedStep &B) {
    return std::make_tuple(-A.Worth, A.Step.Where, A.Step.Params) <
           std::make_tuple(-B.Worth, B.Step.Where, B.Step.Params);
  });
}

/// The most valuable steps that were in no batch yet, by what the policy makes
/// of everything measured so far. Steps on host code are a batch of their own:
/// they run as whole programs, and what they leave of the host's time decides
/// what the next one is worth.
std::vector<RankedStep> GreedyRun::nextBatch() {
  std::vector<RankedStep> Steps = rank();
  sortByWorth(Steps);
  std::map<const Site *, double> Factors;
  for (RankedStep &R : Steps) {
    double &Factor = Factors.try_emplace(R.Step.Where, 1).first->second;
    R.Worth *= Factor;
    Factor *= FurtherChoice;
  }
  sortByWorth(Steps);
  llvm::erase_if(Steps, [&](const RankedStep &R) {
    return Batched.count({R.Step.Where, R.Step.Params}) > 0;
  });
  if (!Steps.empty()) {
    bool OnHost = Steps.front().Step.Where->isOnHost();
    llvm::erase_if(Steps, [&](const RankedStep &R) {
      return R.Step.Where->isOnHost() != OnHost;
    });
  }
  Steps.resize(std::min(BatchSize, Steps.size()));
  for (const RankedStep &R : Steps)
    Batched.insert({R.Step.Where, R.Step.Params});
  return Steps;
}

std::vector<Attempt> GreedyRun::measureBatch(llvm::ArrayRef<RankedStep> Steps) {
  std::vector<Variant> Variants;
  llvm::StringMap<bool> Seen;
  for (const RankedStep &R : Steps)
    if (std::optional<Variant> V = Run.makeNew(*R.Step.Where, *R.Step.Params))
      if (Seen.try_emplace(textKey(*V)).second)
        Variants.push_back(std::move(*V));
  if (Variants.size() > Run.remainingTrials())
    Variants.resize(Run.remainingTrials());
  Run.compileAhead(Variants);

  std::vector<Attempt> Winners;
  for (size_t I = 0; I < Variants.size(); ++I) {
    if (Run.isOver())
      break;
    Run.problem().measureAhead(llvm::ArrayRef(Variants).drop_front(I));
    std::optional<Attempt> A = Run.measure(Variants[I]);
    if (!A)
      break;
    remember(*A);
    if (isBetter(*A, base()))
      Winners.push_back(std::move(*A));
  }
  return Winners;
}

void GreedyRun::remember(const Attempt &A) {
  Exemplar E;
  E.Rewrites = A.What.Rewrites;
  E.Failed = !isRight(A.Result.Outcome);
  if (!E.Failed) {
    E.LogSpeedup = logSpeedup(A.Result).Mean;
    E.LogStep = logGain(A, base()).Mean;
  }
  Exemplars[E.Rewrites.back().Kernel].push_back(std::move(E));
}

/// One round: batches in the order of the policy, until one holds a winner.
bool GreedyRun::round() {
  Batched.clear();
  while (!Run.isOver()) {
    std::vector<RankedStep> Steps = nextBatch();
    if (Steps.empty())
      return false;
    std::vector<Attempt> Winners = measureBatch(Steps);
    if (!Winners.empty())
      return take(Winners);
  }
  return false;
}

/// What \p A gains for the whole program: its gain on the kernels that it or
/// the best so far touches, weighted by their share of the time.
double GreedyRun::worth(const Attempt &A) {
  std::set<std::string> Names;
  for (const Rewrite &R : A.What.Rewrites)
    Names.insert(R.Kernel);
  double Share = 0;
  for (const std::string &Name : Names)
    Share += Name.empty() ? 1.0 : Run.problem().timeShare(Name).value_or(1.0);
  return logGain(A, base()).Mean * std::min(Share, 1.0);
}

/// Moves on to the best of \p Winners, or to all of them together.
bool GreedyRun::take(llvm::ArrayRef<Attempt> Winners) {
  std::vector<std::pair<double, const Attempt *>> ByGain;
  ByGain.reserve(Winners.size());
  for (const Attempt &A : Winners)
    ByGain.push_back({-worth(A), &A});
  llvm::sort(ByGain);
  std::vector<const Attempt *> BestFirst;
  BestFirst.reserve(ByGain.size());
  for (const auto &[Loss, A] : ByGain)
    BestFirst.push_back(A);
  Run.setBest(*BestFirst.front());
  if (Winners.size() > 1 && !Run.isOver())
    if (std::optional<Attempt> All = combine(BestFirst))
      if (isBetter(*All, base()))
        Run.setBest(*All);
  return Run.advance(Run.best()->What);
}

/// The last Rewrites of all \p Winners, one after the other on the first of
/// them; of one site only the best. Nothing when no two go together.
std::optional<Attempt>
GreedyRun::combine(llvm::ArrayRef<const Attempt *> Winners) {
  SearchProblem &P = Run.problem();
  Variant Sum = Winners.front()->What;
  size_t Steps = Sum.Rewrites.size();
  std::vector<Rewrite> Done{Sum.Rewrites.back()};
  for (const Attempt *W : Winners.drop_front()) {
    const Rewrite &Step = W->What.Rewrites.back();
    if (llvm::any_of(Done,
                     [&](const Rewrite &R) { return atSameSite(R, Step); }))
      continue;
    Done.push_back(Step);
    if (Run.isOver() || !Run.advance(Sum))
      break;
    std::optional<Action> A = findAgain(P.sites(), Step);
    if (!A)
      continue;
    if (std::optional<Variant> V = Run.makeNew(*A->Where, *A->Params))
      Sum = std::move(*V);
  }
  if (Sum.Rewrites.size() == Steps || Run.isOver())
    return std::nullopt;
  return Run.measure(Sum);
}

SearchOutcome GreedySearch::run(SearchProblem &P, const SearchContext &C) {
  return GreedyRun(ThePolicy, P, C).run();
}

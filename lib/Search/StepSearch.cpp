//===- StepSearch.cpp - From the best so far, one step at a time ----------===//

#include "StepSearch.h"
#include "cudal1/Search/SiteMatch.h"

using namespace cudal1;

/// What each further choice of a site is worth beside the one before it, so
/// that a batch is not one site's parameters alone.
static constexpr double FurtherChoice = 0.8;
/// A step on host code is measured by whole programs, which takes the time of
/// many replayed variants of a kernel.
static constexpr double HostStepCost = 4;

/// Tells the steps from one text apart, also when it is parsed again.
static std::string nameOf(const Action &A) {
  const Site &S = *A.Where;
  return (S.TheRule->name() + "\n" + S.File + "\n" + llvm::Twine(S.Offset) +
          "\n" + S.Subject + "\n" + toString(*A.Params))
      .str();
}

/// Every step that its kernel's policy finds better than stopping.
std::vector<RankedStep> StepSearch::rank(const Policy &ThePolicy) {
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
    double LogSoFar = best() ? logSpeedup(best()->Result).Mean : 0;
    PolicyScores Scores =
        ThePolicy.score({K, Share, Applied, Exemplars[Name], Actions,
                         Applied.empty() ? 0 : LogSoFar, &P.facts(Name)});
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

/// Steps on host code are a batch of their own: they run as whole programs, and
/// what they leave of the host's time decides what the next one is worth.
std::vector<RankedStep> StepSearch::nextBatch(const Policy &ThePolicy,
                                              size_t Size) {
  std::vector<RankedStep> Steps = rank(ThePolicy);
  sortByWorth(Steps);
  std::map<const Site *, double> Factors;
  for (RankedStep &R : Steps) {
    double &Factor = Factors.try_emplace(R.Step.Where, 1).first->second;
    R.Worth *= Factor;
    Factor *= FurtherChoice;
  }
  sortByWorth(Steps);
  llvm::erase_if(Steps, [&](const RankedStep &R) {
    return Batched.contains(nameOf(R.Step));
  });
  if (!Steps.empty()) {
    bool OnHost = Steps.front().Step.Where->isOnHost();
    llvm::erase_if(Steps, [&](const RankedStep &R) {
      return R.Step.Where->isOnHost() != OnHost;
    });
  }
  Steps.resize(std::min(Size, Steps.size()));
  for (const RankedStep &R : Steps)
    Batched.insert(nameOf(R.Step));
  return Steps;
}

std::vector<Variant> StepSearch::make(llvm::ArrayRef<RankedStep> Steps) {
  std::vector<Variant> Variants;
  llvm::StringMap<bool> Seen;
  for (const RankedStep &R : Steps)
    if (std::optional<Variant> V = Run.makeNew(*R.Step.Where, *R.Step.Params))
      if (Seen.try_emplace(textKey(*V)).second)
        Variants.push_back(std::move(*V));
  return Variants;
}

std::vector<Attempt> StepSearch::measure(std::vector<Variant> Variants) {
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
    if (isBetter(*A, best()))
      Winners.push_back(std::move(*A));
  }
  return Winners;
}

void StepSearch::remember(const Attempt &A) {
  Exemplar E;
  E.Rewrites = A.What.Rewrites;
  E.Failed = !isRight(A.Result.Outcome);
  if (!E.Failed) {
    E.LogSpeedup = logSpeedup(A.Result).Mean;
    E.LogStep = logGain(A, best()).Mean;
  }
  Exemplars[E.Rewrites.back().Kernel].push_back(std::move(E));
}

double StepSearch::worth(const Attempt &A) {
  std::set<std::string> Names;
  for (const Rewrite &R : A.What.Rewrites)
    Names.insert(R.Kernel);
  double Share = 0;
  for (const std::string &Name : Names)
    Share += Name.empty() ? 1.0 : Run.problem().timeShare(Name).value_or(1.0);
  return logGain(A, best()).Mean * std::min(Share, 1.0);
}

static size_t stepsOf(const Attempt *A) {
  return A ? A->What.Rewrites.size() : 0;
}

bool StepSearch::take(llvm::ArrayRef<Attempt> Winners) {
  std::vector<std::pair<double, const Attempt *>> ByGain;
  ByGain.reserve(Winners.size());
  for (const Attempt &A : Winners)
    ByGain.push_back({-worth(A), &A});
  llvm::sort(ByGain);
  std::vector<const Attempt *> BestFirst;
  BestFirst.reserve(ByGain.size());
  for (const auto &[Loss, A] : ByGain)
    BestFirst.push_back(A);
  size_t Length = stepsOf(best()) + 1;
  auto IsStep = [Length](const Attempt *A) {
    return A->What.Rewrites.size() == Length;
  };
  bool Combinable = llvm::all_of(BestFirst, IsStep);
  Run.setBest(*BestFirst.front());
  if (Combinable && Winners.size() > 1 && !Run.isOver())
    if (std::optional<Attempt> All = combine(BestFirst))
      if (isBetter(*All, best()))
        Run.setBest(*All);
  Batched.clear();
  return Run.advance(Run.best()->What);
}

bool StepSearch::goToBest(const Variant &Start) {
  return Run.advance(Run.best() ? Run.best()->What : Start);
}

/// The last Rewrites of all \p Winners, one after the other on the first of
/// them; of one site only the best. Nothing when no two go together.
std::optional<Attempt>
StepSearch::combine(llvm::ArrayRef<const Attempt *> Winners) {
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

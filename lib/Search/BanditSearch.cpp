//===- BanditSearch.cpp - Several ways to propose, by their success -------===//

#include "cudal1/Search/BanditSearch.h"
#include "RandomSteps.h"
#include "StepSearch.h"
#include "cudal1/Search/SiteMatch.h"
#include <cmath>

using namespace cudal1;

/// Variants of a round that a policy proposes: few, since each round is asked
/// for with all that the one before has taught.
static constexpr size_t StepRound = 6;
/// Sequences cost a parse for each of their steps.
static constexpr size_t SequenceRound = 3;
/// Older rounds count less by this factor each: what works changes as the best
/// moves on.
static constexpr double Forget = 0.8;
/// How much an arm that was asked rarely is preferred. Source: Auer et al.,
/// Finite-time Analysis of the Multiarmed Bandit Problem, 2002 (UCB1).
static constexpr double Explore = 0.35;
/// What each arm is believed to gain before it was asked.
static constexpr double FirstReward = 0.5;
/// Rounds of the sequences in a row that gain nothing before the search ends,
/// once no policy has a step left.
static constexpr unsigned MaxStaleRounds = 4;

namespace {

enum class ArmKind { Learned, Table, Random, Mutate };

struct Arm {
  ArmKind Kind;
  /// Sums over its rounds, older ones forgotten: of rewards from 0 to 1, and of
  /// ones.
  double Reward = 0, Rounds = 0;
  /// Its last round had nothing to propose from the present best.
  bool Dry = false;

  double mean() const { return (FirstReward + Reward) / (1 + Rounds); }
};

class BanditRun {
public:
  BanditRun(const Policy *Learned, const Policy &Table, SearchProblem &P,
            const SearchContext &C)
      : Learned(Learned), Table(Table), S(P, C), Random(C.Seed),
        Start(P.current()) {
    if (Learned)
      Arms.push_back({ArmKind::Learned});
    Arms.push_back({ArmKind::Table});
    Arms.push_back({ArmKind::Random});
    Arms.push_back({ArmKind::Mutate});
  }

  SearchOutcome run();

private:
  Arm *choose();
  std::vector<Variant> propose(const Arm &A);
  std::vector<Variant> randomVariants();
  std::vector<Variant> mutations();
  std::optional<Variant> mutate(const Variant &V);
  void settle(Arm &A, double Gain);
  bool isSequence(const Arm &A) const {
    return A.Kind == ArmKind::Random || A.Kind == ArmKind::Mutate;
  }

  const Policy *Learned;
  const Policy &Table;
  StepSearch S;
  std::mt19937_64 Random;
  Variant Start;
  std::vector<Arm> Arms;
  unsigned StaleRounds = 0;
};

} // namespace

/// The arm of the highest upper confidence bound; null when none has anything
/// left.
Arm *BanditRun::choose() {
  double Total = 1;
  for (const Arm &A : Arms)
    Total += A.Rounds;
  Arm *Best = nullptr;
  double BestBound = 0;
  for (Arm &A : Arms) {
    if (A.Dry)
      continue;
    double Bound =
        A.mean() + Explore * std::sqrt(std::log(Total) / (1 + A.Rounds));
    // The order of Arms decides between equals.
    if (!Best || Bound > BestBound) {
      Best = &A;
      BestBound = Bound;
    }
  }
  return Best;
}

std::vector<Variant> BanditRun::propose(const Arm &A) {
  switch (A.Kind) {
  case ArmKind::Learned:
    return S.make(S.nextBatch(*Learned, StepRound));
  case ArmKind::Table:
    return S.make(S.nextBatch(Table, StepRound));
  case ArmKind::Random:
    return randomVariants();
  case ArmKind::Mutate:
    return mutations();
  }
  llvm_unreachable("unknown ArmKind");
}

std::vector<Variant> BanditRun::randomVariants() {
  std::vector<Variant> Result;
  SearchProblem &P = S.run().problem();
  for (size_t I = 0; I < SequenceRound && !S.run().isOver(); ++I) {
    if (!S.run().advance(Start))
      break;
    Variant V = randomSteps(S.run(), Random);
    if (!V.Rewrites.empty() && textKey(V) != textKey(Start) && !P.isMeasured(V))
      Result.push_back(std::move(V));
  }
  return Result;
}

/// The site of \p R, whatever its parameters are now.
static const Site *siteOf(llvm::ArrayRef<Site> Sites, const Rewrite &R) {
  for (const Site &S : Sites)
    if (atSameSite(describe(S, S.Choices.front()), R))
      return &S;
  return nullptr;
}

/// The Rewrites of \p V from the original on, one of them changed: left out, or
/// made with other parameters. Those that fit no more are left out too.
std::optional<Variant> BanditRun::mutate(const Variant &V) {
  SearchProblem &P = S.run().problem();
  size_t Changed = draw(Random, V.Rewrites.size());
  bool LeaveOut = draw(Random, 2) == 0;
  if (!S.run().advance(Start))
    return std::nullopt;
  Variant Result = Start;
  for (size_t I = 0; I < V.Rewrites.size(); ++I) {
    if (I == Changed && LeaveOut && V.Rewrites.size() > 1)
      continue;
    std::optional<Action> A = findAgain(P.sites(), V.Rewrites[I]);
    if (I == Changed) {
      const Site *Here = A ? A->Where : siteOf(P.sites(), V.Rewrites[I]);
      if (Here)
        A = {Here, &Here->Choices[draw(Random, Here->Choices.size())]};
    }
    if (!A)
      continue;
    llvm::Expected<Variant> Next = P.apply(*A->Where, *A->Params);
    if (!Next) {
      llvm::consumeError(Next.takeError());
      continue;
    }
    Result = std::move(*Next);
    if (I + 1 < V.Rewrites.size() && !S.run().advance(Result))
      return std::nullopt;
  }
  return Result;
}

std::vector<Variant> BanditRun::mutations() {
  std::vector<Variant> Result;
  if (!S.best())
    return Result;
  Variant Best = S.best()->What;
  for (size_t I = 0; I < SequenceRound && !S.run().isOver(); ++I) {
    std::optional<Variant> V = mutate(Best);
    if (V && !V->Rewrites.empty() && !S.run().problem().isMeasured(*V))
      Result.push_back(std::move(*V));
  }
  return Result;
}

/// Books a round of \p A that gained \p Gain, a log speedup of the program.
void BanditRun::settle(Arm &A, double Gain) {
  for (Arm &Each : Arms) {
    Each.Reward *= Forget;
    Each.Rounds *= Forget;
  }
  A.Rounds += 1;
  // A factor of e is as much as one round can be worth.
  A.Reward += std::clamp(Gain, 0.0, 1.0);
  if (Gain > 0) {
    StaleRounds = 0;
    for (Arm &Each : Arms)
      Each.Dry = false;
  } else if (isSequence(A)) {
    ++StaleRounds;
  }
}

SearchOutcome BanditRun::run() {
  while (!S.run().isOver()) {
    Arm *A = choose();
    if (!A)
      break;
    std::vector<Variant> Variants = propose(*A);
    bool Moved = isSequence(*A);
    // A policy without a step has none until the best moves on.
    A->Dry = Variants.empty();
    std::vector<Attempt> Winners = S.measure(std::move(Variants));
    double Gain = 0;
    for (const Attempt &W : Winners)
      Gain = std::max(Gain, S.worth(W));
    if (!Winners.empty() && !S.take(Winners))
      break;
    if (Winners.empty() && Moved && !S.goToBest(Start))
      break;
    settle(*A, Gain);
    bool PoliciesDry = llvm::all_of(
        Arms, [&](const Arm &Each) { return isSequence(Each) || Each.Dry; });
    if (PoliciesDry && StaleRounds >= MaxStaleRounds)
      break;
  }
  return S.run().finish();
}

SearchOutcome BanditSearch::run(SearchProblem &P, const SearchContext &C) {
  return BanditRun(Learned, Table, P, C).run();
}

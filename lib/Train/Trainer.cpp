//===- Trainer.cpp - Warm start, then contrastive GRPO --------------------===//

#include "cudal1/Train/Trainer.h"
#include "cudal1/Train/Batching.h"
#include "cudal1/Train/Searches.h"
#include <algorithm>
#include <cstdio>
#include <numbers>
#include <numeric>

using namespace cudal1;

/// Of cloning's samples those from proposals, as one in this many episodes.
static constexpr size_t ProposalEvery = 2;

GroupSource::~GroupSource() = default;

std::vector<GroupResult> RecordedGroups::run(const std::vector<size_t> &Wanted,
                                             const NetworkScorer &Policy,
                                             const TrainConfig &C,
                                             std::vector<Random> Chances) {
  std::vector<GroupResult> Results;
  for (size_t I = 0; I < Wanted.size(); ++I) {
    RecordedEnvironment &E = Kernels[Wanted[I]];
    Random &R = Chances[I];
    Results.push_back(R.unit() < C.Policy.ProposalShare
                          ? proposalGroup(E, E.steps(), Policy, C, R)
                          : searchGroup(E, E.steps(), Policy, C, R));
  }
  return Results;
}

static NetworkShape shapeFor(const TrainConfig &C) {
  NetworkShape Shape = shapeOfSchema();
  Shape.Hidden = C.Network.Hidden;
  Shape.Model = C.Network.Model;
  Shape.Attention = C.Network.Attention;
  return Shape;
}

Trainer::Trainer(const TrainConfig &C, Corpus &Data, GroupSource &Groups,
                 const Ranks &R, std::function<void(const std::string &)> Say)
    : C(C), Data(Data), Groups(Groups), R(R), Say(std::move(Say)),
      TheLearner(shapeFor(C), C.Seed, C.Threads) {}

Trainer::~Trainer() = default;

NetworkScorer Trainer::scorer() const {
  SafeTensors Weights = TheLearner.exportWeights();
  Weights.Metadata["schema"] = schema().Hash;
  return {Weights, C.Hidden};
}

static std::string format(const char *Format, double A, double B, double D) {
  char Buffer[160];
  std::snprintf(Buffer, sizeof Buffer, Format, A, B, D);
  return Buffer;
}

void Trainer::note(const std::string &Name, double Iteration, double Value) {
  Curves[Name].emplace_back(Iteration, Value);
  if (Log)
    Log->add(Name, Iteration, Value);
}

/// The mean over all ranks instead of over the own samples.
void Trainer::shareGradient(size_t Own) {
  if (R.size() == 1)
    return;
  std::vector<float> Flat = TheLearner.gradient();
  auto Weight = static_cast<float>(Own);
  for (float &G : Flat)
    G *= Weight;
  Flat.push_back(Weight);
  R.sum(Flat);
  float All = std::max(Flat.back(), 1.0F);
  Flat.pop_back();
  for (float &G : Flat)
    G /= All;
  TheLearner.setGradient(Flat);
}

/// What \p B is to be learnt from.
static void addLessons(Batch &B, const std::vector<const Sample *> &Samples) {
  for (const Sample *S : Samples) {
    B.Targets.insert(B.Targets.end(), S->Target.begin(), S->Target.end());
    B.Targets.resize((B.Chosen.size() + 1) *
                     static_cast<size_t>(B.MostActions + 1));
    B.Chosen.push_back(S->Chosen);
    B.OldLogProbabilities.push_back(S->OldLogProbability);
    B.Advantages.push_back(S->Advantage);
    B.Returns.push_back(S->Return);
  }
}

LossReport Trainer::learn(const std::vector<Sample> &Samples,
                          GradientOf Gradient, const LearnerRules &Rules,
                          Random &Chance) {
  size_t PerRank = std::max<size_t>(1, C.BatchDecisions / R.size());
  size_t Parts = R.max((Samples.size() + PerRank - 1) / PerRank);
  std::vector<size_t> Order = Chance.order(Samples.size());
  LossReport Sum;
  for (size_t Part = 0; Part < Parts; ++Part) {
    std::vector<const Sample *> Own;
    std::vector<const EncodedDecision *> Inputs;
    for (size_t I = Part * Samples.size() / Parts;
         I < (Part + 1) * Samples.size() / Parts; ++I) {
      Own.push_back(&Samples[Order[I]]);
      Inputs.push_back(&Own.back()->Inputs);
    }
    LossReport Report;
    if (!Own.empty()) {
      Batch B = makeBatch(Inputs);
      addLessons(B, Own);
      Report = (TheLearner.*Gradient)(B, Rules);
    } else {
      std::vector<float> Zeros = TheLearner.gradient();
      std::fill(Zeros.begin(), Zeros.end(), 0.0F);
      TheLearner.setGradient(Zeros);
    }
    shareGradient(Own.size());
    Sum.Norm += TheLearner.apply(Rules);
    Sum.Policy += Report.Policy;
    Sum.Value += Report.Value;
    Sum.Entropy += Report.Entropy;
    Sum.Kl += Report.Kl;
  }
  std::vector<double> Means{Sum.Policy, Sum.Value, Sum.Entropy, Sum.Kl,
                            Sum.Norm};
  R.sum(Means);
  double Count = std::max<double>(1, static_cast<double>(Parts * R.size()));
  return {Means[0] / Count, Means[1] / Count, Means[2] / Count,
          Means[3] / Count, Means[4] / Count};
}

void Trainer::cloneRound(unsigned Round) {
  NetworkScorer Policy = scorer();
  std::vector<Sample> Samples;
  for (size_t K = R.rank(); K < Data.Training.size(); K += R.size()) {
    Random Chance = Random::of(C.Seed, "clone", Round, K);
    RecordedEnvironment &E = Data.Training[K];
    std::vector<Sample> New = cloneEpisode(E, Policy, C, Chance);
    if ((K + Round) % ProposalEvery == 0)
      for (Sample &S : cloneProposal(E, Policy, C, Chance))
        New.push_back(std::move(S));
    std::move(New.begin(), New.end(), std::back_inserter(Samples));
  }
  LearnerRules Rules = C.Learner;
  Rules.LearningRate = C.Clone.LearningRate;
  Random Chance = Random::of(C.Seed, "clone-order", Round, R.rank());
  LossReport Loss = learn(Samples, &Learner::cloneGradient, Rules, Chance);
  note("clone/loss", Round + 1, Loss.Policy);
  note("clone/value loss", Round + 1, Loss.Value);
  if (R.isFirst())
    Say("warm start " + std::to_string(Round + 1) + "/" +
        std::to_string(C.Clone.Rounds) +
        format(": loss %.3f, value %.3f, best on validation %.3f", Loss.Policy,
               Loss.Value, BestScore));
}

void Trainer::policyIteration(unsigned Iteration) {
  // All ranks draw the same kernels and take turns.
  Random Shared = Random::of(C.Seed, "kernels", Iteration, 0);
  std::vector<size_t> Order = Shared.order(Groups.kernels());
  Order.resize(std::min<size_t>(Order.size(), C.Policy.KernelsPerIteration));
  std::vector<size_t> Own;
  std::vector<Random> Chances;
  for (size_t I = R.rank(); I < Order.size(); I += R.size()) {
    Own.push_back(Order[I]);
    Chances.push_back(Random::of(C.Seed, "group", Iteration, I));
  }
  std::vector<GroupResult> Results =
      Groups.run(Own, scorer(), C, std::move(Chances));
  std::vector<double> Sums(5);
  std::vector<Sample> Samples;
  for (GroupResult &G : Results) {
    Sums[0] += G.MeanReward;
    Sums[1] += G.MeanSpeedup;
    Sums[2] += G.Failures;
    Sums[3] += G.Measurements;
    std::move(G.Samples.begin(), G.Samples.end(), std::back_inserter(Samples));
  }
  R.sum(Sums);
  LearnerRules Rules = C.Learner;
  Rules.LearningRate = C.Policy.LearningRate;
  Random Chance = Random::of(C.Seed, "order", Iteration, R.rank());
  LossReport Loss;
  for (unsigned Epoch = 0; Epoch < C.Policy.Epochs; ++Epoch)
    Loss = learn(Samples, &Learner::policyGradient, Rules, Chance);
  auto Count = static_cast<double>(Order.size());
  note("policy/reward", Iteration + 1, Sums[0] / Count);
  note("policy/log2 speedup", Iteration + 1, Sums[1] / Count);
  note("policy/failed share", Iteration + 1, Sums[2] / std::max(1.0, Sums[3]));
  note("policy/kl", Iteration + 1, Loss.Kl);
  note("policy/entropy", Iteration + 1, Loss.Entropy);
  note("policy/value loss", Iteration + 1, Loss.Value);
  if (R.isFirst())
    Say("policy " + std::to_string(Iteration + 1) + "/" +
        std::to_string(C.Policy.Iterations) +
        format(": reward %.3f, KL %.4f, best on validation %.3f",
               Sums[0] / Count, Loss.Kl, BestScore));
}

/// The same on each rank: they have the same weights. Means over the kernels
/// of which something is known to gain.
void Trainer::evaluate(unsigned Step, bool Keep) {
  NetworkScorer Policy = scorer();
  // Without validation kernels those trained on have to do.
  auto &Kernels = Data.Validation.empty() ? Data.Training : Data.Validation;
  double Share = 0, Early = 0, Proposed = 0, Count = 0;
  for (RecordedEnvironment &E : Kernels) {
    bool Failed = false;
    Proposed += propose(Policy, E, C.Episode.MaxSteps, StopFrom, Failed) /
                std::numbers::ln2 / static_cast<double>(Kernels.size());
    if (E.bestKnown() / std::numbers::ln2 < C.Data.SmallestBest)
      continue;
    SearchCurve Curve = searchWith(Policy, E, C.Episode);
    Share += Curve.back() / E.bestKnown();
    Early += Curve[Curve.size() / 4] / E.bestKnown();
    ++Count;
  }
  Count = std::max(1.0, Count);
  note("validation/share of best", Step, Share / Count);
  note("validation/share of best, first quarter", Step, Early / Count);
  note("validation/log2 speedup proposed", Step, Proposed);
  // How soon counts too, and what is proposed at once.
  double Score = (Share + Early) / (2 * Count) + Proposed / 4;
  if (!Keep || Score <= BestScore)
    return;
  BestScore = Score;
  Best = TheLearner.exportWeights();
}

void Trainer::run(bool Resume) {
  if (R.isFirst())
    Log = std::make_unique<RunLog>(C.Folder / "runs.sqlite", C.Run, C.Settings);
  bool Resumed = Resume && loadCheckpoint();
  if (Log)
    Log->restore(Curves);
  if (!Resumed)
    evaluate(0, true);
  unsigned Clones = C.WarmStart ? C.Clone.Rounds : 0;
  while (ClonesDone < Clones) {
    cloneRound(ClonesDone++);
    if (ClonesDone % C.EvaluateEvery == 0 || ClonesDone == Clones)
      evaluate(ClonesDone, true);
    if (ClonesDone == Clones) {
      // Later rounds may know the training kernels by heart.
      TheLearner.importWeights(Best);
      TheLearner.freezeReference();
    }
    if (ClonesDone % C.CheckpointEvery == 0 || ClonesDone == Clones)
      saveCheckpoint();
  }
  while (PoliciesDone < C.Policy.Iterations) {
    policyIteration(PoliciesDone++);
    bool Last = PoliciesDone == C.Policy.Iterations;
    if (PoliciesDone % C.EvaluateEvery == 0 || Last)
      evaluate(Clones + PoliciesDone, true);
    if (PoliciesDone % C.CheckpointEvery == 0 || Last)
      saveCheckpoint();
  }
  if (R.isFirst())
    writeResults();
}

//===- Config.h - policy/train.toml -----------------------------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_CONFIG_H
#define CUDAL1_TRAIN_CONFIG_H

#include "cudal1/Train/Exemplars.h"
#include "cudal1/Train/Learner.h"
#include "cudal1/Train/Reward.h"
#include "cudal1/Train/Scorer.h"

namespace cudal1 {

/// Which families are never trained on, and which are looked at while training.
struct DataRules {
  std::vector<std::filesystem::path> Record;
  std::filesystem::path Families;
  /// Kernels of which less than this log2 speedup is known are left out of
  /// figures that are shares of the best known.
  double SmallestBest = 0.03;
  /// Of the programs that are trained on, this share only chooses the weights
  /// that are kept.
  double ValidationShare = 0.15;
};

/// Behavioural cloning of the best sequences that the record knows.
struct CloneRules {
  unsigned Rounds = 40;
  double LearningRate = 1e-3;
  /// Softmax over what a step leads to, as a share of the best one.
  double Temperature = 0.1;
  /// What comes a measurement later counts less, by this factor.
  double Discount = 0.9;
  /// Of the steps made in the episodes, by chance; the others are the policy's.
  double Explore = 0.3;
};

/// Contrastive GRPO.
struct PolicyRules {
  unsigned Iterations = 60;
  unsigned KernelsPerIteration = 16;
  unsigned Rollouts = 8; ///< of a group
  unsigned Epochs = 2;
  double LearningRate = 3e-4;
  /// Of the groups, those that propose one Variant without measuring.
  double ProposalShare = 0.25;
  /// A proposal slower than the original counts this many times.
  double SlowerWeight = 4;
};

struct WorkerRules {
  unsigned Count = 0;   ///< 0: episodes are over the record
  std::string Launcher; ///< words before the command: "srun -n1"
  std::string Command = "cuda-l1-env --no-cache";
  std::vector<std::string> Programs;
  std::filesystem::path Append; ///< record file for what they measure
};

struct TrainConfig {
  uint64_t Seed = 1;
  int Threads = 2;
  unsigned BatchDecisions = 128; ///< over all ranks
  unsigned EvaluateEvery = 5;
  unsigned CheckpointEvery = 5;
  std::filesystem::path Output; ///< the weights
  std::filesystem::path Folder; ///< checkpoints, curves and the log

  DataRules Data;
  NetworkShape Network;
  EpisodeRules Episode;
  /// Exemplars from before that an episode begins with, at most.
  unsigned PriorExemplars = 8;
  ExemplarRules Exemplars;
  RewardRules Reward;
  LearnerRules Learner;
  CloneRules Clone;
  PolicyRules Policy;
  WorkerRules Workers;

  /// Names the run's files and its rows in the log.
  std::string Run = "train";
  /// The file's text and the command line's changes: a checkpoint of other
  /// settings is not resumed.
  std::string Settings;

  // Ablations.
  HiddenInputs Hidden;
  bool WarmStart = true;
};

/// Paths in the file are relative to its folder. Throws TrainError, with line
/// and column, for what it does not know or what has the wrong type.
TrainConfig readConfig(const std::filesystem::path &Path);

/// Names of the families with `held_out = true`. Throws TrainError.
std::vector<std::string> heldOutFamilies(const std::filesystem::path &Path);

} // namespace cudal1

#endif // CUDAL1_TRAIN_CONFIG_H

//===- Trainer.h - Warm start, then contrastive GRPO ------------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_TRAINER_H
#define CUDAL1_TRAIN_TRAINER_H

#include "cudal1/Train/Corpus.h"
#include "cudal1/Train/Curves.h"
#include "cudal1/Train/Ranks.h"
#include "cudal1/Train/Rollouts.h"
#include <functional>

namespace cudal1 {

/// Where the groups of rollouts of one iteration come from. Kernels are
/// numbered from 0 to kernels() - 1.
class GroupSource {
public:
  virtual ~GroupSource();
  virtual size_t kernels() const = 0;
  /// One group for each of \p Kernels; the draws of group I are those of
  /// Chances[I].
  virtual std::vector<GroupResult> run(const std::vector<size_t> &Kernels,
                                       const NetworkScorer &Policy,
                                       const TrainConfig &C,
                                       std::vector<Random> Chances) = 0;
};

/// Over the record.
class RecordedGroups : public GroupSource {
public:
  explicit RecordedGroups(std::vector<RecordedEnvironment> &Kernels)
      : Kernels(Kernels) {}
  size_t kernels() const override { return Kernels.size(); }
  std::vector<GroupResult> run(const std::vector<size_t> &Wanted,
                               const NetworkScorer &Policy,
                               const TrainConfig &C,
                               std::vector<Random> Chances) override;

private:
  std::vector<RecordedEnvironment> &Kernels;
};

/// What the weights were made of, for the file's metadata.
using Notes = std::map<std::string, std::string>;

class Trainer {
public:
  /// \p Say shows a line of progress.
  Trainer(const TrainConfig &C, Corpus &Data, GroupSource &Groups,
          const Ranks &R, std::function<void(const std::string &)> Say);
  ~Trainer();

  /// Trains to the end and writes weights, curves and checkpoints. With
  /// \p Resume it goes on from the last checkpoint, if there is one, and gives
  /// to the bit what an uninterrupted run gives. Throws TrainError and what
  /// libtorch throws.
  void run(bool Resume);

  const RunCurves &curves() const { return Curves; }
  /// The weights that did best on the validation kernels.
  SafeTensors bestWeights() const;

private:
  void cloneRound(unsigned Round);
  void policyIteration(unsigned Iteration);
  using GradientOf = LossReport (Learner::*)(const Batch &,
                                             const LearnerRules &);
  LossReport learn(const std::vector<Sample> &Samples, GradientOf Gradient,
                   const LearnerRules &Rules, Random &R);
  void shareGradient(size_t Own);
  void evaluate(unsigned Step, bool Keep);
  void note(const std::string &Name, double Iteration, double Value);
  void saveCheckpoint() const;
  bool loadCheckpoint();
  void writeResults() const;
  std::filesystem::path file(const std::string &Ending) const;
  NetworkScorer scorer() const;

  const TrainConfig &C;
  Corpus &Data;
  GroupSource &Groups;
  const Ranks &R;
  std::function<void(const std::string &)> Say;
  Learner TheLearner;
  std::unique_ptr<RunLog> Log; ///< of the first rank

  // What a checkpoint keeps besides the learner.
  unsigned ClonesDone = 0;
  unsigned PoliciesDone = 0;
  double BestScore = -1;
  SafeTensors Best;
  RunCurves Curves;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_TRAINER_H

//===- Learner.h - The network in libtorch, and how it is moved -*- C++ -*-===//
///
/// \file
/// The same layers and tensor names as PolicyNetwork.h. Everything here throws
/// what libtorch throws. C++17, see Batch.h.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_TRAIN_LEARNER_H
#define CUDAL1_TRAIN_LEARNER_H

#include "cudal1/Network/SafeTensors.h"
#include "cudal1/Train/Batch.h"
#include <memory>

namespace cudal1 {

struct NetworkShape {
  int64_t StateWidth = 0, ActionWidth = 0, ExampleWidth = 0, PairWidth = 0;
  int64_t AdviceColumn = 0;
  int64_t Hidden = 64;    ///< H: of the state
  int64_t Model = 64;     ///< D: of actions and examples
  int64_t Attention = 32; ///< K: of queries and keys
};

struct LearnerRules {
  double LearningRate = 1e-3;
  double WeightDecay = 1e-4;
  double ClipNorm = 1.0;     ///< of the whole gradient
  double ValueWeight = 0.25; ///< of the value's loss
  double Entropy = 0.003;    ///< bonus
  double PpoClip = 0.2;
  double KlWeight = 0.05; ///< to the reference policy
};

/// Means over a batch.
struct LossReport {
  double Policy = 0, Value = 0, Entropy = 0, Kl = 0, Norm = 0;
};

class Learner {
public:
  /// Weights are drawn from \p Seed. \p Threads: of libtorch, 0 leaves them.
  Learner(const NetworkShape &Shape, uint64_t Seed, int Threads);
  ~Learner();

  BatchOutputs evaluate(const Batch &B);

  /// Both leave the gradient of the mean loss behind; apply() moves the
  /// weights. Between them ranks may add their gradients up.
  LossReport cloneGradient(const Batch &B, const LearnerRules &Rules);
  LossReport policyGradient(const Batch &B, const LearnerRules &Rules);
  std::vector<float> gradient() const;
  void setGradient(const std::vector<float> &Flat);
  /// Norm before clipping.
  double apply(const LearnerRules &Rules);

  /// The present policy becomes the one that KL is measured to.
  void freezeReference();

  SafeTensors exportWeights() const;
  /// Throws std::runtime_error when a tensor is missing or has another shape.
  void importWeights(const SafeTensors &File);

  /// Weights, reference and optimiser, to go on from exactly here.
  SafeTensors exportState() const;
  void importState(const SafeTensors &File);

private:
  struct Implementation;
  std::unique_ptr<Implementation> I;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_LEARNER_H

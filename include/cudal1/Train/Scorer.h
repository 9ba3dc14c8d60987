//===- Scorer.h - Who answers the decisions of an episode -------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_SCORER_H
#define CUDAL1_TRAIN_SCORER_H

#include "cudal1/Network/PolicyNetwork.h"

namespace cudal1 {

/// Inputs that are withheld from the policy, for ablations.
struct HiddenInputs {
  bool Exemplars = false;
  bool Profile = false;
};
/// As in the metadata `hidden` of weights: "exemplars profile".
std::string toString(const HiddenInputs &Hidden);
HiddenInputs hiddenFrom(const SafeTensors &Weights);

EncodedDecision encodeVisible(Decision D, const HiddenInputs &Hidden);

/// Probabilities of the choices: to stop first, then the actions.
std::vector<double> probabilitiesOf(const NetworkOutput &Out);

class Scorer {
public:
  virtual ~Scorer();
  /// As probabilitiesOf().
  virtual std::vector<double> choices(const Decision &D) const = 0;
};

/// The network of the optimiser.
class NetworkScorer : public Scorer {
public:
  /// Throws TrainError when \p Weights do not fit this build.
  NetworkScorer(const SafeTensors &Weights, const HiddenInputs &Hidden);
  std::vector<double> choices(const Decision &D) const override;
  NetworkOutput evaluate(const EncodedDecision &D) const {
    return Network.evaluate(D);
  }
  const HiddenInputs &hidden() const { return Hidden; }

private:
  PolicyNetwork Network;
  HiddenInputs Hidden;
};

/// The table of experience, corrected by what was measured: what AdvisorPolicy
/// of the optimiser does, from the feature `advice`. Stops where nothing is
/// expected to gain 1 %.
class AdviceScorer : public Scorer {
public:
  std::vector<double> choices(const Decision &D) const override;
};

/// What is done with the probabilities: stop when its probability is larger
/// than \p StopFrom, else the likeliest action. Nothing is to stop.
std::optional<size_t> bestChoice(const std::vector<double> &Probabilities,
                                 bool MayStop, double StopFrom);

} // namespace cudal1

#endif // CUDAL1_TRAIN_SCORER_H

//===- PolicyNetwork.h - The learned policy's forward pass ------*- C++ -*-===//
///
/// \file
/// The network in plain C++ (Eigen), for the optimiser. cuda-l1-train defines
/// the same one in libtorch; a test holds both to 1e-5. Its layers, with the
/// names of their tensors (H, D, K are read off their shapes):
///
///   h  = relu(state.2 · relu(state.0 · s))                     [H]
///   x_i = relu(action.2 · relu(action.0 · [a_i, h]))            [D]
///   e_j = relu(example.2 · relu(example.0 · m_j))               [D]
///   l_ij = (query · x_i) · (key · e_j) / sqrt(K) + pair_key · p_ij
///   w_i = softmax over j of l_ij and null (one more, worth nothing)
///   c_i = sum_j w_ij (value · e_j + pair_value · p_ij)          [D]
///   score_i = advice_gain * advice_i
///             + score.2 · relu(score.0 · [x_i, c_i, h])
///   pool = [h, mean_i x_i, mean_i c_i]
///   stop = stop.2 · relu(stop.0 · pool)
///   value = critic.2 · relu(critic.0 · pool)
///
/// `NAME.weight` is [out, in], `NAME.bias` [out] (all with a number have one;
/// query, key, value, pair_key, pair_value have none). `null` and
/// `advice_gain` are [1].
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_NETWORK_POLICYNETWORK_H
#define CUDAL1_NETWORK_POLICYNETWORK_H

#include "cudal1/Network/Encoding.h"
#include "cudal1/Network/SafeTensors.h"
#include <memory>

namespace cudal1 {

/// Logits: the softmax over Actions and Stop is the policy's distribution.
struct NetworkOutput {
  std::vector<float> Actions;
  float Stop = 0;
  /// Expected log2 speedup still to be gained from here.
  float Value = 0;
};

class PolicyNetwork {
public:
  ~PolicyNetwork();
  PolicyNetwork(PolicyNetwork &&);
  PolicyNetwork &operator=(PolicyNetwork &&);

  /// Nothing, and one clause in \p Why, when \p File has another schema
  /// (metadata `schema`), lacks a tensor or has one of a shape that does not
  /// fit the others.
  static std::optional<PolicyNetwork> create(const SafeTensors &File,
                                             std::string &Why);

  NetworkOutput evaluate(const EncodedDecision &D) const;

private:
  struct Weights;
  explicit PolicyNetwork(std::unique_ptr<Weights> W);
  std::unique_ptr<Weights> W;
};

} // namespace cudal1

#endif // CUDAL1_NETWORK_POLICYNETWORK_H

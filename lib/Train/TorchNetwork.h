//===- TorchNetwork.h - The learned policy in libtorch ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_TRAIN_TORCHNETWORK_H
#define CUDAL1_LIB_TRAIN_TORCHNETWORK_H

#include "cudal1/Train/Learner.h"
#include <torch/torch.h>

namespace cudal1 {

/// A Batch as tensors.
struct TensorBatch {
  TensorBatch(const Batch &B, const NetworkShape &Shape);

  int64_t Decisions, MostActions, MostExamples;
  torch::Tensor States, Actions, Examples, ExampleMask, Pairs;
  torch::Tensor DecisionOf; ///< for each action
  torch::Tensor Position;   ///< of each action in decisions × (most + 1)
};

struct TensorOutputs {
  torch::Tensor Logits; ///< decisions × (MostActions + 1), absent ones −1e9
  torch::Tensor Values; ///< decisions
};

/// PolicyNetwork.h has the layers.
class TorchNetworkImpl : public torch::nn::Module {
public:
  explicit TorchNetworkImpl(const NetworkShape &Shape);
  TensorOutputs forward(const TensorBatch &B);

private:
  torch::nn::Sequential pair(const std::string &Name, int64_t In,
                             int64_t Hidden, int64_t Out);
  torch::nn::Linear plain(const std::string &Name, int64_t In, int64_t Out);
  torch::Tensor attend(const torch::Tensor &X, const TensorBatch &B);
  torch::Tensor meanOver(const torch::Tensor &Rows, const TensorBatch &B);

  NetworkShape Shape;
  torch::nn::Sequential State, Action, Example, Score, Stop, Critic;
  torch::nn::Linear Query, Key, Value, PairKey, PairValue;
  torch::Tensor Null, AdviceGain;
};
TORCH_MODULE(TorchNetwork);

} // namespace cudal1

#endif // CUDAL1_LIB_TRAIN_TORCHNETWORK_H

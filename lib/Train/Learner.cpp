//===- Learner.cpp - How the network is moved -----------------------------===//

#include "cudal1/Train/Learner.h"
#include "TorchNetwork.h"
#include <stdexcept>

using namespace cudal1;

namespace {

/// Adam (Kingma and Ba) with decoupled weight decay (Loshchilov and Hutter).
/// Ours and not libtorch's: its state can be saved and restored to the bit with
/// every version of the library.
class Adam {
public:
  explicit Adam(const std::vector<torch::Tensor> &Parameters) {
    for (const torch::Tensor &P : Parameters) {
      First.push_back(torch::zeros_like(P));
      Second.push_back(torch::zeros_like(P));
    }
  }

  void step(std::vector<torch::Tensor> &Parameters, const LearnerRules &Rules) {
    ++Steps;
    double Correct1 = 1 - std::pow(Beta1, Steps);
    double Correct2 = 1 - std::pow(Beta2, Steps);
    for (size_t I = 0; I < Parameters.size(); ++I) {
      torch::Tensor &P = Parameters[I];
      const torch::Tensor &G = P.grad();
      if (!G.defined())
        continue;
      First[I].mul_(Beta1).add_(G, 1 - Beta1);
      Second[I].mul_(Beta2).addcmul_(G, G, 1 - Beta2);
      P.mul_(1 - Rules.LearningRate * Rules.WeightDecay);
      torch::Tensor Scale = (Second[I] / Correct2).sqrt_().add_(Epsilon);
      P.addcdiv_(First[I], Scale, -Rules.LearningRate / Correct1);
    }
  }

  std::vector<torch::Tensor> First, Second;
  double Steps = 0;

private:
  static constexpr double Beta1 = 0.9, Beta2 = 0.999, Epsilon = 1e-8;
};

cudal1::Tensor toPlain(const torch::Tensor &T) {
  torch::Tensor Flat = T.detach().contiguous();
  cudal1::Tensor Plain;
  Plain.Shape.assign(Flat.sizes().begin(), Flat.sizes().end());
  const auto *Data = Flat.data_ptr<float>();
  Plain.Values.assign(Data, Data + Flat.numel());
  return Plain;
}

void fromPlain(const SafeTensors &File, const std::string &Name,
               torch::Tensor Into) {
  auto It = File.Tensors.find(Name);
  if (It == File.Tensors.end())
    throw std::runtime_error("tensor '" + Name + "' is missing");
  if (Into.sizes() != torch::IntArrayRef(It->second.Shape))
    throw std::runtime_error("tensor '" + Name +
                             "' has another shape than this network");
  torch::NoGradGuard Guard;
  Into.copy_(torch::from_blob(const_cast<float *>(It->second.Values.data()),
                              Into.sizes(), torch::kFloat));
}

torch::Tensor column(const std::vector<float> &Values) {
  return torch::tensor(Values, torch::kFloat);
}

} // namespace

struct Learner::Implementation {
  explicit Implementation(const NetworkShape &S)
      : Shape(S), Network(S), Reference(S), Parameters(Network->parameters()),
        Optimizer(Parameters) {}

  LossReport finish(const torch::Tensor &Policy, const torch::Tensor &Value,
                    const torch::Tensor &Entropy, const torch::Tensor &Kl,
                    const LearnerRules &Rules);

  NetworkShape Shape;
  TorchNetwork Network, Reference;
  std::vector<torch::Tensor> Parameters;
  Adam Optimizer;
};

Learner::Learner(const NetworkShape &Shape, uint64_t Seed, int Threads) {
  if (Threads > 0)
    torch::set_num_threads(Threads);
  torch::manual_seed(Seed);
  I = std::make_unique<Implementation>(Shape);
  freezeReference();
}

Learner::~Learner() = default;

BatchOutputs Learner::evaluate(const Batch &B) {
  torch::NoGradGuard Guard;
  TensorOutputs Out = I->Network->forward(TensorBatch(B, I->Shape));
  return {toPlain(Out.Logits).Values, toPlain(Out.Values).Values};
}

/// Sums the terms up, leaves the gradient.
LossReport Learner::Implementation::finish(const torch::Tensor &Policy,
                                           const torch::Tensor &Value,
                                           const torch::Tensor &Entropy,
                                           const torch::Tensor &Kl,
                                           const LearnerRules &Rules) {
  torch::Tensor Loss = Policy + Rules.ValueWeight * Value -
                       Rules.Entropy * Entropy + Rules.KlWeight * Kl;
  Network->zero_grad();
  Loss.backward();
  LossReport Report;
  Report.Policy = Policy.item<double>();
  Report.Value = Value.item<double>();
  Report.Entropy = Entropy.item<double>();
  Report.Kl = Kl.item<double>();
  return Report;
}

static torch::Tensor entropyOf(const torch::Tensor &LogProbabilities) {
  return -(LogProbabilities.exp() * LogProbabilities).sum(1).mean();
}

static torch::Tensor valueLoss(const torch::Tensor &Values, const Batch &B) {
  return torch::smooth_l1_loss(Values, column(B.Returns));
}

LossReport Learner::cloneGradient(const Batch &B, const LearnerRules &Rules) {
  TensorOutputs Out = I->Network->forward(TensorBatch(B, I->Shape));
  torch::Tensor Log = torch::log_softmax(Out.Logits, 1);
  torch::Tensor Targets =
      column(B.Targets).view({B.Decisions, B.MostActions + 1});
  torch::Tensor Policy = -(Targets * Log).sum(1).mean();
  return I->finish(Policy, valueLoss(Out.Values, B), entropyOf(Log),
                   torch::zeros({}), Rules);
}

LossReport Learner::policyGradient(const Batch &B, const LearnerRules &Rules) {
  TensorBatch Inputs(B, I->Shape);
  TensorOutputs Out = I->Network->forward(Inputs);
  torch::Tensor Log = torch::log_softmax(Out.Logits, 1);
  torch::Tensor ReferenceLog;
  {
    torch::NoGradGuard Guard;
    ReferenceLog = torch::log_softmax(I->Reference->forward(Inputs).Logits, 1);
  }
  torch::Tensor Chosen = torch::tensor(B.Chosen, torch::kLong).unsqueeze(1);
  torch::Tensor Now = Log.gather(1, Chosen).squeeze(1);
  torch::Tensor Ratio = (Now - column(B.OldLogProbabilities)).exp();
  torch::Tensor Advantage = column(B.Advantages);
  torch::Tensor Clipped = Ratio.clamp(1 - Rules.PpoClip, 1 + Rules.PpoClip);
  torch::Tensor Policy =
      -torch::minimum(Ratio * Advantage, Clipped * Advantage).mean();
  torch::Tensor Kl = (Log.exp() * (Log - ReferenceLog)).sum(1).mean();
  return I->finish(Policy, valueLoss(Out.Values, B), entropyOf(Log), Kl, Rules);
}

std::vector<float> Learner::gradient() const {
  std::vector<float> Flat;
  for (const torch::Tensor &P : I->Parameters) {
    std::vector<float> Values =
        P.grad().defined()
            ? toPlain(P.grad()).Values
            : std::vector<float>(static_cast<size_t>(P.numel()), 0.0F);
    Flat.insert(Flat.end(), Values.begin(), Values.end());
  }
  return Flat;
}

void Learner::setGradient(const std::vector<float> &Flat) {
  const float *At = Flat.data();
  for (torch::Tensor &P : I->Parameters) {
    P.mutable_grad() =
        torch::from_blob(const_cast<float *>(At), P.sizes(), torch::kFloat)
            .clone();
    At += P.numel();
  }
}

double Learner::apply(const LearnerRules &Rules) {
  torch::NoGradGuard Guard;
  double Square = 0;
  for (const torch::Tensor &P : I->Parameters)
    if (P.grad().defined())
      Square += P.grad().square().sum().item<double>();
  double Norm = std::sqrt(Square);
  if (Norm > Rules.ClipNorm)
    for (torch::Tensor &P : I->Parameters)
      if (P.grad().defined())
        P.mutable_grad().mul_(Rules.ClipNorm / Norm);
  I->Optimizer.step(I->Parameters, Rules);
  return Norm;
}

void Learner::freezeReference() {
  torch::NoGradGuard Guard;
  std::vector<torch::Tensor> Copies = I->Reference->parameters();
  for (size_t N = 0; N < Copies.size(); ++N)
    Copies[N].copy_(I->Parameters[N]);
}

SafeTensors Learner::exportWeights() const {
  SafeTensors File;
  for (const auto &Item : I->Network->named_parameters())
    File.Tensors[Item.key()] = toPlain(Item.value());
  return File;
}

void Learner::importWeights(const SafeTensors &File) {
  for (const auto &Item : I->Network->named_parameters())
    fromPlain(File, Item.key(), Item.value());
}

SafeTensors Learner::exportState() const {
  SafeTensors File;
  size_t N = 0;
  for (const auto &Item : I->Network->named_parameters()) {
    File.Tensors["weight/" + Item.key()] = toPlain(Item.value());
    File.Tensors["first/" + Item.key()] = toPlain(I->Optimizer.First[N]);
    File.Tensors["second/" + Item.key()] = toPlain(I->Optimizer.Second[N++]);
  }
  for (const auto &Item : I->Reference->named_parameters())
    File.Tensors["reference/" + Item.key()] = toPlain(Item.value());
  File.Metadata["steps"] =
      std::to_string(static_cast<int64_t>(I->Optimizer.Steps));
  return File;
}

void Learner::importState(const SafeTensors &File) {
  size_t N = 0;
  for (const auto &Item : I->Network->named_parameters()) {
    fromPlain(File, "weight/" + Item.key(), Item.value());
    fromPlain(File, "first/" + Item.key(), I->Optimizer.First[N]);
    fromPlain(File, "second/" + Item.key(), I->Optimizer.Second[N++]);
  }
  for (const auto &Item : I->Reference->named_parameters())
    fromPlain(File, "reference/" + Item.key(), Item.value());
  auto It = File.Metadata.find("steps");
  if (It == File.Metadata.end())
    throw std::runtime_error("the optimiser's steps are missing");
  I->Optimizer.Steps = std::stod(It->second);
}

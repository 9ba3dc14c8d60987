//===- PolicyNetwork.cpp - The learned policy's forward pass --------------===//

#include "cudal1/Network/PolicyNetwork.h"
#include <Eigen/Dense>
#include <cmath>

using namespace cudal1;

using Matrix =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowVector = Eigen::RowVectorXf;

namespace {

/// y = x · Wᵀ + b, for each row of x.
struct Linear {
  Matrix Weight; ///< [out, in]
  RowVector Bias;

  Matrix operator()(const Matrix &X) const {
    Matrix Y = X * Weight.transpose();
    if (Bias.size())
      Y.rowwise() += Bias;
    return Y;
  }
};

/// Two layers; the first one is followed by a rectifier.
struct Pair {
  Linear First, Second;

  Matrix operator()(const Matrix &X) const {
    return Second(First(X).cwiseMax(0.0F));
  }
};

/// Takes tensors out of a file and checks their shapes. After the first that
/// does not fit, Why is set and the rest is of no use.
class Reader {
public:
  Reader(const SafeTensors &File, std::string &Why) : File(File), Why(Why) {}

  Matrix matrix(const std::string &Name, Eigen::Index In) {
    const Tensor *T = find(Name, 2);
    if (!T)
      return {};
    if (In >= 0 && T->Shape[1] != In) {
      fail(Name);
      return {};
    }
    return Eigen::Map<const Matrix>(T->Values.data(), T->Shape[0], T->Shape[1]);
  }
  RowVector vector(const std::string &Name, Eigen::Index Length) {
    const Tensor *T = find(Name, 1);
    if (!T)
      return {};
    if (T->Shape[0] != Length) {
      fail(Name);
      return {};
    }
    return Eigen::Map<const RowVector>(T->Values.data(), Length);
  }
  Linear linear(const std::string &Name, Eigen::Index In) {
    Linear L;
    L.Weight = matrix(Name + ".weight", In);
    L.Bias = vector(Name + ".bias", L.Weight.rows());
    return L;
  }
  Pair pair(const std::string &Name, Eigen::Index In) {
    Pair P;
    P.First = linear(Name + ".0", In);
    P.Second = linear(Name + ".2", P.First.Weight.rows());
    return P;
  }
  float scalar(const std::string &Name) {
    RowVector V = vector(Name, 1);
    return V.size() == 1 ? V[0] : 0;
  }

private:
  const Tensor *find(const std::string &Name, size_t Dimensions) {
    auto It = File.Tensors.find(Name);
    if (It == File.Tensors.end()) {
      if (Why.empty())
        Why = "tensor '" + Name + "' is missing";
      return nullptr;
    }
    if (It->second.Shape.size() != Dimensions) {
      fail(Name);
      return nullptr;
    }
    return &It->second;
  }
  void fail(const std::string &Name) {
    if (Why.empty())
      Why = "tensor '" + Name + "' has a shape that does not fit the others";
  }

  const SafeTensors &File;
  std::string &Why;
};

Matrix asMatrix(const Rows &R) {
  return Eigen::Map<const Matrix>(R.Values.data(),
                                  static_cast<Eigen::Index>(R.size()),
                                  static_cast<Eigen::Index>(R.Width));
}

RowVector meanOf(const Matrix &M) {
  return M.rows() ? RowVector(M.colwise().mean())
                  : RowVector(RowVector::Zero(M.cols()));
}

/// Each row of \p X followed by the same \p Tail.
Matrix withTail(const Matrix &X, const RowVector &Tail) {
  Matrix Y(X.rows(), X.cols() + Tail.size());
  Y << X, Tail.replicate(X.rows(), 1);
  return Y;
}

} // namespace

struct PolicyNetwork::Weights {
  Pair State, Action, Example, Score, Stop, Critic;
  Matrix Query, Key, Value, PairKey, PairValue;
  float Null = 0;
  float AdviceGain = 0;

  Weights(Reader &R);
  Matrix attend(const Matrix &X, const EncodedDecision &D) const;
};

PolicyNetwork::Weights::Weights(Reader &R) {
  const Schema &S = schema();
  auto Width = [](size_t N) { return static_cast<Eigen::Index>(N); };
  State = R.pair("state", Width(S.StateWidth));
  Eigen::Index H = State.Second.Weight.rows();
  Action = R.pair("action", Width(S.ActionWidth) + H);
  Eigen::Index D = Action.Second.Weight.rows();
  Example = R.pair("example", Width(S.ExampleWidth));
  Query = R.matrix("query.weight", D);
  Key = R.matrix("key.weight", Example.Second.Weight.rows());
  Value = R.matrix("value.weight", Example.Second.Weight.rows());
  PairKey = R.matrix("pair_key.weight", Width(S.PairWidth));
  PairValue = R.matrix("pair_value.weight", Width(S.PairWidth));
  Score = R.pair("score", D + Value.rows() + H);
  Stop = R.pair("stop", D + Value.rows() + H);
  Critic = R.pair("critic", D + Value.rows() + H);
  Null = R.scalar("null");
  AdviceGain = R.scalar("advice_gain");
}

/// What each row of \p X makes of the examples.
Matrix PolicyNetwork::Weights::attend(const Matrix &X,
                                      const EncodedDecision &D) const {
  Matrix Result = Matrix::Zero(X.rows(), Value.rows());
  if (D.Examples.size() == 0)
    return Result;
  Matrix E = Example(asMatrix(D.Examples)).cwiseMax(0.0F);
  Matrix Values = E * Value.transpose();
  Matrix Logits = (X * Query.transpose()) * (E * Key.transpose()).transpose() /
                  std::sqrt(static_cast<float>(Key.rows()));
  Matrix Pairs = asMatrix(D.Pairs);
  for (Eigen::Index I = 0; I < X.rows(); ++I) {
    Matrix Own = Pairs.middleRows(I * E.rows(), E.rows());
    RowVector L =
        Logits.row(I) + RowVector((Own * PairKey.transpose()).transpose());
    float Largest = std::max(L.maxCoeff(), Null);
    RowVector W = (L.array() - Largest).exp();
    W /= W.sum() + std::exp(Null - Largest);
    Result.row(I) = W * (Values + Own * PairValue.transpose());
  }
  return Result;
}

PolicyNetwork::PolicyNetwork(std::unique_ptr<Weights> W) : W(std::move(W)) {}
PolicyNetwork::PolicyNetwork(PolicyNetwork &&) = default;
PolicyNetwork &PolicyNetwork::operator=(PolicyNetwork &&) = default;
PolicyNetwork::~PolicyNetwork() = default;

/// Shapes that no single tensor shows.
static bool agree(Eigen::Index A, Eigen::Index B, const char *What,
                  std::string &Why) {
  if (A == B || !Why.empty())
    return Why.empty();
  Why = std::string("the widths of ") + What + " do not agree";
  return false;
}

std::optional<PolicyNetwork> PolicyNetwork::create(const SafeTensors &File,
                                                   std::string &Why) {
  Why.clear();
  auto It = File.Metadata.find("schema");
  std::string Found = It == File.Metadata.end() ? "none" : It->second;
  if (Found != schema().Hash) {
    Why = "its features are of schema " + Found +
          ", those of this program of " + schema().Hash +
          ": it has to be trained anew";
    return std::nullopt;
  }
  Reader R(File, Why);
  auto W = std::make_unique<Weights>(R);
  if (agree(W->Query.rows(), W->Key.rows(), "query and key", Why) &&
      agree(W->PairKey.rows(), 1, "pair_key", Why) &&
      agree(W->PairValue.rows(), W->Value.rows(), "value and pair_value",
            Why) &&
      agree(W->Score.Second.Weight.rows(), 1, "score", Why) &&
      agree(W->Stop.Second.Weight.rows(), 1, "stop", Why) &&
      agree(W->Critic.Second.Weight.rows(), 1, "critic", Why))
    return PolicyNetwork(std::move(W));
  return std::nullopt;
}

NetworkOutput PolicyNetwork::evaluate(const EncodedDecision &D) const {
  RowVector H =
      W->State(Eigen::Map<const RowVector>(
                   D.State.data(), static_cast<Eigen::Index>(D.State.size())))
          .cwiseMax(0.0F);
  Matrix Actions = asMatrix(D.Actions);
  Matrix X = W->Action(withTail(Actions, H)).cwiseMax(0.0F);
  Matrix Context = W->attend(X, D);
  Matrix Both(X.rows(), X.cols() + Context.cols());
  Both << X, Context;
  Matrix Scores = W->Score(withTail(Both, H));

  NetworkOutput Out;
  Out.Actions.reserve(D.Actions.size());
  auto Advice = static_cast<Eigen::Index>(schema().AdviceColumn);
  for (Eigen::Index I = 0; I < Scores.rows(); ++I)
    Out.Actions.push_back(Scores(I, 0) + W->AdviceGain * Actions(I, Advice));
  RowVector Pool(H.size() + X.cols() + Context.cols());
  Pool << H, meanOf(X), meanOf(Context);
  Out.Stop = W->Stop(Pool)(0, 0);
  Out.Value = W->Critic(Pool)(0, 0);
  return Out;
}

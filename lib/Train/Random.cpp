//===- Random.cpp - Chance that can be stopped and resumed ----------------===//

#include "cudal1/Train/Random.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace cudal1;

size_t Random::weighted(const std::vector<double> &Weights) {
  double Sum = std::accumulate(Weights.begin(), Weights.end(), 0.0);
  if (!(Sum > 0))
    return below(Weights.size());
  double Left = unit() * Sum;
  for (size_t I = 0; I < Weights.size(); ++I) {
    Left -= Weights[I];
    if (Left < 0)
      return I;
  }
  // Rounding ate the rest: the last one that can be drawn at all.
  size_t Last = Weights.size() - 1;
  while (Last > 0 && Weights[Last] == 0)
    --Last;
  return Last;
}

size_t Random::softmax(const std::vector<double> &Logits) {
  double Largest = *std::max_element(Logits.begin(), Logits.end());
  std::vector<double> Weights;
  Weights.reserve(Logits.size());
  for (double L : Logits)
    Weights.push_back(std::exp(L - Largest));
  return weighted(Weights);
}

std::vector<size_t> Random::order(size_t Size) {
  std::vector<size_t> Result(Size);
  std::iota(Result.begin(), Result.end(), 0);
  for (size_t I = Size; I > 1; --I)
    std::swap(Result[I - 1], Result[below(I)]);
  return Result;
}

Random Random::of(uint64_t Seed, std::string_view Part, uint64_t Number,
                  uint64_t Rank) {
  std::vector<uint32_t> Words;
  for (uint64_t Value : {Seed, Number, Rank}) {
    Words.push_back(static_cast<uint32_t>(Value));
    Words.push_back(static_cast<uint32_t>(Value >> 32));
  }
  for (char C : Part)
    Words.push_back(static_cast<unsigned char>(C));
  std::seed_seq Sequence(Words.begin(), Words.end());
  Random R(0);
  R.Engine.seed(Sequence);
  return R;
}

//===- Random.h - Chance that can be stopped and resumed --------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_RANDOM_H
#define CUDAL1_TRAIN_RANDOM_H

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace cudal1 {

/// The same draws from the same seed with every standard library: the
/// distributions of <random> differ between them.
class Random {
public:
  explicit Random(uint64_t Seed) : Engine(Seed) {}
  /// Chance of its own for each part of a run: what a part draws does not
  /// depend on where the run was begun or resumed.
  static Random of(uint64_t Seed, std::string_view Part, uint64_t Number,
                   uint64_t Rank);

  /// Even in [0, Bound); Bound > 0.
  size_t below(size_t Bound) { return Engine() % Bound; }
  /// Even in [0, 1).
  double unit() { return static_cast<double>(Engine() >> 11) * 0x1p-53; }
  /// An index with a chance in proportion to its weight. Weights are not
  /// negative; when all are 0 the draw is even.
  size_t weighted(const std::vector<double> &Weights);
  /// An index with the chance of a softmax over \p Logits.
  size_t softmax(const std::vector<double> &Logits);
  /// Puts 0 to \p Size - 1 into a random order.
  std::vector<size_t> order(size_t Size);

private:
  std::mt19937_64 Engine;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_RANDOM_H

//===- Encoding.h - Decisions as numbers for the network --------*- C++ -*-===//

#ifndef CUDAL1_NETWORK_ENCODING_H
#define CUDAL1_NETWORK_ENCODING_H

#include "cudal1/Network/Decision.h"
#include <span>
#include <string_view>

namespace cudal1 {

enum class FeatureGroup { Code, Profile, Gpu };

/// The layout of the network's inputs, from Features.def.
///   state:   the state features
///   action:  one-hot rule, scaled parameters, the action features
///   example: one-hot last rule, scaled last parameters, how often each rule
///            occurs in its Rewrites, LogSpeedup, LogStep, Failed, their number
///   pair:    same step, same rule, same rule and subject, distance between the
///            parameters (sum of |log2 ratio|, 0 for different rules)
struct Schema {
  size_t StateWidth = 0;
  size_t ActionWidth = 0;
  size_t ExampleWidth = 0;
  size_t PairWidth = 0;
  /// 16 hexadecimal digits over every name, scale and their order.
  std::string Hash;
  /// Names of the state features, in order, and their groups.
  std::vector<std::string> StateNames;
  std::vector<FeatureGroup> StateGroups;
  std::vector<std::string> ActionNames;
  /// Column of `advice` (expected log speedup from the table) in an action row.
  size_t AdviceColumn = 0;
};
const Schema &schema();

/// Rows of equal width, one after the other.
struct Rows {
  size_t Width = 0;
  std::vector<float> Values;

  explicit Rows(size_t Width = 0) : Width(Width) {}
  size_t size() const { return Width ? Values.size() / Width : 0; }
  std::span<const float> row(size_t I) const {
    return {Values.data() + I * Width, Width};
  }
  std::span<float> row(size_t I) { return {Values.data() + I * Width, Width}; }
  /// A new last row of zeros.
  std::span<float> add() {
    Values.resize(Values.size() + Width);
    return row(size() - 1);
  }
};

struct EncodedDecision {
  std::vector<float> State; ///< Schema::StateWidth
  Rows Actions;             ///< actions × ActionWidth
  Rows Examples;            ///< examples × ExampleWidth
  Rows Pairs;               ///< actions·examples × PairWidth, by action first
};

EncodedDecision encode(const Decision &D);

} // namespace cudal1

#endif // CUDAL1_NETWORK_ENCODING_H

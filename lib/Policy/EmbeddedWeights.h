//===- EmbeddedWeights.h - The weights in this program ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_POLICY_EMBEDDEDWEIGHTS_H
#define CUDAL1_LIB_POLICY_EMBEDDEDWEIGHTS_H

#include <string_view>

namespace cudal1 {

/// The bytes of policy/default.safetensors; empty where the tree has none.
std::string_view embeddedWeights();

} // namespace cudal1

#endif // CUDAL1_LIB_POLICY_EMBEDDEDWEIGHTS_H

//===- SafeTensors.h - Weights in the safetensors format --------*- C++ -*-===//
///
/// \file
/// Source: the format's description, github.com/huggingface/safetensors: 8
/// bytes little-endian length, a JSON header, the data. Of its types only F32
/// is read and written.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_NETWORK_SAFETENSORS_H
#define CUDAL1_NETWORK_SAFETENSORS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1 {

struct Tensor {
  /// Extents, outermost first: {rows, columns} or {length}.
  std::vector<int64_t> Shape;
  std::vector<float> Values; ///< row-major
};

struct SafeTensors {
  std::map<std::string, Tensor> Tensors;
  /// `__metadata__`: strings only, as the format says.
  std::map<std::string, std::string> Metadata;
};

/// Nothing when \p Bytes are not such a file; \p Why is then one clause that
/// says what is wrong with them.
std::optional<SafeTensors> parseSafeTensors(std::string_view Bytes,
                                            std::string &Why);
std::string serialize(const SafeTensors &File);

} // namespace cudal1

#endif // CUDAL1_NETWORK_SAFETENSORS_H

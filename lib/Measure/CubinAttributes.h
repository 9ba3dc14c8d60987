//===- CubinAttributes.h - The .nv.info sections of a cubin -----*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_CUBINATTRIBUTES_H
#define CUDAL1_LIB_MEASURE_CUBINATTRIBUTES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace cudal1 {

/// Numbers of attributes, as `cuobjdump -elf` names them.
enum class CubinAttributeKind : uint8_t {
  None = 0,
  ParameterBank = 0x0a,  ///< EIATTR_PARAM_CBANK: symbol; offset and size
  Externs = 0x0f,        ///< EIATTR_EXTERNS: symbols
  FrameSize = 0x11,      ///< EIATTR_FRAME_SIZE: symbol, bytes
  MinStackSize = 0x12,   ///< EIATTR_MIN_STACK_SIZE: symbol, bytes
  Parameter = 0x17,      ///< EIATTR_KPARAM_INFO
  MaxStackSize = 0x23,   ///< EIATTR_MAX_STACK_SIZE: symbol, bytes
  RegisterCount = 0x2f,  ///< EIATTR_REGCOUNT: symbol, registers
  LargeParameter = 0x45, ///< the same as Parameter, with wider fields
};

/// One attribute. Its data are little-endian.
struct CubinAttribute {
  uint8_t Format = 0;
  CubinAttributeKind Kind = CubinAttributeKind::None;
  uint16_t Value = 0;   ///< of one without data; else the bytes of data
  llvm::StringRef Data; ///< in the section

  /// The word at this index of the data.
  std::optional<uint32_t> word(size_t Index) const;
  /// Words that are indices of symbols come before all others: their number.
  size_t symbolCount() const;
};

/// The attributes of a section. std::nullopt if it is not made of whole ones.
std::optional<std::vector<CubinAttribute>>
readAttributes(llvm::StringRef Section);

/// One parameter of a kernel.
struct CubinParameter {
  uint16_t Ordinal = 0;
  uint32_t Offset = 0; ///< in bytes
  uint32_t Size = 0;   ///< in bytes
};

/// What an attribute says of a parameter, if it does.
std::optional<CubinParameter> parameterOf(const CubinAttribute &A);

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_CUBINATTRIBUTES_H

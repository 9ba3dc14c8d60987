//===- Types.h - The types of PTX instructions ------------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_PTX_TYPES_H
#define CUDAL1_LIB_EMULATOR_PTX_TYPES_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace cudal1::ptx {

enum class TypeClass : uint8_t {
  Bits,
  Unsigned,
  Signed,
  Float,
  Bfloat,
  Predicate,
};

/// A type as an instruction names it: `.u32`, `.f16x2`.
struct PtxType {
  TypeClass Class;
  unsigned LaneBits;
  unsigned Lanes = 1;

  unsigned bits() const { return LaneBits * Lanes; }
  bool isFloat() const {
    return Class == TypeClass::Float || Class == TypeClass::Bfloat;
  }
  bool isSigned() const { return Class == TypeClass::Signed; }
  bool isBfloat() const { return Class == TypeClass::Bfloat; }
  bool isPredicate() const { return Class == TypeClass::Predicate; }
  /// A float of \p Bits bits in one lane that is no bf16.
  bool isFloat(unsigned Bits) const {
    return Class == TypeClass::Float && LaneBits == Bits && Lanes == 1;
  }
  /// f16 or bf16, in any number of lanes.
  bool isHalf() const { return isFloat() && LaneBits == 16; }
  bool isInteger() const { return !isFloat() && !isPredicate(); }
  PtxType lane() const { return {Class, LaneBits, 1}; }
  bool operator==(const PtxType &Other) const {
    return Class == Other.Class && LaneBits == Other.LaneBits &&
           Lanes == Other.Lanes;
  }
};

constexpr PtxType Pred{TypeClass::Predicate, 1};
constexpr PtxType B16{TypeClass::Bits, 16};
constexpr PtxType B32{TypeClass::Bits, 32};
constexpr PtxType B64{TypeClass::Bits, 64};
constexpr PtxType U32{TypeClass::Unsigned, 32};
constexpr PtxType U64{TypeClass::Unsigned, 64};
constexpr PtxType S32{TypeClass::Signed, 32};
constexpr PtxType F16{TypeClass::Float, 16};
constexpr PtxType F32{TypeClass::Float, 32};
constexpr PtxType F64{TypeClass::Float, 64};
constexpr PtxType BF16{TypeClass::Bfloat, 16};

/// The type that \p Name (without its point) spells, if it is one whose values
/// can be computed with.
std::optional<PtxType> parseType(llvm::StringRef Name);

} // namespace cudal1::ptx

#endif // CUDAL1_LIB_EMULATOR_PTX_TYPES_H

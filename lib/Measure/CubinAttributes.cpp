//===- CubinAttributes.cpp - The .nv.info sections of a cubin -------------===//

#include "CubinAttributes.h"
#include "llvm/Support/Endian.h"

using namespace cudal1;
using llvm::support::endian::read16le;
using llvm::support::endian::read32le;

/// The format of attributes that have data; the others have a value.
static constexpr uint8_t SizedFormat = 4;
/// Format, kind and value (or size of the data).
static constexpr size_t PrefixBytes = 4;

std::optional<uint32_t> CubinAttribute::word(size_t Index) const {
  if (Data.size() / sizeof(uint32_t) <= Index)
    return std::nullopt;
  return read32le(Data.data() + Index * sizeof(uint32_t));
}

size_t CubinAttribute::symbolCount() const {
  switch (Kind) {
  case CubinAttributeKind::ParameterBank:
  case CubinAttributeKind::FrameSize:
  case CubinAttributeKind::MinStackSize:
  case CubinAttributeKind::MaxStackSize:
  case CubinAttributeKind::RegisterCount:
    return Data.size() == 2 * sizeof(uint32_t) ? 1 : 0;
  case CubinAttributeKind::Externs:
    return Data.size() / sizeof(uint32_t);
  default:
    return 0;
  }
}

std::optional<std::vector<CubinAttribute>>
cudal1::readAttributes(llvm::StringRef Section) {
  std::vector<CubinAttribute> Result;
  while (!Section.empty()) {
    if (Section.size() < PrefixBytes)
      return std::nullopt;
    CubinAttribute A;
    A.Format = static_cast<uint8_t>(Section[0]);
    A.Kind = static_cast<CubinAttributeKind>(Section[1]);
    A.Value = read16le(Section.data() + 2);
    Section = Section.drop_front(PrefixBytes);
    if (A.Format == SizedFormat) {
      if (Section.size() < A.Value)
        return std::nullopt;
      A.Data = Section.take_front(A.Value);
      Section = Section.drop_front(A.Value);
    }
    Result.push_back(A);
  }
  return Result;
}

std::optional<CubinParameter> cudal1::parameterOf(const CubinAttribute &A) {
  // An index that is always 0; ordinal and offset; the size with other facts.
  std::optional<uint32_t> Place = A.word(1), Last = A.word(2);
  if (!Place || !Last)
    return std::nullopt;
  CubinParameter P;
  P.Ordinal = static_cast<uint16_t>(*Place);
  P.Offset = *Place >> 16;
  switch (A.Kind) {
  case CubinAttributeKind::Parameter:
    P.Size = *Last >> 18; // above alignment, space and constant bank
    return P;
  case CubinAttributeKind::LargeParameter:
    P.Size = *Last & 0xffff;
    return P;
  default:
    return std::nullopt;
  }
}

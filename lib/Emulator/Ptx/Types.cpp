//===- Types.cpp - The types of PTX instructions --------------------------===//

#include "Types.h"

using namespace cudal1::ptx;
using namespace llvm;

static bool isWidth(TypeClass Class, const PtxType &T) {
  if (Class == TypeClass::Bfloat)
    return T.LaneBits == 16 && T.Lanes <= 2;
  if (Class == TypeClass::Float)
    return (T.LaneBits == 16 && T.Lanes <= 2) ||
           (T.LaneBits == 32 && T.Lanes <= 2) || (T == F64);
  if (T.Lanes == 2)
    return T.LaneBits == 16 && Class != TypeClass::Bits;
  return T.LaneBits == 8 || T.LaneBits == 16 || T.LaneBits == 32 ||
         T.LaneBits == 64 || (T.LaneBits == 128 && Class == TypeClass::Bits);
}

std::optional<PtxType> cudal1::ptx::parseType(StringRef Name) {
  if (Name == "pred")
    return Pred;
  PtxType T{TypeClass::Bits, 0};
  if (Name.consume_front("bf"))
    T.Class = TypeClass::Bfloat;
  else if (Name.consume_front("b"))
    T.Class = TypeClass::Bits;
  else if (Name.consume_front("u"))
    T.Class = TypeClass::Unsigned;
  else if (Name.consume_front("s"))
    T.Class = TypeClass::Signed;
  else if (Name.consume_front("f"))
    T.Class = TypeClass::Float;
  else
    return std::nullopt;
  if (Name.consumeInteger(10, T.LaneBits))
    return std::nullopt;
  if (Name.consume_front("x") && Name.consumeInteger(10, T.Lanes))
    return std::nullopt;
  if (!Name.empty() || !isWidth(T.Class, T))
    return std::nullopt;
  return T;
}

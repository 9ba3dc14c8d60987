//===- Rounding.cpp - Rounding to the types of PTX ------------------------===//
//
// LLVM rounds to nearest between float and double, and from float to half.
// Everything else is made of that: a double becomes a float that is rounded to
// odd (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums:
// proved algorithms using rounding to odd", IEEE TC 57(4), 2008), whose further
// rounding to 16 bits is right; and a directed rounding is the nearest value,
// moved by one where it lies on the wrong side.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

using namespace cudal1::ptx;
using namespace llvm;

std::optional<Rounding> cudal1::ptx::takeRounding(PtxInstruction &I) {
  StringRef Name = I.takeOneOf({"rn", "rz", "rm", "rp"});
  if (Name.empty())
    return std::nullopt;
  return Name == "rn"   ? Rounding::Nearest
         : Name == "rz" ? Rounding::Zero
         : Name == "rm" ? Rounding::Down
                        : Rounding::Up;
}

StringRef cudal1::ptx::roundingName(Rounding R) {
  switch (R) {
  case Rounding::Nearest:
    return "rn";
  case Rounding::Zero:
    return "rz";
  case Rounding::Down:
    return "rm";
  case Rounding::Up:
    return "rp";
  }
  llvm_unreachable("all roundings are named");
}

Value *cudal1::ptx::widen(Emitter &E, Value *V, const PtxType &T) {
  if (T.isBfloat()) {
    Value *Bits = E.B.CreateShl(E.B.CreateZExt(V, E.intType(32)), 16);
    return E.B.CreateBitCast(Bits, E.B.getFloatTy());
  }
  return T.isHalf() ? E.B.CreateFPExt(V, E.B.getFloatTy()) : V;
}

static Value *isNan(Emitter &E, Value *V) { return E.B.CreateFCmpUNO(V, V); }

/// \p V, a float, rounded to nearest to bf16, as 16 bits.
static Value *nearestBfloat(Emitter &E, Value *V) {
  Value *Bits = E.asBits(V);
  Value *Odd = E.B.CreateAnd(E.B.CreateLShr(Bits, 16), 1);
  Value *Sum = E.B.CreateAdd(E.B.CreateAdd(Bits, Odd), E.constant(32, 0x7fff));
  return E.B.CreateTrunc(E.B.CreateLShr(Sum, 16), E.intType(16));
}

Value *cudal1::ptx::floatRoundedToOdd(Emitter &E, Value *Double) {
  llvm::Type *DoubleTy = E.B.getDoubleTy();
  Value *Nearest = E.B.CreateFPTrunc(Double, E.B.getFloatTy());
  Value *Back = E.B.CreateFPExt(Nearest, DoubleTy);
  Value *TooLarge =
      E.B.CreateFCmpOGT(E.B.CreateUnaryIntrinsic(Intrinsic::fabs, Back),
                        E.B.CreateUnaryIntrinsic(Intrinsic::fabs, Double));
  Value *Inexact = E.B.CreateFCmpONE(Back, Double);
  Value *Bits = E.asBits(Nearest);
  Bits = E.B.CreateSub(Bits, E.B.CreateZExt(TooLarge, E.intType(32)));
  Bits = E.B.CreateOr(Bits, E.B.CreateZExt(Inexact, E.intType(32)));
  return E.B.CreateBitCast(Bits, E.B.getFloatTy());
}

/// Rounds to nearest: a half, 16 bits of a bf16, or a float.
static Value *roundToNearest(Emitter &E, Value *V, const PtxType &T) {
  bool IsDouble = V->getType()->isDoubleTy();
  if (T.isFloat(64))
    return IsDouble ? V : E.B.CreateFPExt(V, E.B.getDoubleTy());
  if (T.isFloat(32))
    return IsDouble ? E.B.CreateFPTrunc(V, E.B.getFloatTy()) : V;
  if (IsDouble)
    V = floatRoundedToOdd(E, V);
  return T.isBfloat() ? nearestBfloat(E, V)
                      : E.B.CreateFPTrunc(V, E.B.getHalfTy());
}

/// \p Nearest, the value of type \p T next to \p V, moved to the side of \p V
/// that \p R asks for.
static Value *moveToSide(Emitter &E, Value *Nearest, Value *V, const PtxType &T,
                         Rounding R) {
  llvm::Type *Wide = V->getType();
  Value *Back = widen(E, Nearest, T);
  if (Back->getType() != Wide)
    Back = E.B.CreateFPExt(Back, Wide);
  Value *Bits = E.asBits(Nearest);
  llvm::Type *Int = Bits->getType();
  Value *Magnitude = E.B.CreateUnaryIntrinsic(Intrinsic::fabs, V);
  Value *BackMagnitude = E.B.CreateUnaryIntrinsic(Intrinsic::fabs, Back);
  Value *Outside = E.B.CreateFCmpOGT(BackMagnitude, Magnitude);
  Value *Inside = E.B.CreateFCmpOLT(BackMagnitude, Magnitude);
  Value *Negative = E.B.CreateICmpSLT(Bits, ConstantInt::get(Int, 0));
  Value *MoveIn = Outside, *MoveOut = E.B.getFalse();
  if (R != Rounding::Zero) {
    Value *Away = R == Rounding::Down ? Negative : E.B.CreateNot(Negative);
    MoveIn = E.B.CreateAnd(Outside, E.B.CreateNot(Away));
    MoveOut = E.B.CreateAnd(Inside, Away);
  }
  Bits = E.B.CreateSub(Bits, E.B.CreateZExt(MoveIn, Int));
  Bits = E.B.CreateAdd(Bits, E.B.CreateZExt(MoveOut, Int));
  return E.fromBits(T, Bits);
}

Value *cudal1::ptx::roundTo(Emitter &E, Value *V, const PtxType &Packed,
                            Rounding R) {
  PtxType T = Packed.lane();
  Value *Result = roundToNearest(E, V, T);
  if (R != Rounding::Nearest && !(T.isFloat(64)) &&
      !(T.isFloat(32) && V->getType()->isFloatTy()))
    Result = moveToSide(E, Result, V, T, R);
  if (!T.isHalf())
    return Result;
  Value *Canonical = E.fromBits(T, E.constant(16, 0x7fff));
  return E.B.CreateSelect(isNan(E, V), Canonical, Result);
}

Value *cudal1::ptx::flushSubnormal(Emitter &E, Value *V,
                                   const PtxType &Packed) {
  PtxType T = Packed.lane();
  Value *Bits = E.asBits(V);
  unsigned N = T.LaneBits;
  uint64_t Sign = uint64_t(1) << (N - 1);
  uint64_t Exponent = T.isBfloat() ? 0x7f80
                      : N == 16    ? 0x7c00
                      : N == 32    ? 0x7f800000
                                   : 0x7ff0000000000000;
  Value *IsSmall = E.B.CreateIsNull(E.B.CreateAnd(Bits, Exponent));
  Value *Zero = E.B.CreateAnd(Bits, Sign);
  return E.fromBits(T, E.B.CreateSelect(IsSmall, Zero, Bits));
}

Value *cudal1::ptx::saturate(Emitter &E, Value *V) {
  Constant *Zero = ConstantFP::get(V->getType(), 0.0);
  Constant *One = ConstantFP::get(V->getType(), 1.0);
  V = E.B.CreateSelect(E.B.CreateFCmpOGT(V, Zero), V, Zero);
  return E.B.CreateSelect(E.B.CreateFCmpOLT(V, One), V, One);
}

Value *cudal1::ptx::integerToDouble(Emitter &E, Value *V, bool IsSigned) {
  llvm::Type *DoubleTy = E.B.getDoubleTy();
  auto Convert = [&](Value *Integer) {
    return IsSigned ? E.B.CreateSIToFP(Integer, DoubleTy)
                    : E.B.CreateUIToFP(Integer, DoubleTy);
  };
  if (V->getType()->getIntegerBitWidth() <= 32)
    return Convert(V);
  // Numbers of more than 53 bits: what lies below bit 11 is gathered there. It
  // only has to tell that the value is not exact.
  constexpr uint64_t Low = 0x7ff;
  Value *Rest = E.B.CreateIsNotNull(E.B.CreateAnd(V, Low));
  Value *Odd =
      E.B.CreateOr(E.B.CreateAnd(V, ~Low),
                   E.B.CreateShl(E.B.CreateZExt(Rest, V->getType()), 11));
  Value *Magnitude =
      IsSigned ? E.B.CreateBinaryIntrinsic(Intrinsic::abs, V, E.B.getFalse())
               : V;
  Value *Fits = E.B.CreateICmpULT(Magnitude, E.constant(64, uint64_t(1) << 53));
  return Convert(E.B.CreateSelect(Fits, V, Odd));
}

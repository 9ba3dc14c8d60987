//===- Convert.cpp - Conversions of PTX -----------------------------------===//

#include "Floats.h"
#include "SmallFloats.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

/// What a cvt asks for beside its types.
struct Conversion {
  std::optional<Rounding> R;
  std::optional<Rounding> ToIntegral; ///< .rni and its like
  bool Flushes = false;
  bool Saturates = false;
  bool SaturatesFinite = false;
  bool ClampsNegative = false;

  explicit Conversion(PtxInstruction &I) {
    StringRef Integral = I.takeOneOf({"rni", "rzi", "rmi", "rpi"});
    if (Integral == "rni")
      ToIntegral = Rounding::Nearest;
    else if (Integral == "rzi")
      ToIntegral = Rounding::Zero;
    else if (Integral == "rmi")
      ToIntegral = Rounding::Down;
    else if (Integral == "rpi")
      ToIntegral = Rounding::Up;
    R = takeRounding(I);
    Flushes = I.take("ftz");
    Saturates = I.take("sat");
    SaturatesFinite = I.take("satfinite");
    ClampsNegative = I.take("relu");
  }
};

Value *toIntegral(Emitter &E, Value *V, Rounding R) {
  switch (R) {
  case Rounding::Nearest:
    return E.B.CreateUnaryIntrinsic(Intrinsic::rint, V);
  case Rounding::Zero:
    return E.B.CreateUnaryIntrinsic(Intrinsic::trunc, V);
  case Rounding::Down:
    return E.B.CreateUnaryIntrinsic(Intrinsic::floor, V);
  case Rounding::Up:
    return E.B.CreateUnaryIntrinsic(Intrinsic::ceil, V);
  }
  llvm_unreachable("all roundings are listed");
}

/// To an integer: out of range is the end of the range; a NaN is 0, or the
/// integer with only the top bit set where 64 bits take part.
Value *floatToInteger(Emitter &E, Value *V, const PtxType &From,
                      const PtxType &To, const Conversion &C) {
  llvm::Type *Int = E.llvmType(To);
  if (!C.ToIntegral || C.R || C.ClampsNegative || C.SaturatesFinite)
    return E.failValue(Int, "");
  if (C.Flushes)
    V = flushSubnormal(E, V, From);
  V = toIntegral(E, widen(E, V, From), *C.ToIntegral);
  Value *R = E.B.CreateIntrinsic(To.isSigned() ? Intrinsic::fptosi_sat
                                               : Intrinsic::fptoui_sat,
                                 {Int, V->getType()}, {V});
  if (!From.isFloat(64) && To.LaneBits != 64)
    return R;
  Value *Top = E.constant(To.LaneBits, uint64_t(1) << (To.LaneBits - 1));
  return E.B.CreateSelect(E.B.CreateFCmpUNO(V, V), Top, R);
}

Value *integerToFloat(Emitter &E, Value *V, const PtxType &From,
                      const PtxType &To, const Conversion &C) {
  if (!C.R || C.ToIntegral || C.Flushes || C.ClampsNegative ||
      C.SaturatesFinite)
    return E.failValue(E.llvmType(To), "");
  bool Nearest = *C.R == Rounding::Nearest, Signed = From.isSigned();
  Value *R;
  if (Nearest && (To == F32 || To == F64)) {
    R = Signed ? E.B.CreateSIToFP(V, E.llvmType(To))
               : E.B.CreateUIToFP(V, E.llvmType(To));
  } else if (To == F64 && From.LaneBits == 64) {
    R = E.runtime(Twine(Signed ? "ll2d_" : "ull2d_") + roundingName(*C.R),
                  E.B.getDoubleTy(), {V});
  } else {
    R = roundTo(E, integerToDouble(E, V, Signed), To, *C.R);
  }
  if (C.Saturates)
    R = roundTo(E, saturate(E, widen(E, R, To)), To);
  return R;
}

/// Exact conversions take no rounding; .rni and its like round to integral
/// values of the same type.
Value *floatToFloat(Emitter &E, Value *V, const PtxType &From,
                    const PtxType &To, const Conversion &C) {
  bool Narrows = To.LaneBits < From.LaneBits ||
                 (To.LaneBits == 16 && From.LaneBits == 16 && !(To == From));
  if (Narrows ? !C.R || C.ToIntegral : bool(C.R))
    return E.failValue(E.llvmType(To), "");
  if (C.ToIntegral && !(To == From))
    return E.failValue(E.llvmType(To), "");
  if ((C.ClampsNegative && (C.Saturates || !To.isHalf())) ||
      (C.Flushes && !(From.isFloat(32) || To.isFloat(32))))
    return E.failValue(E.llvmType(To), "");
  if (C.Flushes && From.isFloat(32))
    V = flushSubnormal(E, V, From);
  Value *Wide = widen(E, V, From);
  if (C.ToIntegral)
    Wide = toIntegral(E, Wide, *C.ToIntegral);
  Value *R = roundTo(E, Wide, To, C.R.value_or(Rounding::Nearest));
  if (C.Flushes && To.isFloat(32))
    R = flushSubnormal(E, R, To);
  if (C.SaturatesFinite && To.isHalf()) {
    // Infinity becomes the largest number; a NaN stays.
    Value *Bits = E.asBits(R);
    uint64_t Infinity = To.isBfloat() ? 0x7f80 : 0x7c00;
    Value *IsInfinite =
        E.B.CreateICmpEQ(E.B.CreateAnd(Bits, 0x7fff), E.constant(16, Infinity));
    R = E.fromBits(To, E.B.CreateSelect(IsInfinite,
                                        E.B.CreateSub(Bits, E.constant(16, 1)),
                                        Bits));
  }
  if (C.Saturates)
    R = roundTo(E, saturate(E, widen(E, R, To)), To);
  if (C.ClampsNegative) {
    Value *W = widen(E, R, To);
    Constant *Zero = ConstantFP::get(W->getType(), 0.0);
    R = E.B.CreateSelect(E.B.CreateFCmpUGT(W, Zero), R,
                         Constant::getNullValue(R->getType()));
  }
  return R;
}

/// Between integers: truncated, or clamped to the range with .sat.
Value *integerToInteger(Emitter &E, Value *V, const PtxType &From,
                        const PtxType &To, const Conversion &C) {
  llvm::Type *Int = E.llvmType(To);
  if (C.R || C.ToIntegral || C.Flushes || C.ClampsNegative || C.SaturatesFinite)
    return E.failValue(Int, "");
  constexpr unsigned Enough = 66; // bits, for all numbers of both signs
  llvm::Type *Wide = E.intType(Enough);
  V = From.isSigned() ? E.B.CreateSExt(V, Wide) : E.B.CreateZExt(V, Wide);
  if (C.Saturates) {
    APInt Low = To.isSigned()
                    ? APInt::getSignedMinValue(To.LaneBits).sext(Enough)
                    : APInt(Enough, 0);
    APInt High = To.isSigned()
                     ? APInt::getSignedMaxValue(To.LaneBits).zext(Enough)
                     : APInt::getMaxValue(To.LaneBits).zext(Enough);
    V = E.B.CreateBinaryIntrinsic(Intrinsic::smax, V,
                                  ConstantInt::get(E.context(), Low));
    V = E.B.CreateBinaryIntrinsic(Intrinsic::smin, V,
                                  ConstantInt::get(E.context(), High));
  }
  return E.B.CreateTrunc(V, Int);
}

Value *convert(Emitter &E, Value *V, const PtxType &From, const PtxType &To,
               const Conversion &C) {
  if (From.isFloat())
    return To.isFloat() ? floatToFloat(E, V, From, To, C)
                        : floatToInteger(E, V, From, To, C);
  return To.isFloat() ? integerToFloat(E, V, From, To, C)
                      : integerToInteger(E, V, From, To, C);
}

/// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
void convertPair(Emitter &E, PtxInstruction &I, const PtxType &To,
                 const Conversion &C) {
  PtxType From = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (!(From == F32) || !To.isHalf() || !C.R || C.ToIntegral || C.Saturates)
    return E.fail("");
  Value *High = floatToFloat(E, E.read(I[1], From), From, To.lane(), C);
  Value *Low = floatToFloat(E, E.read(I[2], From), From, To.lane(), C);
  if (!E.failed())
    E.write(I[0], E.pack({Low, High}));
}

/// cvt.rna.tf32.f32: the nearest number with 10 bits behind the point, the
/// larger of two that are as near. A NaN is PTX's own.
void convertToTf32(Emitter &E, PtxInstruction &I) {
  constexpr unsigned Tail = 13; // bits of a float that a tf32 lacks
  if (!I.take("tf32") || !(E.typeOf(I) == F32))
    return E.fail("");
  if (!E.expect(I, 2))
    return;
  Value *V = E.read(I[1], F32);
  if (E.failed())
    return;
  Value *Bits = E.asBits(V);
  Value *Rounded =
      E.B.CreateAnd(E.B.CreateAdd(Bits, E.constant(32, 1u << (Tail - 1))),
                    E.constant(32, ~((1u << Tail) - 1)));
  Value *IsFinite = E.B.CreateICmpULT(E.B.CreateAnd(Bits, 0x7fffffff),
                                      E.constant(32, 0x7f800000));
  Value *Special = E.B.CreateSelect(E.B.CreateFCmpUNO(V, V),
                                    E.constant(32, 0x7fffffff), Bits);
  E.write(I[0], E.B.CreateSelect(IsFinite, Rounded, Special));
}

bool convertible(const PtxType &T) {
  return T.Lanes == 1 && !T.isPredicate() && T.Class != TypeClass::Bits &&
         T.LaneBits <= 64;
}

void cvt(Emitter &E, PtxInstruction &I) {
  if (translateSmallFloatConversion(E, I))
    return;
  if (I.take("rna"))
    return convertToTf32(E, I);
  Conversion C(I);
  PtxType To = E.typeOf(I);
  if (E.failed())
    return;
  if (To.Lanes == 2)
    return convertPair(E, I, To, C);
  PtxType From = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (!convertible(To) || !convertible(From))
    return E.fail("");
  // Registers may be wider than the types.
  Value *R = convert(E, E.read(I[1], From, /*AllowWider=*/true), From, To, C);
  if (!E.failed())
    E.write(I[0], R,
            To.isFloat()    ? Emitter::Extension::None
            : To.isSigned() ? Emitter::Extension::Sign
                            : Emitter::Extension::Zero);
}

} // namespace

ArrayRef<HandlerEntry> cudal1::ptx::convertHandlers() {
  static constexpr HandlerEntry Handlers[] = {{"cvt", cvt, false}};
  return Handlers;
}

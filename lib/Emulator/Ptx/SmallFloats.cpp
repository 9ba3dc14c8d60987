//===- SmallFloats.cpp - Conversions of 8-bit floats of PTX ---------------===//

#include "SmallFloats.h"
#include "Floats.h"
#include <cmath>

using namespace cudal1::ptx;
using namespace llvm;

namespace {

/// An 8-bit format with a sign, by its widths and its special values.
struct SmallFormat {
  int MantissaBits;
  int MinExponent; ///< of the smallest normal number
  double Largest;
  uint8_t LargestBits;
  uint8_t Nan;
};

constexpr SmallFormat E4M3{3, -6, 448.0, 0x7e, 0x7f};
constexpr SmallFormat E5M2{2, -14, 57344.0, 0x7b, 0x7f};

/// \p V, a float, rounded to nearest to \p F; beyond the largest number is the
/// largest number.
Value *toSmall(Emitter &E, Value *V, const SmallFormat &F,
               bool ClampsNegative) {
  llvm::Type *FloatTy = E.B.getFloatTy();
  auto Number = [&](double D) { return ConstantFP::get(FloatTy, D); };
  Value *IsNan = E.B.CreateFCmpUNO(V, V);
  Value *Sign = E.B.CreateAnd(E.B.CreateLShr(E.asBits(V), 24), 0x80);
  Value *Magnitude = E.B.CreateUnaryIntrinsic(Intrinsic::fabs, V);
  Magnitude = E.B.CreateSelect(E.B.CreateFCmpOLT(Magnitude, Number(F.Largest)),
                               Magnitude, Number(F.Largest));
  // Normal numbers: drop the mantissa's tail, to nearest even.
  unsigned Tail = 23 - F.MantissaBits;
  Value *Bits = E.asBits(Magnitude);
  Value *Odd = E.B.CreateAnd(E.B.CreateLShr(Bits, Tail), 1);
  Value *Rounded =
      E.B.CreateLShr(E.B.CreateAdd(E.B.CreateAdd(Bits, Odd),
                                   E.constant(32, (1u << (Tail - 1)) - 1)),
                     Tail);
  // The exponent's bias changes from a float's to the format's.
  Value *Normal = E.B.CreateSub(
      Rounded, E.constant(32, (127 + F.MinExponent - 1) << F.MantissaBits));
  // Subnormal numbers: a count of the smallest one.
  double Scale = std::ldexp(1.0, F.MantissaBits - F.MinExponent);
  Value *Count = E.B.CreateFPToUI(
      E.B.CreateUnaryIntrinsic(
          Intrinsic::rint,
          E.B.CreateBinaryIntrinsic(Intrinsic::minnum,
                                    E.B.CreateFMul(Magnitude, Number(Scale)),
                                    Number(255.0))),
      E.intType(32));
  Value *IsSmall =
      E.B.CreateFCmpOLT(Magnitude, Number(std::ldexp(1.0, F.MinExponent)));
  Value *R = E.B.CreateOr(E.B.CreateSelect(IsSmall, Count, Normal), Sign);
  if (ClampsNegative)
    R = E.B.CreateSelect(E.B.CreateIsNotNull(Sign), E.constant(32, 0), R);
  R = E.B.CreateSelect(IsNan, E.constant(32, F.Nan), R);
  return E.B.CreateTrunc(R, E.intType(8));
}

/// \p V, 8 bits, as a half. Exact.
Value *fromSmall(Emitter &E, Value *V, const SmallFormat &F) {
  Value *Bits = E.B.CreateZExt(V, E.intType(16));
  if (F.MantissaBits == 2) {
    Value *Half = E.B.CreateShl(Bits, 8);
    Value *IsNan =
        E.B.CreateICmpUGT(E.B.CreateAnd(Bits, 0x7f), E.constant(16, 0x7c));
    return E.fromBits(F16,
                      E.B.CreateSelect(IsNan, E.constant(16, 0x7fff), Half));
  }
  // Its bits at a half's place have the wrong bias: 15, not 7.
  Value *Magnitude =
      E.fromBits(F16, E.B.CreateShl(E.B.CreateAnd(Bits, 0x7f), 7));
  Value *Scaled = E.B.CreateFMul(E.B.CreateFPExt(Magnitude, E.B.getFloatTy()),
                                 ConstantFP::get(E.B.getFloatTy(), 256.0));
  Value *Half = E.asBits(E.B.CreateFPTrunc(Scaled, E.B.getHalfTy()));
  Half = E.B.CreateOr(Half, E.B.CreateShl(E.B.CreateAnd(Bits, 0x80), 8));
  Value *IsNan =
      E.B.CreateICmpEQ(E.B.CreateAnd(Bits, 0x7f), E.constant(16, 0x7f));
  return E.fromBits(F16, E.B.CreateSelect(IsNan, E.constant(16, 0x7fff), Half));
}

const SmallFormat *takeFormat(PtxInstruction &I) {
  if (I.take("e4m3x2"))
    return &E4M3;
  return I.take("e5m2x2") ? &E5M2 : nullptr;
}

} // namespace

bool cudal1::ptx::translateSmallFloatConversion(Emitter &E, PtxInstruction &I) {
  const SmallFormat *Format = takeFormat(I);
  if (!Format)
    return false;
  bool ClampsNegative = I.take("relu");
  bool Saturates = I.take("satfinite");
  PtxType T = E.typeOf(I);
  if (E.failed())
    return true;
  if (!I.take("rn")) {
    E.fail("");
  } else if (!Saturates && T.isHalf() && !T.isBfloat() && T.Lanes == 2) {
    // cvt.rn.f16x2.e4m3x2
    if (!E.expect(I, 2) || ClampsNegative) {
      E.fail("");
      return true;
    }
    Value *Pair = E.readBits(I[1], 16);
    SmallVector<Value *, 2> Halves;
    for (unsigned K = 0; K < 2; ++K)
      Halves.push_back(fromSmall(
          E,
          E.B.CreateTrunc(E.B.CreateLShr(Pair, uint64_t(8) * K), E.intType(8)),
          *Format));
    E.write(I[0], E.pack(Halves));
  } else if (Saturates && T == F32 && E.expect(I, 3)) {
    // cvt.rn.satfinite.e4m3x2.f32 d, a, b: a is the upper one
    Value *High = toSmall(E, E.read(I[1], F32), *Format, ClampsNegative);
    Value *Low = toSmall(E, E.read(I[2], F32), *Format, ClampsNegative);
    E.write(I[0], E.pack({Low, High}));
  } else if (Saturates && T.isHalf() && !T.isBfloat() && T.Lanes == 2 &&
             E.expect(I, 2)) {
    Value *Pair = E.read(I[1], T);
    SmallVector<Value *, 2> Bytes;
    for (unsigned K = 0; K < 2; ++K)
      Bytes.push_back(toSmall(E, widen(E, E.lane(T, Pair, K), T.lane()),
                              *Format, ClampsNegative));
    E.write(I[0], E.pack(Bytes));
  } else {
    E.fail("");
  }
  return true;
}

//===- Float.cpp - Floating-point arithmetic of PTX -----------------------===//

#include "Floats.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

/// What the modifiers of a floating-point instruction ask for.
struct Mode {
  Rounding R = Rounding::Nearest;
  bool Flushes = false;        ///< .ftz
  bool Saturates = false;      ///< .sat
  bool ClampsNegative = false; ///< .relu

  static Mode take(PtxInstruction &I, const PtxType &T) {
    Mode M;
    M.R = takeRounding(I).value_or(Rounding::Nearest);
    M.Flushes = T.LaneBits != 64 && !T.isBfloat() && I.take("ftz");
    M.Saturates = T.LaneBits != 64 && !T.isBfloat() && I.take("sat");
    M.ClampsNegative = T.isHalf() && I.take("relu");
    return M;
  }
};

bool isArithmetic(const PtxType &T) { return T.isFloat(); }

/// Applies saturation, clamping and flushing to a result of type \p T.
Value *finish(Emitter &E, Value *V, const PtxType &T, const Mode &M) {
  if (M.Flushes)
    V = flushSubnormal(E, V, T);
  if (!M.Saturates && !M.ClampsNegative)
    return V;
  Value *Wide = widen(E, V, T);
  if (M.Saturates)
    return roundTo(E, saturate(E, Wide), T);
  Constant *Zero = ConstantFP::get(Wide->getType(), 0.0);
  Value *Keep = E.B.CreateFCmpUGT(Wide, Zero); // a NaN stays
  return roundTo(E, E.B.CreateSelect(Keep, Wide, Zero), T);
}

/// Applies \p Compute to the operands after the first, lane by lane, between
/// flushing what goes in and finishing what comes out.
void arithmetic(Emitter &E, PtxInstruction &I, const PtxType &T, const Mode &M,
                function_ref<Value *(ArrayRef<Value *>)> Compute) {
  SmallVector<Value *, 3> Operands;
  for (size_t K = 1; K < I.size(); ++K)
    Operands.push_back(E.read(I[K], T));
  E.write(I[0], E.perLane(T, Operands, [&](ArrayRef<Value *> Lanes) {
    SmallVector<Value *, 3> In(Lanes);
    if (M.Flushes)
      for (Value *&V : In)
        V = flushSubnormal(E, V, T);
    return finish(E, Compute(In), T, M);
  }));
}

/// The runtime's function for a rounding that LLVM cannot be told.
Value *directed(Emitter &E, StringRef Operation, const PtxType &T, Rounding R,
                ArrayRef<Value *> Operands) {
  if (T.LaneBits == 16)
    return E.failValue(E.llvmType(T.lane()), "");
  return E.runtime(Operation + "_" + roundingName(R) +
                       (T.LaneBits == 64 ? "_d" : "_f"),
                   E.llvmType(T.lane()), Operands);
}

Value *negate(Emitter &E, Value *V, const PtxType &T) {
  Value *Bits = E.asBits(V);
  uint64_t Sign = uint64_t(1) << (T.LaneBits - 1);
  return E.fromBits(T.lane(), E.B.CreateXor(Bits, Sign));
}

/// The sum of a product of two halves and a third, rounded once. A product is
/// exact as a double. For f16, so is the sum, unless the product is too small
/// to matter (below 2^-30 of the sum, which then rounds to the third operand
/// either way). For bf16, the sum's error is found (Knuth's TwoSum) and makes
/// it odd.
Value *fmaHalves(Emitter &E, ArrayRef<Value *> V, const PtxType &T) {
  auto Wide = [&](Value *X) {
    return E.B.CreateFPExt(widen(E, X, T), E.B.getDoubleTy());
  };
  Value *Product = E.B.CreateFMul(Wide(V[0]), Wide(V[1]));
  Value *Addend = Wide(V[2]);
  Value *Sum = E.B.CreateFAdd(Product, Addend);
  if (!T.isBfloat())
    return roundTo(E, Sum, T);
  Value *Part = E.B.CreateFSub(Sum, Product);
  Value *Error =
      E.B.CreateFAdd(E.B.CreateFSub(Product, E.B.CreateFSub(Sum, Part)),
                     E.B.CreateFSub(Addend, Part));
  // The sum rounded to odd: towards zero, then its last bit set.
  Constant *Zero = ConstantFP::get(E.B.getDoubleTy(), 0.0);
  Value *Inexact = E.B.CreateFCmpONE(Error, Zero);
  Value *Bits = E.asBits(Sum);
  Value *ErrorSign = E.B.CreateFCmpOLT(Error, Zero);
  Value *SumSign = E.B.CreateFCmpOLT(Sum, Zero);
  Value *TooLarge =
      E.B.CreateAnd(Inexact, E.B.CreateICmpNE(ErrorSign, SumSign));
  llvm::Type *Int = E.intType(64);
  Bits = E.B.CreateSub(Bits, E.B.CreateZExt(TooLarge, Int));
  Bits = E.B.CreateOr(Bits, E.B.CreateZExt(Inexact, Int));
  return roundTo(E, E.B.CreateBitCast(Bits, E.B.getDoubleTy()), T);
}

} // namespace

Value *cudal1::ptx::addHalves(Emitter &E, Value *X, Value *Y,
                              const PtxType &T) {
  // A float has more than twice the bits of a half and two: rounding to it
  // first does no harm (Figueroa, 1995).
  return roundTo(E, E.B.CreateFAdd(widen(E, X, T), widen(E, Y, T)), T);
}

void cudal1::ptx::floatAdd(Emitter &E, PtxInstruction &I, const PtxType &T,
                           bool Subtract) {
  Mode M = Mode::take(I, T);
  if (!E.expect(I, 3))
    return;
  arithmetic(E, I, T, M, [&](ArrayRef<Value *> V) -> Value * {
    Value *Y = Subtract ? negate(E, V[1], T) : V[1];
    if (M.R != Rounding::Nearest)
      return directed(E, "add", T, M.R, {V[0], Y});
    if (T.isHalf())
      return addHalves(E, V[0], Y, T);
    return Subtract ? E.B.CreateFSub(V[0], V[1]) : E.B.CreateFAdd(V[0], V[1]);
  });
}

void cudal1::ptx::floatMultiply(Emitter &E, PtxInstruction &I,
                                const PtxType &T) {
  Mode M = Mode::take(I, T);
  arithmetic(E, I, T, M, [&](ArrayRef<Value *> V) -> Value * {
    if (M.R != Rounding::Nearest)
      return directed(E, "mul", T, M.R, V);
    return roundTo(E, E.B.CreateFMul(widen(E, V[0], T), widen(E, V[1], T)), T);
  });
}

void cudal1::ptx::floatFma(Emitter &E, PtxInstruction &I, const PtxType &T) {
  std::optional<Rounding> R = takeRounding(I);
  Mode M = Mode::take(I, T);
  M.R = R.value_or(Rounding::Nearest);
  if (!R || !E.expect(I, 4))
    return E.fail("");
  arithmetic(E, I, T, M, [&](ArrayRef<Value *> V) -> Value * {
    if (M.R != Rounding::Nearest)
      return directed(E, "fma", T, M.R, V);
    if (T.isHalf())
      return fmaHalves(E, V, T);
    return E.B.CreateIntrinsic(Intrinsic::fma, {V[0]->getType()}, V);
  });
}

void cudal1::ptx::floatDivide(Emitter &E, PtxInstruction &I, const PtxType &T) {
  StringRef Form = I.takeOneOf({"approx", "full"});
  std::optional<Rounding> R = takeRounding(I);
  Mode M = Mode::take(I, T);
  M.R = R.value_or(Rounding::Nearest);
  if (T.Lanes != 1 || T.LaneBits == 16 || (Form.empty() && !R) ||
      (!Form.empty() && !T.isFloat(32)))
    return E.fail("");
  arithmetic(E, I, T, M, [&](ArrayRef<Value *> V) -> Value * {
    if (Form == "approx")
      return E.runtime("div_approx_f", E.llvmType(T), V);
    if (Form == "full")
      return E.runtime("div_full", E.llvmType(T), V);
    if (M.R != Rounding::Nearest)
      return directed(E, "div", T, M.R, V);
    return E.B.CreateFDiv(V[0], V[1]);
  });
}

Value *cudal1::ptx::minMaxNumber(Emitter &E, Value *X, Value *Y,
                                 const PtxType &T, bool IsMax,
                                 bool PropagatesNaN) {
  Intrinsic::ID Id =
      PropagatesNaN ? (IsMax ? Intrinsic::maximum : Intrinsic::minimum)
                    : (IsMax ? Intrinsic::maximumnum : Intrinsic::minimumnum);
  Value *R = E.B.CreateBinaryIntrinsic(Id, widen(E, X, T), widen(E, Y, T));
  return roundTo(E, R, T);
}

void cudal1::ptx::floatMinMax(Emitter &E, PtxInstruction &I, const PtxType &T,
                              bool IsMax) {
  Mode M = Mode::take(I, T);
  bool PropagatesNaN = T.LaneBits != 64 && I.take("NaN");
  bool SignsOfBoth = I.take("xorsign");
  if (SignsOfBoth != I.take("abs") || M.R != Rounding::Nearest || M.Saturates)
    return E.fail("");
  uint64_t Sign = uint64_t(1) << (T.LaneBits - 1);
  arithmetic(E, I, T, M, [&](ArrayRef<Value *> V) -> Value * {
    if (!SignsOfBoth)
      return minMaxNumber(E, V[0], V[1], T, IsMax, PropagatesNaN);
    Value *X = E.asBits(V[0]), *Y = E.asBits(V[1]);
    PtxType L = T.lane();
    Value *R = minMaxNumber(E, E.fromBits(L, E.B.CreateAnd(X, Sign - 1)),
                            E.fromBits(L, E.B.CreateAnd(Y, Sign - 1)), T, IsMax,
                            PropagatesNaN);
    Value *Signs = E.B.CreateAnd(E.B.CreateXor(X, Y), Sign);
    return E.fromBits(L, E.B.CreateOr(E.asBits(R), Signs));
  });
}

void cudal1::ptx::floatSign(Emitter &E, PtxInstruction &I, const PtxType &T,
                            bool IsAbs) {
  Mode M = Mode::take(I, T);
  if (M.R != Rounding::Nearest || M.Saturates || M.ClampsNegative)
    return E.fail("");
  uint64_t Sign = uint64_t(1) << (T.LaneBits - 1);
  arithmetic(E, I, T, M, [&](ArrayRef<Value *> V) -> Value * {
    if (!IsAbs)
      return negate(E, V[0], T);
    return E.fromBits(T.lane(), E.B.CreateAnd(E.asBits(V[0]), Sign - 1));
  });
}

namespace {

void fmaHandler(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!isArithmetic(T))
    return E.fail("");
  floatFma(E, I, T);
}

/// Functions of one operand that are approximations on the GPU. Those on 16
/// bits compute on floats, which have far more bits.
void approximation(Emitter &E, PtxInstruction &I, StringRef Name) {
  PtxType T = E.typeOf(I);
  // bf16 has ex2.approx.ftz only; its name says what it does.
  bool FlushesBfloat = T.isBfloat() && I.take("ftz");
  Mode M = Mode::take(I, T);
  M.Flushes |= FlushesBfloat;
  if (!I.take("approx") || !E.expect(I, 2) || M.R != Rounding::Nearest ||
      M.Saturates || M.ClampsNegative || T.LaneBits == 64 || !T.isFloat())
    return E.fail("");
  arithmetic(E, I, T, M, [&](ArrayRef<Value *> V) {
    Value *R =
        E.runtime(Name + "_approx_f", E.B.getFloatTy(), {widen(E, V[0], T)});
    return roundTo(E, R, T);
  });
}

void ex2(Emitter &E, PtxInstruction &I) { approximation(E, I, "ex2"); }
void lg2(Emitter &E, PtxInstruction &I) { approximation(E, I, "lg2"); }
void sinHandler(Emitter &E, PtxInstruction &I) { approximation(E, I, "sin"); }
void cosHandler(Emitter &E, PtxInstruction &I) { approximation(E, I, "cos"); }
void tanhHandler(Emitter &E, PtxInstruction &I) { approximation(E, I, "tanh"); }

/// rcp, sqrt and rsqrt: exact ones by a rounding, and approximations.
void root(Emitter &E, PtxInstruction &I, StringRef Name,
          function_ref<Value *(Value *)> Exact) {
  bool Approximates = I.take("approx");
  std::optional<Rounding> R = takeRounding(I);
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2) || T.Lanes != 1 || T.isHalf() || !T.isFloat() ||
      Approximates == bool(R))
    return E.fail("");
  if (Approximates && T.LaneBits == 64) {
    if (Name == "sqrt" || !I.take("ftz"))
      return E.fail("");
    return E.write(I[0], E.runtime(Name + "_approx_ftz_d", E.B.getDoubleTy(),
                                   {E.read(I[1], T)}));
  }
  Mode M = Mode::take(I, T);
  if (M.Saturates)
    return E.fail("");
  arithmetic(E, I, T, M, [&](ArrayRef<Value *> V) {
    if (Approximates)
      return static_cast<Value *>(
          E.runtime(Name + "_approx_f", E.llvmType(T), {V[0]}));
    if (*R != Rounding::Nearest)
      return directed(E, Name, T, *R, {V[0]});
    return Exact(V[0]);
  });
}

void rcp(Emitter &E, PtxInstruction &I) {
  root(E, I, "rcp", [&](Value *V) {
    return E.B.CreateFDiv(ConstantFP::get(V->getType(), 1.0), V);
  });
}

void sqrtHandler(Emitter &E, PtxInstruction &I) {
  root(E, I, "sqrt",
       [&](Value *V) { return E.B.CreateUnaryIntrinsic(Intrinsic::sqrt, V); });
}

void rsqrt(Emitter &E, PtxInstruction &I) {
  root(E, I, "rsqrt", [&](Value *V) { return E.failValue(V->getType(), ""); });
}

/// The value of b with the sign of a.
void copysignHandler(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (!T.isFloat(32) && !T.isFloat(64))
    return E.fail("");
  E.write(I[0], E.B.CreateBinaryIntrinsic(Intrinsic::copysign, E.read(I[2], T),
                                          E.read(I[1], T)));
}

} // namespace

ArrayRef<HandlerEntry> cudal1::ptx::floatHandlers() {
  static constexpr HandlerEntry Handlers[] = {
      {"fma", fmaHandler, false}, {"ex2", ex2, false},
      {"lg2", lg2, false},        {"sin", sinHandler, false},
      {"cos", cosHandler, false}, {"tanh", tanhHandler, false},
      {"rcp", rcp, false},        {"sqrt", sqrtHandler, false},
      {"rsqrt", rsqrt, false},    {"copysign", copysignHandler, false},
  };
  return Handlers;
}

//===- Integer.cpp - Integer arithmetic of PTX ----------------------------===//

#include "Floats.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

/// The sum or difference of \p X, \p Y and the carry bit where it is used, by
/// the modifiers of \p I.
Value *withCarry(Emitter &E, Value *X, Value *Y, bool Subtract, bool UseCarry,
                 bool SetCarry) {
  unsigned Bits = X->getType()->getIntegerBitWidth();
  llvm::Type *Wide = E.intType(Bits + 2);
  Value *WideX = E.B.CreateZExt(X, Wide), *WideY = E.B.CreateZExt(Y, Wide);
  if (UseCarry)
    WideY = E.B.CreateAdd(WideY, E.B.CreateZExt(E.carry(), Wide));
  Value *Sum =
      Subtract ? E.B.CreateSub(WideX, WideY) : E.B.CreateAdd(WideX, WideY);
  if (SetCarry)
    E.setCarry(E.B.CreateTrunc(E.B.CreateLShr(Sum, Bits), E.intType(1)));
  return E.B.CreateTrunc(Sum, E.intType(Bits));
}

void addOrSubtract(Emitter &E, PtxInstruction &I, bool Subtract,
                   bool UseCarry) {
  bool SetCarry = I.take("cc");
  PtxType T = E.typeOf(I);
  if (T.isFloat() && !SetCarry && !UseCarry)
    return floatAdd(E, I, T, Subtract);
  bool Saturates = T == S32 && !SetCarry && !UseCarry && I.take("sat");
  if (!E.expect(I, 3))
    return;
  if (!T.isInteger() || (T.Class == TypeClass::Bits && !SetCarry && !UseCarry))
    return E.fail("");
  Value *X = E.read(I[1], T), *Y = E.read(I[2], T);
  if (SetCarry || UseCarry)
    return T.Lanes != 1 ? E.fail("")
                        : E.write(I[0], withCarry(E, X, Y, Subtract, UseCarry,
                                                  SetCarry));
  E.write(I[0], E.perLane(T, {X, Y}, [&](ArrayRef<Value *> V) -> Value * {
    if (Saturates)
      return E.B.CreateBinaryIntrinsic(
          Subtract ? Intrinsic::ssub_sat : Intrinsic::sadd_sat, V[0], V[1]);
    return Subtract ? E.B.CreateSub(V[0], V[1]) : E.B.CreateAdd(V[0], V[1]);
  }));
}

void add(Emitter &E, PtxInstruction &I) { addOrSubtract(E, I, false, false); }
void addc(Emitter &E, PtxInstruction &I) { addOrSubtract(E, I, false, true); }
void sub(Emitter &E, PtxInstruction &I) { addOrSubtract(E, I, true, false); }
void subc(Emitter &E, PtxInstruction &I) { addOrSubtract(E, I, true, true); }

/// All 2N bits of a product.
Value *wideProduct(Emitter &E, Value *X, Value *Y, const PtxType &T) {
  llvm::Type *Wide = E.intType(2 * T.LaneBits);
  if (T.isSigned())
    return E.B.CreateMul(E.B.CreateSExt(X, Wide), E.B.CreateSExt(Y, Wide));
  return E.B.CreateMul(E.B.CreateZExt(X, Wide), E.B.CreateZExt(Y, Wide));
}

Value *highHalf(Emitter &E, Value *Product) {
  unsigned Bits = Product->getType()->getIntegerBitWidth() / 2;
  return E.B.CreateTrunc(E.B.CreateLShr(Product, Bits), E.intType(Bits));
}

/// The product that `.lo`, `.hi` or `.wide` selects; \p Result is its type.
Value *product(Emitter &E, PtxInstruction &I, const PtxType &T,
               PtxType &Result) {
  StringRef Part = I.takeOneOf({"lo", "hi", "wide"});
  Result = T;
  if (Part.empty() || T.Lanes != 1 || T.LaneBits == 8 || T.LaneBits > 64)
    return E.failValue(E.intType(T.bits()), "");
  Value *X = E.read(I[1], T), *Y = E.read(I[2], T);
  if (Part == "lo")
    return E.B.CreateMul(X, Y);
  Value *Product = wideProduct(E, X, Y, T);
  if (Part == "hi")
    return highHalf(E, Product);
  if (T.LaneBits == 64)
    E.fail("");
  Result.LaneBits *= 2;
  return Product;
}

void mul(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I), Result = T;
  if (!E.expect(I, 3))
    return;
  if (T.isFloat())
    return floatMultiply(E, I, T);
  if (!T.isInteger() || T.Class == TypeClass::Bits)
    return E.fail("");
  E.write(I[0], product(E, I, T, Result));
}

void multiplyAdd(Emitter &E, PtxInstruction &I, bool UseCarry) {
  bool SetCarry = I.take("cc");
  PtxType T = E.typeOf(I), Result = T;
  if (!E.expect(I, 4))
    return;
  // Without a rounding, `mad` on floats is of GPUs that are long gone.
  if (T.isFloat() && !UseCarry && !SetCarry)
    return floatFma(E, I, T);
  if (!T.isInteger() || T.Class == TypeClass::Bits)
    return E.fail("");
  bool Saturates = T == S32 && !UseCarry && !SetCarry && I.take("sat");
  Value *Product = product(E, I, T, Result);
  Value *Addend = E.read(I[3], Result);
  if (Saturates) // only with .hi
    return E.write(
        I[0], E.B.CreateBinaryIntrinsic(Intrinsic::sadd_sat, Product, Addend));
  if (UseCarry || SetCarry)
    return E.write(I[0],
                   withCarry(E, Product, Addend, false, UseCarry, SetCarry));
  E.write(I[0], E.B.CreateAdd(Product, Addend));
}

void mad(Emitter &E, PtxInstruction &I) { multiplyAdd(E, I, false); }
void madc(Emitter &E, PtxInstruction &I) { multiplyAdd(E, I, true); }

/// The low or high 32 of the 48 bits of a product of 24-bit numbers.
Value *product24(Emitter &E, PtxInstruction &I, const PtxType &T) {
  StringRef Part = I.takeOneOf({"lo", "hi"});
  if (Part.empty() || T.Lanes != 1 || T.LaneBits != 32 || !T.isInteger())
    return E.failValue(E.intType(32), "");
  auto Narrow = [&](const Operand &Op) {
    Value *V = E.B.CreateShl(E.read(Op, T), 8);
    V = T.isSigned() ? E.B.CreateAShr(V, 8) : E.B.CreateLShr(V, 8);
    return T.isSigned() ? E.B.CreateSExt(V, E.intType(64))
                        : E.B.CreateZExt(V, E.intType(64));
  };
  Value *Product = E.B.CreateMul(Narrow(I[1]), Narrow(I[2]));
  return E.B.CreateTrunc(E.B.CreateLShr(Product, Part == "lo" ? 0 : 16),
                         E.intType(32));
}

void mul24(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (E.expect(I, 3))
    E.write(I[0], product24(E, I, T));
}

void mad24(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (E.expect(I, 4))
    E.write(I[0], E.B.CreateAdd(product24(E, I, T), E.read(I[3], T)));
}

/// What a GPU gives for a division by zero is left open by PTX; the CPU must
/// not stop there. All ones is what GPUs do.
Value *divide(Emitter &E, Value *X, Value *Y, const PtxType &T,
              bool Remainder) {
  Value *Zero = ConstantInt::get(X->getType(), 0);
  Value *One = ConstantInt::get(X->getType(), 1);
  Value *IsZero = E.B.CreateICmpEQ(Y, Zero);
  Value *Ones = Constant::getAllOnesValue(X->getType());
  Value *Unsafe = IsZero;
  if (T.isSigned())
    Unsafe = E.B.CreateOr(Unsafe, E.B.CreateICmpEQ(Y, Ones));
  Value *Divisor = E.B.CreateSelect(Unsafe, One, Y);
  Value *Result;
  if (Remainder) {
    Result =
        T.isSigned() ? E.B.CreateSRem(X, Divisor) : E.B.CreateURem(X, Divisor);
    return E.B.CreateSelect(IsZero, X, Result);
  }
  Result =
      T.isSigned() ? E.B.CreateSDiv(X, Divisor) : E.B.CreateUDiv(X, Divisor);
  if (T.isSigned())
    Result = E.B.CreateSelect(Unsafe, E.B.CreateNeg(X), Result);
  return E.B.CreateSelect(IsZero, Ones, Result);
}

void divideOrRemainder(Emitter &E, PtxInstruction &I, bool Remainder) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (T.isFloat() && !Remainder)
    return floatDivide(E, I, T);
  if (!T.isInteger() || T.Class == TypeClass::Bits || T.Lanes != 1)
    return E.fail("");
  E.write(I[0], divide(E, E.read(I[1], T), E.read(I[2], T), T, Remainder));
}

void divHandler(Emitter &E, PtxInstruction &I) {
  divideOrRemainder(E, I, false);
}
void rem(Emitter &E, PtxInstruction &I) { divideOrRemainder(E, I, true); }

void absOrNeg(Emitter &E, PtxInstruction &I, bool IsAbs) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (T.isFloat())
    return floatSign(E, I, T, IsAbs);
  if (!T.isSigned() || T.Lanes != 1)
    return E.fail("");
  Value *X = E.read(I[1], T), *Negated = E.B.CreateNeg(X);
  Value *IsNegative =
      E.B.CreateICmpSLT(X, Constant::getNullValue(X->getType()));
  E.write(I[0], IsAbs ? E.B.CreateSelect(IsNegative, Negated, X) : Negated);
}

void absHandler(Emitter &E, PtxInstruction &I) { absOrNeg(E, I, true); }
void neg(Emitter &E, PtxInstruction &I) { absOrNeg(E, I, false); }

void minOrMax(Emitter &E, PtxInstruction &I, bool IsMax) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (T.isFloat())
    return floatMinMax(E, I, T, IsMax);
  if (!T.isInteger() || T.Class == TypeClass::Bits)
    return E.fail("");
  bool ClampsNegative = T.isSigned() && T.bits() == 32 && I.take("relu");
  Intrinsic::ID Id = T.isSigned() ? (IsMax ? Intrinsic::smax : Intrinsic::smin)
                                  : (IsMax ? Intrinsic::umax : Intrinsic::umin);
  E.write(I[0], E.perLane(T, {E.read(I[1], T), E.read(I[2], T)},
                          [&](ArrayRef<Value *> V) -> Value * {
                            Value *R =
                                E.B.CreateBinaryIntrinsic(Id, V[0], V[1]);
                            return ClampsNegative
                                       ? E.B.CreateBinaryIntrinsic(
                                             Intrinsic::smax, R,
                                             ConstantInt::get(R->getType(), 0))
                                       : R;
                          }));
}

void minHandler(Emitter &E, PtxInstruction &I) { minOrMax(E, I, false); }
void maxHandler(Emitter &E, PtxInstruction &I) { minOrMax(E, I, true); }

/// |a - b| + c
void sad(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 4))
    return;
  if (!T.isInteger() || T.Class == TypeClass::Bits || T.Lanes != 1)
    return E.fail("");
  Value *X = E.read(I[1], T), *Y = E.read(I[2], T);
  Value *Less =
      T.isSigned() ? E.B.CreateICmpSLT(X, Y) : E.B.CreateICmpULT(X, Y);
  Value *Distance =
      E.B.CreateSelect(Less, E.B.CreateSub(Y, X), E.B.CreateSub(X, Y));
  E.write(I[0], E.B.CreateAdd(Distance, E.read(I[3], T)));
}

/// Sum of the products of the parts of two words. The parts of the second
/// start at bit \p First.
Value *dotProduct(Emitter &E, PtxInstruction &I, const PtxType &X,
                  const PtxType &Y, unsigned XBits, unsigned Count,
                  unsigned First) {
  auto Part = [&](Value *V, const PtxType &T, unsigned Start, unsigned Bits) {
    V = E.B.CreateTrunc(E.B.CreateLShr(V, Start), E.intType(Bits));
    return T.isSigned() ? E.B.CreateSExt(V, E.intType(32))
                        : E.B.CreateZExt(V, E.intType(32));
  };
  Value *A = E.read(I[1], B32), *B = E.read(I[2], B32);
  Value *Sum = E.read(I[3], B32);
  for (unsigned K = 0; K < Count; ++K)
    Sum = E.B.CreateAdd(Sum, E.B.CreateMul(Part(A, X, K * XBits, XBits),
                                           Part(B, Y, First + 8 * K, 8)));
  return Sum;
}

void dotProductInstruction(Emitter &E, PtxInstruction &I, unsigned XBits,
                           unsigned First) {
  PtxType X = E.typeOf(I), Y = E.typeOf(I);
  if (!E.expect(I, 4))
    return;
  if (!X.isInteger() || !Y.isInteger() || X.bits() != 32 || Y.bits() != 32 ||
      X.Class == TypeClass::Bits || Y.Class == TypeClass::Bits)
    return E.fail("");
  E.write(I[0], dotProduct(E, I, X, Y, XBits, 32 / XBits, First));
}

void dp4a(Emitter &E, PtxInstruction &I) { dotProductInstruction(E, I, 8, 0); }

void dp2a(Emitter &E, PtxInstruction &I) {
  StringRef Half = I.takeOneOf({"lo", "hi"});
  if (Half.empty())
    return E.fail("");
  dotProductInstruction(E, I, 16, Half == "lo" ? 0 : 16);
}

} // namespace

ArrayRef<HandlerEntry> cudal1::ptx::integerHandlers() {
  static constexpr HandlerEntry Handlers[] = {
      {"add", add, false},        {"addc", addc, false},
      {"sub", sub, false},        {"subc", subc, false},
      {"mul", mul, false},        {"mad", mad, false},
      {"madc", madc, false},      {"mul24", mul24, false},
      {"mad24", mad24, false},    {"div", divHandler, false},
      {"rem", rem, false},        {"abs", absHandler, false},
      {"neg", neg, false},        {"min", minHandler, false},
      {"max", maxHandler, false}, {"sad", sad, false},
      {"dp4a", dp4a, false},      {"dp2a", dp2a, false},
  };
  return Handlers;
}

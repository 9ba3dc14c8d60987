//===- Bits.cpp - Bits and shifts of PTX ----------------------------------===//

#include "Emitter.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

bool isWord(const PtxType &T) {
  return T.isInteger() && T.Lanes == 1 &&
         (T.LaneBits == 32 || T.LaneBits == 64);
}

using BinaryOp = llvm::Instruction::BinaryOps;

void logic(Emitter &E, PtxInstruction &I, BinaryOp Op) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (T.Class != TypeClass::Bits && !T.isPredicate())
    return E.fail("");
  E.write(I[0], E.B.CreateBinOp(Op, E.read(I[1], T), E.read(I[2], T)));
}

void logicAnd(Emitter &E, PtxInstruction &I) { logic(E, I, BinaryOp::And); }
void logicOr(Emitter &E, PtxInstruction &I) { logic(E, I, BinaryOp::Or); }
void logicXor(Emitter &E, PtxInstruction &I) { logic(E, I, BinaryOp::Xor); }

void logicNot(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (T.Class != TypeClass::Bits && !T.isPredicate())
    return E.fail("");
  E.write(I[0], E.B.CreateNot(E.read(I[1], T)));
}

void cnot(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (T.Class != TypeClass::Bits)
    return E.fail("");
  E.write(I[0],
          E.B.CreateZExt(E.B.CreateIsNull(E.read(I[1], T)), E.llvmType(T)));
}

/// Shift amounts beyond the width give zeros, or copies of the sign.
void shift(Emitter &E, PtxInstruction &I, bool Left) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (!T.isInteger() || T.Lanes != 1 || T.LaneBits < 16 || T.LaneBits > 64 ||
      (Left && T.Class != TypeClass::Bits))
    return E.fail("");
  Value *X = E.read(I[1], T), *Amount = E.read(I[2], U32);
  Value *Last = E.constant(32, T.LaneBits - 1);
  Value *TooFar = E.B.CreateICmpUGT(Amount, Last);
  Value *Safe = E.B.CreateSelect(TooFar, Last, Amount);
  Safe = E.B.CreateZExtOrTrunc(Safe, X->getType());
  if (T.isSigned())
    return E.write(I[0], E.B.CreateAShr(X, Safe));
  Value *R = Left ? E.B.CreateShl(X, Safe) : E.B.CreateLShr(X, Safe);
  E.write(I[0],
          E.B.CreateSelect(TooFar, Constant::getNullValue(X->getType()), R));
}

void shl(Emitter &E, PtxInstruction &I) { shift(E, I, true); }
void shr(Emitter &E, PtxInstruction &I) { shift(E, I, false); }

/// Funnel shift of {b, a}.
void shf(Emitter &E, PtxInstruction &I) {
  StringRef Direction = I.takeOneOf({"l", "r"});
  StringRef Mode = I.takeOneOf({"wrap", "clamp"});
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 4))
    return;
  if (Direction.empty() || Mode.empty() || !(T == B32))
    return E.fail("");
  Value *Low = E.read(I[1], T), *High = E.read(I[2], T);
  Value *Amount = E.read(I[3], U32);
  Amount = Mode == "wrap" ? E.B.CreateAnd(Amount, 31)
                          : E.B.CreateBinaryIntrinsic(Intrinsic::umin, Amount,
                                                      E.constant(32, 32));
  Value *Both = E.pack({Low, High});
  Amount = E.B.CreateZExt(Amount, E.intType(64));
  Value *R = Direction == "l" ? E.B.CreateLShr(E.B.CreateShl(Both, Amount), 32)
                              : E.B.CreateLShr(Both, Amount);
  E.write(I[0], E.B.CreateTrunc(R, E.intType(32)));
}

/// The selector of byte \p K of prmt's result in one of the modes that take
/// the low two bits of the selector only.
Value *modeSelector(Emitter &E, StringRef Mode, Value *Low, unsigned K) {
  Value *Index = E.constant(32, K);
  if (Mode == "f4e")
    return E.B.CreateAnd(E.B.CreateAdd(Low, Index), 7);
  if (Mode == "b4e")
    return E.B.CreateAnd(E.B.CreateSub(Low, Index), 7);
  if (Mode == "rc8")
    return Low;
  if (Mode == "ecl")
    return E.B.CreateBinaryIntrinsic(Intrinsic::umax, Low, Index);
  if (Mode == "ecr")
    return E.B.CreateBinaryIntrinsic(Intrinsic::umin, Low, Index);
  // rc16
  return E.B.CreateAdd(E.B.CreateShl(E.B.CreateAnd(Low, 1), 1),
                       E.constant(32, K & 1));
}

void prmt(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  StringRef Mode = I.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (!E.expect(I, 4))
    return;
  if (!(T == B32))
    return E.fail("");
  Value *Bytes = E.pack({E.read(I[1], T), E.read(I[2], T)});
  Value *Selectors = E.read(I[3], T);
  SmallVector<Value *, 4> Result;
  for (unsigned K = 0; K < 4; ++K) {
    Value *Selector =
        E.B.CreateAnd(E.B.CreateLShr(Selectors, uint64_t(4) * K), 15);
    if (!Mode.empty())
      Selector = modeSelector(E, Mode, E.B.CreateAnd(Selectors, 3), K);
    Value *Shift = E.B.CreateZExt(E.B.CreateShl(E.B.CreateAnd(Selector, 7), 3),
                                  E.intType(64));
    Value *Byte = E.B.CreateTrunc(E.B.CreateLShr(Bytes, Shift), E.intType(8));
    // The selector's top bit asks for eight copies of the byte's sign.
    Value *Sign = E.B.CreateAShr(Byte, 7);
    Value *WantsSign = E.B.CreateIsNotNull(E.B.CreateAnd(Selector, 8));
    Result.push_back(Mode.empty() ? E.B.CreateSelect(WantsSign, Sign, Byte)
                                  : Byte);
  }
  E.write(I[0], E.pack(Result));
}

/// A mask of \p Length low bits; all of them from the width on. Both i64.
Value *lowMask(Emitter &E, Value *Length) {
  Value *Full = E.B.CreateICmpUGE(Length, E.constant(64, 64));
  Value *Safe = E.B.CreateSelect(Full, E.constant(64, 0), Length);
  Value *Mask =
      E.B.CreateSub(E.B.CreateShl(E.constant(64, 1), Safe), E.constant(64, 1));
  return E.B.CreateSelect(Full, Constant::getAllOnesValue(E.intType(64)), Mask);
}

/// Position and length of a bit field: their low eight bits count.
Value *fieldNumber(Emitter &E, const Operand &Op) {
  return E.B.CreateZExt(E.B.CreateAnd(E.read(Op, U32), 255), E.intType(64));
}

/// Shifts by 64 and more give zero.
Value *shiftFar(Emitter &E, Value *V, Value *Amount, bool Left) {
  Value *TooFar = E.B.CreateICmpUGT(Amount, E.constant(64, 63));
  Value *Safe = E.B.CreateAnd(Amount, 63);
  return E.B.CreateSelect(TooFar, E.constant(64, 0),
                          Left ? E.B.CreateShl(V, Safe)
                               : E.B.CreateLShr(V, Safe));
}

void bfe(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 4))
    return;
  if (!isWord(T) || T.Class == TypeClass::Bits)
    return E.fail("");
  Value *X = E.read(I[1], T);
  Value *Position = fieldNumber(E, I[2]), *Length = fieldNumber(E, I[3]);
  Value *Wide = E.B.CreateZExt(X, E.intType(64));
  Value *Mask = lowMask(E, Length);
  Value *Field = E.B.CreateAnd(shiftFar(E, Wide, Position, false), Mask);
  if (!T.isSigned())
    return E.write(I[0], E.B.CreateTrunc(Field, X->getType()));
  // The sign is the field's last bit that lies inside of the register.
  Value *Last = E.constant(64, T.LaneBits - 1);
  Value *End =
      E.B.CreateSub(E.B.CreateAdd(Position, Length), E.constant(64, 1));
  Value *SignAt = E.B.CreateBinaryIntrinsic(Intrinsic::umin, End, Last);
  Value *Sign = E.B.CreateTrunc(E.B.CreateLShr(Wide, SignAt), E.intType(1));
  Value *IsEmpty = E.B.CreateIsNull(Length);
  // Bits from the width on, and those behind the field, are the sign's. Where
  // the field leaves the register, the bits that it found there count.
  Value *Inside =
      E.B.CreateSelect(E.B.CreateICmpUGT(Position, Last), E.constant(64, 0),
                       E.B.CreateSub(E.constant(64, T.LaneBits), Position));
  Value *Found =
      lowMask(E, E.B.CreateBinaryIntrinsic(Intrinsic::umin, Inside, Length));
  Value *Fill = E.B.CreateSelect(E.B.CreateAnd(Sign, E.B.CreateNot(IsEmpty)),
                                 E.B.CreateNot(Found), E.constant(64, 0));
  E.write(I[0], E.B.CreateTrunc(E.B.CreateOr(Field, Fill), X->getType()));
}

void bfi(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 5))
    return;
  if (!isWord(T) || T.Class != TypeClass::Bits)
    return E.fail("");
  llvm::Type *Wide = E.intType(64);
  Value *Field = E.B.CreateZExt(E.read(I[1], T), Wide);
  Value *Base = E.B.CreateZExt(E.read(I[2], T), Wide);
  Value *Position = fieldNumber(E, I[3]);
  Value *Mask = shiftFar(E, lowMask(E, fieldNumber(E, I[4])), Position, true);
  Value *R =
      E.B.CreateOr(E.B.CreateAnd(Base, E.B.CreateNot(Mask)),
                   E.B.CreateAnd(shiftFar(E, Field, Position, true), Mask));
  E.write(I[0], E.B.CreateTrunc(R, E.llvmType(T)));
}

/// Bits [a, a + b); `.clamp` cuts at the width, `.wrap` takes both modulo 32.
void bmsk(Emitter &E, PtxInstruction &I) {
  StringRef Mode = I.takeOneOf({"clamp", "wrap"});
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (!(T == B32) || Mode.empty())
    return E.fail("");
  Value *Start = E.B.CreateZExt(E.read(I[1], T), E.intType(64));
  Value *Length = E.B.CreateZExt(E.read(I[2], T), E.intType(64));
  if (Mode == "wrap") {
    Start = E.B.CreateAnd(Start, 31);
    Length = E.B.CreateAnd(Length, 31);
  }
  E.write(I[0], E.B.CreateTrunc(shiftFar(E, lowMask(E, Length), Start, true),
                                E.intType(32)));
}

void count(Emitter &E, PtxInstruction &I, Intrinsic::ID Id) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (!isWord(T) || T.Class != TypeClass::Bits)
    return E.fail("");
  Value *X = E.read(I[1], T);
  Value *R = Id == Intrinsic::ctpop
                 ? E.B.CreateUnaryIntrinsic(Id, X)
                 : E.B.CreateBinaryIntrinsic(Id, X, E.B.getFalse());
  E.write(I[0], E.B.CreateZExtOrTrunc(R, E.intType(32)));
}

void popc(Emitter &E, PtxInstruction &I) { count(E, I, Intrinsic::ctpop); }
void clz(Emitter &E, PtxInstruction &I) { count(E, I, Intrinsic::ctlz); }

void brev(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (!isWord(T) || T.Class != TypeClass::Bits)
    return E.fail("");
  E.write(I[0],
          E.B.CreateUnaryIntrinsic(Intrinsic::bitreverse, E.read(I[1], T)));
}

/// Place of the highest bit that differs from the sign, or how far it must be
/// shifted to the top; all ones if there is none.
void bfind(Emitter &E, PtxInstruction &I) {
  bool WantsShift = I.take("shiftamt");
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (!isWord(T) || T.Class == TypeClass::Bits)
    return E.fail("");
  Value *X = E.read(I[1], T);
  if (T.isSigned())
    X = E.B.CreateXor(X, E.B.CreateAShr(X, T.LaneBits - 1));
  Value *Zeros = E.B.CreateBinaryIntrinsic(Intrinsic::ctlz, X, E.B.getFalse());
  Zeros = E.B.CreateZExtOrTrunc(Zeros, E.intType(32));
  Value *R =
      WantsShift ? Zeros : E.B.CreateSub(E.constant(32, T.LaneBits - 1), Zeros);
  E.write(I[0], E.B.CreateSelect(E.B.CreateIsNull(X),
                                 Constant::getAllOnesValue(E.intType(32)), R));
}

/// Any function of three bits, given by its table.
void lop3(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 5))
    return;
  std::optional<int64_t> Table = E.constantOf(I[4]);
  if (!(T == B32) || !Table || *Table < 0 || *Table > 255)
    return E.fail("");
  Value *In[] = {E.read(I[1], T), E.read(I[2], T), E.read(I[3], T)};
  Value *R = E.constant(32, 0);
  for (unsigned Row = 0; Row < 8; ++Row) {
    if (!(*Table >> Row & 1))
      continue;
    Value *Term = Constant::getAllOnesValue(E.intType(32));
    for (unsigned K = 0; K < 3; ++K)
      Term = E.B.CreateAnd(Term,
                           Row >> (2 - K) & 1 ? In[K] : E.B.CreateNot(In[K]));
    R = E.B.CreateOr(R, Term);
  }
  E.write(I[0], R);
}

/// Place of the n-th set bit.
void fns(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 4))
    return;
  if (!(T == B32))
    return E.fail("");
  E.write(I[0],
          E.runtime("fns", E.intType(32),
                    {E.read(I[1], B32), E.read(I[2], B32), E.read(I[3], B32)}));
}

/// Sign or zero extension from bit b on.
void szext(Emitter &E, PtxInstruction &I) {
  StringRef Mode = I.takeOneOf({"clamp", "wrap"});
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 3))
    return;
  if (Mode != "wrap" || T.bits() != 32 || T.Class == TypeClass::Bits)
    return E.fail("");
  Value *X = E.read(I[1], T), *Bits = E.B.CreateAnd(E.read(I[2], U32), 31);
  Value *Unused = E.B.CreateAnd(E.B.CreateNeg(Bits), 31);
  Value *Up = E.B.CreateShl(X, Unused);
  Value *R =
      T.isSigned() ? E.B.CreateAShr(Up, Unused) : E.B.CreateLShr(Up, Unused);
  E.write(I[0], E.B.CreateSelect(E.B.CreateIsNull(Bits), E.constant(32, 0), R));
}

} // namespace

ArrayRef<HandlerEntry> cudal1::ptx::bitHandlers() {
  static constexpr HandlerEntry Handlers[] = {
      {"and", logicAnd, false}, {"or", logicOr, false},
      {"xor", logicXor, false}, {"not", logicNot, false},
      {"cnot", cnot, false},    {"shl", shl, false},
      {"shr", shr, false},      {"shf", shf, false},
      {"prmt", prmt, false},    {"bfe", bfe, false},
      {"bfi", bfi, false},      {"bmsk", bmsk, false},
      {"popc", popc, false},    {"clz", clz, false},
      {"brev", brev, false},    {"bfind", bfind, false},
      {"lop3", lop3, false},    {"fns", fns, false},
      {"szext", szext, false},
  };
  return Handlers;
}

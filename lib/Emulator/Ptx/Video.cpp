//===- Video.cpp - Video instructions of PTX ------------------------------===//

#include "Emitter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

/// Bits that hold any intermediate result of 32-bit numbers of both signs.
constexpr unsigned WideBits = 40;

class VideoInstruction {
public:
  VideoInstruction(Emitter &E, PtxInstruction &I) : E(E), I(I) {
    StringRef Opcode = I.statement().Opcode;
    Lanes = Opcode.consume_back("4") ? 4 : Opcode.consume_back("2") ? 2 : 1;
    Name = Opcode.drop_front();
  }

  void translate();

private:
  Emitter &E;
  PtxInstruction &I;
  unsigned Lanes;
  StringRef Name;
  StringRef Comparison;

  bool isType(const PtxType &T) const { return T == U32 || T == S32; }
  Value *constant(int64_t V) {
    return ConstantInt::get(E.intType(WideBits), V, true);
  }
  Value *lane(Value *Word, const PtxType &T, unsigned K);
  Value *compute(Value *X, Value *Y);
  Value *clamp(Value *V, const PtxType &To);
  Value *shift(Value *X, Value *Amount);
};

} // namespace

Value *VideoInstruction::lane(Value *Word, const PtxType &T, unsigned K) {
  unsigned Bits = 32 / Lanes;
  Value *V = E.B.CreateTrunc(E.B.CreateLShr(Word, uint64_t(K) * Bits),
                             E.intType(Bits));
  return T.isSigned() ? E.B.CreateSExt(V, E.intType(WideBits))
                      : E.B.CreateZExt(V, E.intType(WideBits));
}

Value *VideoInstruction::compute(Value *X, Value *Y) {
  IRBuilder<> &B = E.B;
  if (Name == "add")
    return B.CreateAdd(X, Y);
  if (Name == "sub")
    return B.CreateSub(X, Y);
  if (Name == "absdiff")
    return B.CreateBinaryIntrinsic(Intrinsic::abs, B.CreateSub(X, Y),
                                   B.getFalse());
  if (Name == "min")
    return B.CreateBinaryIntrinsic(Intrinsic::smin, X, Y);
  if (Name == "max")
    return B.CreateBinaryIntrinsic(Intrinsic::smax, X, Y);
  if (Name == "avrg") // of unsigned numbers only: how signs round is in doubt
    return B.CreateLShr(B.CreateAdd(B.CreateAdd(X, Y), constant(1)), 1);
  if (Name == "set") {
    auto P = StringSwitch<CmpInst::Predicate>(Comparison)
                 .Case("eq", CmpInst::ICMP_EQ)
                 .Case("ne", CmpInst::ICMP_NE)
                 .Case("lt", CmpInst::ICMP_SLT)
                 .Case("le", CmpInst::ICMP_SLE)
                 .Case("gt", CmpInst::ICMP_SGT)
                 .Default(CmpInst::ICMP_SGE);
    return B.CreateZExt(B.CreateICmp(P, X, Y), E.intType(WideBits));
  }
  return E.failValue(E.intType(WideBits), "");
}

Value *VideoInstruction::shift(Value *X, Value *Amount) {
  StringRef Mode = I.takeOneOf({"clamp", "wrap"});
  if (Mode == "wrap")
    Amount = E.B.CreateAnd(Amount, 31);
  else if (Mode == "clamp")
    Amount = E.B.CreateBinaryIntrinsic(Intrinsic::umin, Amount, constant(32));
  else
    E.fail("");
  if (Name == "shl")
    // Bits beyond the 32 of the result are lost.
    return E.B.CreateAnd(E.B.CreateShl(X, Amount), constant(0xffffffff));
  return E.B.CreateAShr(X, Amount); // wider than 32 bits: has the sign
}

Value *VideoInstruction::clamp(Value *V, const PtxType &To) {
  unsigned Bits = 32 / Lanes;
  int64_t Low = To.isSigned() ? minIntN(Bits) : 0;
  int64_t High = To.isSigned() ? maxIntN(Bits) : int64_t(maxUIntN(Bits));
  V = E.B.CreateBinaryIntrinsic(Intrinsic::smax, V, constant(Low));
  return E.B.CreateBinaryIntrinsic(Intrinsic::smin, V, constant(High));
}

void VideoInstruction::translate() {
  bool IsSet = Name == "set", IsShift = Name == "shl" || Name == "shr";
  if (IsSet)
    Comparison = I.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"});
  PtxType To = IsSet ? U32 : E.typeOf(I);
  PtxType X = E.typeOf(I), Y = E.typeOf(I);
  bool Saturates = I.take("sat");
  if (E.failed() || !isType(To) || !isType(X) || !isType(Y) ||
      (IsSet && Comparison.empty()) || I.size() < 3 || I.size() > 4 ||
      (Name == "avrg" && (X.isSigned() || Y.isSigned() || To.isSigned())) ||
      (IsShift && (Lanes != 1 || Y.isSigned() || Saturates)))
    return E.fail("");
  Value *A = E.read(I[1], X), *B = E.read(I[2], Y);
  SmallVector<Value *, 4> Results;
  for (unsigned K = 0; K < Lanes; ++K) {
    Value *V = IsShift ? shift(lane(A, X, K), lane(B, Y, K))
                       : compute(lane(A, X, K), lane(B, Y, K));
    Results.push_back(Saturates ? clamp(V, To) : V);
  }
  if (E.failed())
    return;
  bool Accumulates = I.take("add");
  if (Lanes > 1 && Accumulates) {
    // The lanes' results are summed, at full width, onto the last operand.
    if ((Name != "absdiff" && Name != "set") || !E.expect(I, 4) || Saturates)
      return E.fail("");
    Value *Sum = E.read(I[3], U32);
    for (Value *V : Results)
      Sum = E.B.CreateAdd(Sum, E.B.CreateTrunc(V, E.intType(32)));
    return E.write(I[0], Sum);
  }
  for (Value *&V : Results)
    V = E.B.CreateTrunc(V, E.intType(32 / Lanes));
  Value *R = E.pack(Results);
  if (Lanes == 1 && I.size() == 4) {
    Value *C = E.read(I[3], To);
    if (!Accumulates)
      return E.fail("");
    R = E.B.CreateAdd(R, C);
  }
  E.write(I[0], R);
}

static void video(Emitter &E, PtxInstruction &I) {
  VideoInstruction(E, I).translate();
}

ArrayRef<HandlerEntry> cudal1::ptx::videoHandlers() {
  static constexpr HandlerEntry Handlers[] = {
      {"vadd", video, false},      {"vadd2", video, false},
      {"vadd4", video, false},     {"vsub", video, false},
      {"vsub2", video, false},     {"vsub4", video, false},
      {"vabsdiff", video, false},  {"vabsdiff2", video, false},
      {"vabsdiff4", video, false}, {"vmin", video, false},
      {"vmin2", video, false},     {"vmin4", video, false},
      {"vmax", video, false},      {"vmax2", video, false},
      {"vmax4", video, false},     {"vavrg2", video, false},
      {"vavrg4", video, false},    {"vset", video, false},
      {"vset2", video, false},     {"vset4", video, false},
      {"vshl", video, false},      {"vshr", video, false},
  };
  return Handlers;
}

//===- Compare.cpp - Comparisons and selections of PTX --------------------===//

#include "Floats.h"
#include "llvm/ADT/StringSwitch.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

constexpr StringRef Comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                     "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                     "ltu", "leu", "gtu", "geu", "num", "nan"};

std::optional<CmpInst::Predicate> floatPredicate(StringRef Name) {
  using P = CmpInst::Predicate;
  return StringSwitch<std::optional<P>>(Name)
      .Case("eq", P::FCMP_OEQ)
      .Case("ne", P::FCMP_ONE)
      .Case("lt", P::FCMP_OLT)
      .Case("le", P::FCMP_OLE)
      .Case("gt", P::FCMP_OGT)
      .Case("ge", P::FCMP_OGE)
      .Case("equ", P::FCMP_UEQ)
      .Case("neu", P::FCMP_UNE)
      .Case("ltu", P::FCMP_ULT)
      .Case("leu", P::FCMP_ULE)
      .Case("gtu", P::FCMP_UGT)
      .Case("geu", P::FCMP_UGE)
      .Case("num", P::FCMP_ORD)
      .Case("nan", P::FCMP_UNO)
      .Default(std::nullopt);
}

std::optional<CmpInst::Predicate> integerPredicate(StringRef Name,
                                                   const PtxType &T) {
  using P = CmpInst::Predicate;
  if (Name == "eq")
    return P::ICMP_EQ;
  if (Name == "ne")
    return P::ICMP_NE;
  if (T.Class == TypeClass::Bits)
    return std::nullopt;
  bool Signed = T.isSigned();
  auto Order = StringSwitch<std::optional<P>>(Name)
                   .Case("lt", Signed ? P::ICMP_SLT : P::ICMP_ULT)
                   .Case("le", Signed ? P::ICMP_SLE : P::ICMP_ULE)
                   .Case("gt", Signed ? P::ICMP_SGT : P::ICMP_UGT)
                   .Case("ge", Signed ? P::ICMP_SGE : P::ICMP_UGE)
                   .Default(std::nullopt);
  if (Order || Signed)
    return Order;
  return StringSwitch<std::optional<P>>(Name)
      .Case("lo", P::ICMP_ULT)
      .Case("ls", P::ICMP_ULE)
      .Case("hi", P::ICMP_UGT)
      .Case("hs", P::ICMP_UGE)
      .Default(std::nullopt);
}

/// What setp and set have in common.
class Comparison {
public:
  Comparison(Emitter &E, PtxInstruction &I)
      : E(E), I(I), Name(I.takeOneOf(Comparisons)),
        Combination(I.takeOneOf({"and", "or", "xor"})) {}

  /// How many operands follow the destination.
  size_t operandCount() const { return Combination.empty() ? 2 : 3; }

  /// Compares one lane. \p T is the type of what is compared.
  Value *compare(Value *X, Value *Y, const PtxType &T, bool Flushes) {
    std::optional<CmpInst::Predicate> P =
        T.isFloat() ? floatPredicate(Name) : integerPredicate(Name, T);
    if (!P)
      return E.failValue(E.intType(1), "");
    if (!T.isFloat())
      return E.B.CreateICmp(*P, X, Y);
    if (Flushes) {
      X = flushSubnormal(E, X, T);
      Y = flushSubnormal(E, Y, T);
    }
    return E.B.CreateFCmp(*P, widen(E, X, T), widen(E, Y, T));
  }

  /// \p Result combined with the predicate of the last operand.
  Value *combine(Value *Result) {
    if (Combination.empty())
      return Result;
    Value *Other = E.readPredicate(I[3]);
    if (Combination == "and")
      return E.B.CreateAnd(Result, Other);
    return Combination == "or" ? E.B.CreateOr(Result, Other)
                               : E.B.CreateXor(Result, Other);
  }

private:
  Emitter &E;
  PtxInstruction &I;
  StringRef Name, Combination;
};

void setp(Emitter &E, PtxInstruction &I) {
  Comparison C(E, I);
  bool Flushes = I.take("ftz");
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 1 + C.operandCount()))
    return;
  if (T.isPredicate() || (Flushes && (!T.isFloat() || T.LaneBits == 64)))
    return E.fail("");
  Value *X = E.read(I[1], T), *Y = E.read(I[2], T);
  if (T.Lanes == 2) {
    // Each lane has a predicate of its own.
    if (I[0].Kind != OperandKind::Pair)
      return E.fail("");
    for (unsigned L = 0; L < 2; ++L)
      E.write(I[0].Elements[L],
              C.combine(C.compare(E.lane(T, X, L), E.lane(T, Y, L), T.lane(),
                                  Flushes)));
    return;
  }
  Value *R = C.compare(X, Y, T, Flushes);
  if (I[0].Kind != OperandKind::Pair)
    return E.write(I[0], C.combine(R));
  Value *First = C.combine(R);
  Value *Second = C.combine(E.B.CreateNot(R));
  E.write(I[0].Elements[0], First);
  E.write(I[0].Elements[1], Second);
}

/// 1.0 or all ones for what is true, by the destination's type.
Value *truth(Emitter &E, Value *V, const PtxType &T) {
  if (!T.isFloat())
    return E.B.CreateSExt(V, E.intType(T.LaneBits));
  Value *One = T.isBfloat() ? E.constant(16, 0x3f80)
                            : static_cast<Value *>(E.real(T.lane(), 1.0));
  return E.B.CreateSelect(V, One, Constant::getNullValue(One->getType()));
}

void set(Emitter &E, PtxInstruction &I) {
  Comparison C(E, I);
  bool Flushes = I.take("ftz");
  PtxType To = E.typeOf(I), From = E.typeOf(I);
  if (!E.expect(I, 1 + C.operandCount()))
    return;
  if (From.isPredicate() || To.isPredicate() || To.Class == TypeClass::Bits ||
      (Flushes && (!From.isFloat() || From.LaneBits == 64)))
    return E.fail("");
  Value *X = E.read(I[1], From), *Y = E.read(I[2], From);
  if (From.Lanes == 1) {
    if (To.Lanes != 1)
      return E.fail("");
    return E.write(I[0],
                   truth(E, C.combine(C.compare(X, Y, From, Flushes)), To));
  }
  if (To.bits() != 32 || (To.isFloat() && To.Lanes != 2))
    return E.fail("");
  PtxType Lane = {To.Class, 16};
  SmallVector<Value *, 2> Lanes;
  for (unsigned L = 0; L < 2; ++L)
    Lanes.push_back(
        truth(E,
              C.combine(C.compare(E.lane(From, X, L), E.lane(From, Y, L),
                                  From.lane(), Flushes)),
              Lane));
  E.write(I[0], E.pack(Lanes));
}

void selp(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 4))
    return;
  if (T.isPredicate() || T.Lanes != 1)
    return E.fail("");
  Value *Condition = E.readPredicate(I[3]);
  E.write(I[0], E.B.CreateSelect(Condition, E.read(I[1], T), E.read(I[2], T)));
}

/// a if c >= 0, else b
void slct(Emitter &E, PtxInstruction &I) {
  bool Flushes = I.take("ftz");
  PtxType T = E.typeOf(I), Key = E.typeOf(I);
  if (!E.expect(I, 4))
    return;
  if (T.isPredicate() || T.Lanes != 1 || !(Key == S32 || Key == F32) ||
      (Flushes && !(Key == F32)))
    return E.fail("");
  Value *V = E.read(I[3], Key);
  if (Flushes)
    V = flushSubnormal(E, V, Key);
  Value *Zero = Constant::getNullValue(V->getType());
  Value *Condition =
      Key == S32 ? E.B.CreateICmpSGE(V, Zero) : E.B.CreateFCmpOGE(V, Zero);
  E.write(I[0], E.B.CreateSelect(Condition, E.read(I[1], T), E.read(I[2], T)));
}

void testp(Emitter &E, PtxInstruction &I) {
  StringRef Name = I.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (Name.empty() || !(T == F32 || T == F64))
    return E.fail("");
  auto Mask = StringSwitch<FPClassTest>(Name)
                  .Case("finite", fcFinite)
                  .Case("infinite", fcInf)
                  .Case("number", ~fcNan & fcAllFlags)
                  .Case("notanumber", fcNan)
                  .Case("normal", fcNormal)
                  .Default(fcSubnormal);
  E.write(I[0], E.B.createIsFPClass(E.read(I[1], T), Mask));
}

} // namespace

ArrayRef<HandlerEntry> cudal1::ptx::compareHandlers() {
  static constexpr HandlerEntry Handlers[] = {
      {"setp", setp, false}, {"set", set, false},     {"selp", selp, false},
      {"slct", slct, false}, {"testp", testp, false},
  };
  return Handlers;
}

//===- NvvmArithmetic.cpp - Intrinsics that are plain IR ------------------===//

#include "NvvmArithmetic.h"
#include "llvm/ADT/StringSwitch.h"

using namespace cudal1;
using namespace llvm;

namespace {

class Emitter {
public:
  Emitter(StringRef Name, CallInst &Call) : Name(Name), Call(Call), B(&Call) {}

  Value *emit() {
    // `.ftz`: subnormal numbers count as zero, before and after.
    SmallString<32> Plain(Name);
    Flush = false;
    if (size_t At = Name.find(".ftz"); At != StringRef::npos) {
      Plain = Name.take_front(At);
      Plain += Name.drop_front(At + 4);
      Flush = true;
    }
    Value *Result = emitPlain(Plain);
    if (Result && Flush && Result->getType()->isFloatTy())
      Result = flushed(Result);
    return Result;
  }

private:
  Value *operand(unsigned I) {
    Value *V = Call.getArgOperand(I);
    return Flush && V->getType()->isFloatTy() ? flushed(V) : V;
  }

  /// \p V, or a zero of its sign where it is subnormal.
  Value *flushed(Value *V) {
    Value *Magnitude = B.CreateUnaryIntrinsic(Intrinsic::fabs, V);
    Constant *Least = ConstantFP::get(
        B.getContext(),
        APFloat::getSmallestNormalized(V->getType()->getFltSemantics()));
    Value *Zero = B.CreateBinaryIntrinsic(Intrinsic::copysign,
                                          ConstantFP::getZero(V->getType()), V);
    return B.CreateSelect(B.CreateFCmpOLT(Magnitude, Least), Zero, V);
  }

  Value *unary(Intrinsic::ID Id) {
    return B.CreateUnaryIntrinsic(Id, operand(0));
  }
  Value *binary(Intrinsic::ID Id) {
    return B.CreateBinaryIntrinsic(Id, operand(0), operand(1));
  }

  Value *fma() {
    return B.CreateIntrinsic(Intrinsic::fma, {Call.getType()},
                             {operand(0), operand(1), operand(2)});
  }

  /// Clamped to [0, 1]; NaN gives 0.
  Value *saturate() {
    Value *V = operand(0);
    Value *Zero = ConstantFP::getZero(V->getType());
    Value *One = ConstantFP::get(V->getType(), 1.0);
    V = B.CreateBinaryIntrinsic(Intrinsic::maximumnum, V, Zero);
    return B.CreateBinaryIntrinsic(Intrinsic::minimumnum, V, One);
  }

  /// Rounds as \p Mode (rn, rz, rm, rp) says, to an integer.
  Value *toInteger(StringRef Mode, bool Signed) {
    Intrinsic::ID Round = StringSwitch<Intrinsic::ID>(Mode)
                              .Case("rn", Intrinsic::roundeven)
                              .Case("rz", Intrinsic::trunc)
                              .Case("rm", Intrinsic::floor)
                              .Case("rp", Intrinsic::ceil)
                              .Default(Intrinsic::not_intrinsic);
    if (Round == Intrinsic::not_intrinsic)
      return nullptr;
    return clampedInteger(B, unary(Round), Call.getType(), Signed);
  }

  /// The upper half of the product.
  Value *multiplyHigh(bool Signed) {
    Type *Narrow = Call.getType();
    unsigned Bits = Narrow->getIntegerBitWidth();
    Type *Wide = B.getIntNTy(2 * Bits);
    auto Extend = [&](Value *V) {
      return Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
    };
    Value *Product = B.CreateMul(Extend(operand(0)), Extend(operand(1)));
    return B.CreateTrunc(B.CreateLShr(Product, Bits), Narrow);
  }

  /// The product of the low 24 bits.
  Value *multiply24(bool Signed) {
    auto Narrow = [&](Value *V) {
      V = B.CreateShl(V, 8);
      return Signed ? B.CreateAShr(V, 8) : B.CreateLShr(V, 8);
    };
    return B.CreateMul(Narrow(operand(0)), Narrow(operand(1)));
  }

  Value *half32(bool High) {
    Value *Bits = B.CreateBitCast(operand(0), B.getInt64Ty());
    return B.CreateTrunc(High ? B.CreateLShr(Bits, 32) : Bits, B.getInt32Ty());
  }

  Value *joinHalves() {
    Value *Low = B.CreateZExt(operand(0), B.getInt64Ty());
    Value *High = B.CreateShl(B.CreateZExt(operand(1), B.getInt64Ty()), 32);
    return B.CreateBitCast(B.CreateOr(Low, High), B.getDoubleTy());
  }

  Value *emitRounding(StringRef Plain);
  Value *emitConversion(StringRef Plain);
  Value *emitInteger(StringRef Plain);
  Value *emitPlain(StringRef Plain) {
    for (auto Emit : {&Emitter::emitRounding, &Emitter::emitConversion,
                      &Emitter::emitInteger})
      if (Value *V = (this->*Emit)(Plain))
        return V;
    return nullptr;
  }

  StringRef Name;
  CallInst &Call;
  IRBuilder<> B;
  bool Flush = false;
};

Value *Emitter::emitRounding(StringRef Plain) {
  if (!Plain.consume_back(".f") && !Plain.consume_back(".d") &&
      !Plain.consume_back(".f32") && !Plain.consume_back(".f64"))
    return nullptr;
  return StringSwitch<function_ref<Value *()>>(Plain)
      .Case("add.rn", [&] { return B.CreateFAdd(operand(0), operand(1)); })
      .Case("mul.rn", [&] { return B.CreateFMul(operand(0), operand(1)); })
      .Case("div.rn", [&] { return B.CreateFDiv(operand(0), operand(1)); })
      .Case("fma.rn", [&] { return fma(); })
      .Case("rcp.rn",
            [&] {
              return B.CreateFDiv(ConstantFP::get(Call.getType(), 1.0),
                                  operand(0));
            })
      .Case("sqrt.rn", [&] { return unary(Intrinsic::sqrt); })
      .Case("sqrt", [&] { return unary(Intrinsic::sqrt); })
      .Case("fabs", [&] { return unary(Intrinsic::fabs); })
      .Case("ceil", [&] { return unary(Intrinsic::ceil); })
      .Case("floor", [&] { return unary(Intrinsic::floor); })
      .Case("trunc", [&] { return unary(Intrinsic::trunc); })
      .Case("round", [&] { return unary(Intrinsic::roundeven); })
      .Case("fmin", [&] { return binary(Intrinsic::minimumnum); })
      .Case("fmax", [&] { return binary(Intrinsic::maximumnum); })
      .Case("fmin.nan", [&] { return binary(Intrinsic::minimum); })
      .Case("fmax.nan", [&] { return binary(Intrinsic::maximum); })
      .Case("saturate", [&] { return saturate(); })
      .Default([]() -> Value * { return nullptr; })();
}

Value *Emitter::emitConversion(StringRef Plain) {
  Type *To = Call.getType();
  if (Plain == "lohi.i2d")
    return joinHalves();
  if (Plain == "d2i.lo" || Plain == "d2i.hi")
    return half32(Plain.ends_with("hi"));
  if (Plain == "f2h.rn")
    return B.CreateBitCast(B.CreateFPTrunc(operand(0), B.getHalfTy()), To);
  if (Plain == "d2f.rn")
    return B.CreateFPTrunc(operand(0), To);
  if (Plain.starts_with("bitcast."))
    return B.CreateBitCast(operand(0), To);
  auto [Types, Mode] = Plain.split('.');
  auto [Source, Target] = Types.split('2');
  bool FromFloat = Source == "f" || Source == "d";
  bool ToFloat = Target == "f" || Target == "d";
  bool SourceSigned = Source == "i" || Source == "ll";
  bool SourceUnsigned = Source == "ui" || Source == "ull";
  bool TargetSigned = Target == "i" || Target == "ll";
  bool TargetUnsigned = Target == "ui" || Target == "ull";
  if (FromFloat && (TargetSigned || TargetUnsigned))
    return toInteger(Mode, TargetSigned);
  if (ToFloat && Mode == "rn" && SourceSigned)
    return B.CreateSIToFP(operand(0), To);
  if (ToFloat && Mode == "rn" && SourceUnsigned)
    return B.CreateUIToFP(operand(0), To);
  return nullptr;
}

Value *Emitter::emitInteger(StringRef Plain) {
  return StringSwitch<function_ref<Value *()>>(Plain)
      .Cases({"mulhi.i", "mulhi.ll", "mulhi.s"},
             [&] { return multiplyHigh(/*Signed=*/true); })
      .Cases({"mulhi.ui", "mulhi.ull", "mulhi.us"},
             [&] { return multiplyHigh(/*Signed=*/false); })
      .Case("mul24.i", [&] { return multiply24(/*Signed=*/true); })
      .Case("mul24.ui", [&] { return multiply24(/*Signed=*/false); })
      .Default([]() -> Value * { return nullptr; })();
}

} // namespace

Value *cudal1::clampedInteger(IRBuilderBase &B, Value *From, Type *To,
                              bool Signed) {
  Value *Clamped =
      B.CreateIntrinsic(Signed ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                        {To, From->getType()}, {From});
  unsigned Bits = To->getScalarSizeInBits();
  if (Bits != 64 && !From->getType()->getScalarType()->isDoubleTy())
    return Clamped;
  Constant *OfNan = ConstantInt::get(To, APInt::getSignMask(Bits));
  return B.CreateSelect(B.CreateFCmpUNO(From, From), OfNan, Clamped);
}

Value *cudal1::lowerNvvmArithmetic(StringRef Name, CallInst &Call) {
  return Emitter(Name, Call).emit();
}

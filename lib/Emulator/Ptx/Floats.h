//===- Floats.h - Floating-point arithmetic of PTX --------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_PTX_FLOATS_H
#define CUDAL1_LIB_EMULATOR_PTX_FLOATS_H

#include "Emitter.h"

namespace cudal1::ptx {

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

/// The rounding that \p I names (`.rn`, `.rz`, `.rm`, `.rp`), if any.
std::optional<Rounding> takeRounding(PtxInstruction &I);
/// `rn`, `rz`, `rm` or `rp`.
llvm::StringRef roundingName(Rounding R);

/// Values of one lane. An f16 is a half, a bf16 its 16 bits.

/// \p V as a float, or as a double if it is one. Exact.
llvm::Value *widen(Emitter &E, llvm::Value *V, const PtxType &T);
/// \p V, a float or double, rounded once to \p T. NaNs of 16-bit types become
/// the canonical one.
llvm::Value *roundTo(Emitter &E, llvm::Value *V, const PtxType &T,
                     Rounding R = Rounding::Nearest);
/// Subnormals become zeros that keep their sign.
llvm::Value *flushSubnormal(Emitter &E, llvm::Value *V, const PtxType &T);
/// Clamps a float or double to [0, 1]; a NaN becomes +0.
llvm::Value *saturate(Emitter &E, llvm::Value *V);
/// \p Double made odd in its last bit of \p To's precision where it is not
/// exact, so that rounding it once more gives what rounding once would.
llvm::Value *floatRoundedToOdd(Emitter &E, llvm::Value *Double);
/// \p V as a double, odd where it is not exact. \p V is an integer.
llvm::Value *integerToDouble(Emitter &E, llvm::Value *V, bool IsSigned);

/// The floating-point forms of instructions that have integer ones too, with
/// the type taken already.
void floatAdd(Emitter &E, PtxInstruction &I, const PtxType &T, bool Subtract);
void floatMultiply(Emitter &E, PtxInstruction &I, const PtxType &T);
void floatFma(Emitter &E, PtxInstruction &I, const PtxType &T);
void floatDivide(Emitter &E, PtxInstruction &I, const PtxType &T);
void floatMinMax(Emitter &E, PtxInstruction &I, const PtxType &T, bool IsMax);
void floatSign(Emitter &E, PtxInstruction &I, const PtxType &T, bool IsAbs);

/// Sum of two f16 or bf16 values, as `add.noftz` rounds it.
llvm::Value *addHalves(Emitter &E, llvm::Value *X, llvm::Value *Y,
                       const PtxType &T);
/// The smaller or larger, as `min` and `max` without `.NaN` see it.
llvm::Value *minMaxNumber(Emitter &E, llvm::Value *X, llvm::Value *Y,
                          const PtxType &T, bool IsMax, bool PropagatesNaN);

} // namespace cudal1::ptx

#endif // CUDAL1_LIB_EMULATOR_PTX_FLOATS_H

//===- SmallFloats.h - Conversions of 8-bit floats of PTX -------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_PTX_SMALLFLOATS_H
#define CUDAL1_LIB_EMULATOR_PTX_SMALLFLOATS_H

#include "Emitter.h"

namespace cudal1::ptx {

/// Translates \p I, a cvt, if one of its types is a pair of e4m3 or e5m2
/// numbers. False: it is another conversion.
bool translateSmallFloatConversion(Emitter &E, PtxInstruction &I);

} // namespace cudal1::ptx

#endif // CUDAL1_LIB_EMULATOR_PTX_SMALLFLOATS_H

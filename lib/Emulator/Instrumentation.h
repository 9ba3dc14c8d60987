//===- Instrumentation.h - Checks of every memory access --------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_INSTRUMENTATION_H
#define CUDAL1_LIB_EMULATOR_INSTRUMENTATION_H

#include "RuntimeInterface.h"

namespace cudal1 {

/// Puts a check before every access to memory that is not provably inside of a
/// local variable or of a device variable. Call after optimising: what was
/// optimised away needs no check. With \p Races, each access is also reported
/// to the race detector.
void addChecks(RuntimeInterface &Runtime, bool Races);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_INSTRUMENTATION_H

//===- HardwareResults.h - What a GPU computes without asking ---*- C++ -*-===//
//
// Operations that the language leaves undefined for some values, that a GPU
// carries out nevertheless, and that a CPU answers otherwise or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_EMULATOR_HARDWARERESULTS_H
#define CUDAL1_LIB_EMULATOR_HARDWARERESULTS_H

#include "RuntimeInterface.h"

namespace cudal1 {

/// Rewrites the conversions of floating-point numbers to integers (a GPU
/// clamps) and the divisions of integers (a GPU divides by zero without a
/// fault) in \p Runtime's module. \p ReportZero: a division by zero is told.
/// Call before optimising.
void giveHardwareResults(RuntimeInterface &Runtime, bool ReportZero);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_HARDWARERESULTS_H

//===- RepeatLoop.h - Loops that do the same over and over ------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_REPEATLOOP_H
#define CUDAL1_LIB_REWRITE_REPEATLOOP_H

#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

/// True for a host loop that launches the same kernels with the same shapes and
/// arguments in each iteration, none of which reads what any of them writes:
/// after the first iteration nothing changes any more. Such loops are there to
/// time the kernel. How the author times is not for us to change.
bool isRepeatLoop(const clang::Stmt *Loop, const ProgramAnalysis &A);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_REPEATLOOP_H

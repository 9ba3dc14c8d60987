//===- RepeatLoop.h - Loops that do the same over and over ------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_REPEATLOOP_H
#define CUDAL1_LIB_REWRITE_REPEATLOOP_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// True for a host loop that launches the same kernels with the same shapes and
/// arguments in each iteration, none of which reads what any of them writes,
/// and copies no other data to the device each time: after the first iteration
/// nothing changes any more. Such loops are there to time the kernel. How the
/// author times is not for us to change.
bool isRepeatLoop(const clang::Stmt *Loop, const ProgramAnalysis &A);

/// Variables that \p S, a statement of host code, may change. A `dim3` that is
/// copied into the shape of a launch is not changed by that.
VariableSet hostVariablesChangedIn(const clang::Stmt *S);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_REPEATLOOP_H

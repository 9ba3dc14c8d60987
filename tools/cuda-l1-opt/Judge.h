//===- Judge.h - Measure versions that the user wrote -----------*- C++ -*-===//

#ifndef CUDAL1_TOOL_JUDGE_H
#define CUDAL1_TOOL_JUDGE_H

#include "Setup.h"
#include "cudal1/Report/Report.h"
#include "cudal1/Search/RewriteSession.h"

namespace cudal1 {

/// Measures each of --judge against the input and fills \p Report. An Error
/// means that the original itself cannot be measured, or that a version cannot
/// be read.
llvm::Error judgeVersions(const Setup &S, const Settings &Chosen,
                          const CompileUnit &Unit, RewriteSession &Session,
                          UnitReport &Report);

} // namespace cudal1

#endif // CUDAL1_TOOL_JUDGE_H

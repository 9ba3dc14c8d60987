//===- KeptResults.h - Results from call to call ----------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_KEPTRESULTS_H
#define CUDAL1_TOOL_KEPTRESULTS_H

#include "Setup.h"
#include "cudal1/Frontend/Program.h"
#include "cudal1/Measure/Engine.h"

namespace cudal1 {

/// --cache-info and --cache-clear.
llvm::Error serveCacheTask(Task What, Console &Out);

/// \p Engine with the user's cache of results before it, unless that is not
/// wanted or, which is said, cannot be used. \p P is the original.
std::unique_ptr<MeasureEngine>
keepResults(std::unique_ptr<MeasureEngine> Engine, const Setup &S,
            const Settings &Chosen, const CompileUnit &Unit, const Program &P);

} // namespace cudal1

#endif // CUDAL1_TOOL_KEPTRESULTS_H

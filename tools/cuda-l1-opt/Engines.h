//===- Engines.h - The engine that measures this unit -----------*- C++ -*-===//

#ifndef CUDAL1_TOOL_ENGINES_H
#define CUDAL1_TOOL_ENGINES_H

#include "Setup.h"
#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Measure/Engine.h"

namespace cudal1 {

/// The engine of --engine, for a machine with a GPU. \p WorkFolder exists and
/// must outlive it.
std::unique_ptr<MeasureEngine>
makeEngine(const Setup &S, const Settings &Chosen, const CompileUnit &Unit,
           const ProgramAnalysis &Analysis, llvm::StringRef WorkFolder);

} // namespace cudal1

#endif // CUDAL1_TOOL_ENGINES_H

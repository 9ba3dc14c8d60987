//===- DumpKernels.h - Prints what analysis found ---------------*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_DUMPKERNELS_H
#define CUDAL1_ANALYSIS_DUMPKERNELS_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "llvm/Support/JSON.h"

namespace cudal1 {

/// For people: one block of lines per kernel, then its launches.
void printKernels(const ProgramAnalysis &A, llvm::raw_ostream &OS);

/// For programs: {"file", "kernels": [...]}; docs/analysis.md has the schema.
llvm::json::Value kernelsToJson(const ProgramAnalysis &A);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_DUMPKERNELS_H

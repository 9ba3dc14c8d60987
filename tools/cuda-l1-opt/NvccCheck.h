//===- NvccCheck.h - Does the user's compiler take it? ----------*- C++ -*-===//

#ifndef CUDAL1_TOOL_NVCCCHECK_H
#define CUDAL1_TOOL_NVCCCHECK_H

#include "Setup.h"
#include "cudal1/Rewrite/SourceWriter.h"

namespace cudal1 {

/// Success when nvcc compiles the unit as it is. The Error is a clause: "nvcc
/// refuses it too", or why nvcc could not be asked.
llvm::Error compileOriginal(const Setup &S, const CompileUnit &Unit);

/// The same for a Variant. The Error holds the first lines of nvcc's.
llvm::Error compileVariant(const Setup &S, const CompileUnit &Unit,
                           const SourceWriter &Writer,
                           const SourceOverlay &Texts);

} // namespace cudal1

#endif // CUDAL1_TOOL_NVCCCHECK_H

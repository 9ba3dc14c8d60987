//===- KernelAnalysis.h - From a __global__ function to a Kernel -*- C++ -*-==//

#ifndef CUDAL1_LIB_ANALYSIS_KERNELANALYSIS_H
#define CUDAL1_LIB_ANALYSIS_KERNELANALYSIS_H

#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

/// Every kernel defined in an editable file, in source order; instantiations
/// of one template one after the other.
std::vector<std::unique_ptr<Kernel>> analyzeKernels(const Program &P);

/// Every launch in an editable file, in the host AST.
std::vector<std::unique_ptr<Launch>> analyzeLaunches(const Program &P);

/// The linker's name of a function.
std::string mangledName(const clang::FunctionDecl *Function);

} // namespace cudal1

#endif // CUDAL1_LIB_ANALYSIS_KERNELANALYSIS_H

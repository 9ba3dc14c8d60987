//===- ParseSetup.h - From a CompileUnit to a parse -------------*- C++ -*-===//

#ifndef CUDAL1_FRONTEND_PARSESETUP_H
#define CUDAL1_FRONTEND_PARSESETUP_H

#include "cudal1/Frontend/CompileUnit.h"
#include "cudal1/Frontend/Program.h"

namespace cudal1 {

/// What Program::parse needs for \p Unit, builtin files included. \p Toolkit
/// may be null if the unit needs none.
ParseInput parseInputFor(const CompileUnit &Unit, const CudaToolkit *Toolkit,
                         llvm::StringRef ResourceDir);

} // namespace cudal1

#endif // CUDAL1_FRONTEND_PARSESETUP_H

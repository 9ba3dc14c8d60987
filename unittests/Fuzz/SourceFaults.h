//===- SourceFaults.h - Kernels that are wrong as written -------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_FUZZ_SOURCEFAULTS_H
#define CUDAL1_UNITTESTS_FUZZ_SOURCEFAULTS_H

#include "Fuzzer.h"

namespace cudal1::fuzz {

/// Those of \p KernelSeeds whose kernels the emulator finds no fault in. They
/// run with every access that their source makes: optimised, a kernel can have
/// lost the race that its source has, and a rewrite would bring it to light.
/// An Error if the program cannot be built or run.
llvm::Expected<std::vector<uint64_t>>
kernelsWithoutFaults(const std::vector<uint64_t> &KernelSeeds,
                     const BuildSetup &Setup, const TemporaryFolder &Folder);

} // namespace cudal1::fuzz

#endif // CUDAL1_UNITTESTS_FUZZ_SOURCEFAULTS_H

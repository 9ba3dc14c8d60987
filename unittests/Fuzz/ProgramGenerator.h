//===- ProgramGenerator.h - Random small CUDA programs ----------*- C++ -*-===//
//
// Kernels of the kinds that the rules look at, and of the kinds that they must
// refuse: sums in global memory, reads of other elements of the buffer that is
// written, loops that may run zero times, early exits, shared tiles with
// barriers, work in place, buffers passed twice. Every index is inside its
// buffer, every thread writes elements of its own, and every buffer is
// initialised: the original is right in any order of its threads, unless an
// input overlaps with the output. Even then it mostly is.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_UNITTESTS_FUZZ_PROGRAMGENERATOR_H
#define CUDAL1_UNITTESTS_FUZZ_PROGRAMGENERATOR_H

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::fuzz {

/// A program with one kernel for each of \p KernelSeeds, named kernel0,
/// kernel1, ... in their order. The same seed gives the same kernel.
std::string generateProgram(const std::vector<uint64_t> &KernelSeeds);

} // namespace cudal1::fuzz

#endif // CUDAL1_UNITTESTS_FUZZ_PROGRAMGENERATOR_H

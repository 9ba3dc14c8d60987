//===- ProgramWalk.h - Random rewrites of a given program -------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_FUZZ_PROGRAMWALK_H
#define CUDAL1_UNITTESTS_FUZZ_PROGRAMWALK_H

#include "Fuzzer.h"

namespace cudal1::fuzz {

/// Random sequences of rewrites of one program of the user's, each of which
/// runs in the emulator beside the original.
struct ProgramWalk {
  std::string File;
  std::vector<std::string> Arguments; ///< of the program
  unsigned Sequences = 100;           ///< at most; there may be fewer
  uint64_t Seed = 1;
};

/// Makes \p Walk and prints every wrong sequence and what came of all. The exit
/// code: 0, 1 if anything was wrong; an Error if the original cannot be run.
llvm::Expected<int> judgeProgram(const ProgramWalk &Walk, const RuleList &Rules,
                                 SiteFilter Filter, const BuildSetup &Setup,
                                 llvm::StringRef Executable,
                                 const TemporaryFolder &Folder);

} // namespace cudal1::fuzz

#endif // CUDAL1_UNITTESTS_FUZZ_PROGRAMWALK_H

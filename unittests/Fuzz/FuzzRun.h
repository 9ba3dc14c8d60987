//===- FuzzRun.h - Many programs, in several processes ----------*- C++ -*-===//
///
/// \file
/// The seeds are worked through in batches, each by a process of its own: a
/// crash ends one batch, and no process grows with the length of the run. What
/// is judged does not depend on how many processes there are.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_UNITTESTS_FUZZ_FUZZRUN_H
#define CUDAL1_UNITTESTS_FUZZ_FUZZRUN_H

#include "Fuzzer.h"
#include "llvm/Support/JSON.h"

namespace cudal1::fuzz {

/// What some programs came to.
struct Tally {
  unsigned Programs = 0, Sequences = 0, Skipped = 0;
  std::map<std::string, unsigned> Rewrites; ///< how many of each rule
  std::vector<uint64_t> Alarms; ///< seeds of what is wrong, first ones
  uint64_t PeakMemoryBytes = 0; ///< of the largest process

  void add(const Tally &Other);
  llvm::json::Value toJson() const;
  static llvm::Expected<Tally> fromJson(llvm::StringRef Text);
};

/// Seeds First, First + 1, ...: Kernels to a program.
struct Batch {
  uint64_t First = 0;
  unsigned Programs = 0;
};

/// Judges \p Todo in this process. What there is to say of a wrong program is
/// printed to stdout.
Tally judgeBatch(Fuzzer &Fuzz, Batch Todo, unsigned KernelsPerProgram);

/// How a whole run is made.
struct RunPlan {
  uint64_t FirstSeed = 1;
  unsigned Sequences = 100; ///< to be judged, at least
  unsigned KernelsPerProgram = 6;
  unsigned Jobs = 1;       ///< processes at a time
  unsigned MostAlarms = 5; ///< no more batches are begun after so many
  /// This program and its options; a batch's are added.
  std::vector<std::string> Worker;
  std::string Folder; ///< for the batches' results
};

/// Judges batches until there are enough sequences, and prints what came of
/// each and of all. The exit code: 0, or 1 if anything was wrong.
int runAll(const RunPlan &Plan);

} // namespace cudal1::fuzz

#endif // CUDAL1_UNITTESTS_FUZZ_FUZZRUN_H

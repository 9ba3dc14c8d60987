//===- EmulatedProgram.h - A CUDA unit as a program for the CPU -*- C++ -*-===//

#ifndef CUDAL1_EMULATOR_EMULATEDPROGRAM_H
#define CUDAL1_EMULATOR_EMULATEDPROGRAM_H

#include "cudal1/Frontend/Program.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <string>
#include <vector>

namespace cudal1 {

/// How much an emulated program watches itself.
enum class EmulationChecks {
  None,   ///< nothing: as fast as it goes
  Memory, ///< bounds, lifetimes, uninitialised memory, alignment
  Races,  ///< these and data races
};

/// How a unit is made a program.
struct EmulationSpec {
  ParseInput Input;
  /// The GPU that device code believes to run on, e.g. 90 for sm_90.
  unsigned Arch = 90;
  /// Major version of the toolkit whose headers the unit includes; 0 if it
  /// includes none. The runtime library must be built with the same.
  unsigned CudaMajor = 0;
  EmulationChecks Checks = EmulationChecks::Memory;
  /// Do each access that the source of device code makes, in its place. Else
  /// the optimiser leaves out what has no effect, and with it the faults of
  /// those accesses. Some five times as slow.
  bool KeepAccesses = false;
  /// Compiler driver that links, e.g. `c++`.
  std::string HostCompiler = "c++";
  /// Libraries and folders for the link, as the unit's own command has them.
  std::vector<std::string> LinkArgs;
  /// libcudal1_emulator.a.
  std::string RuntimeLibrary;
  /// Where to write the final LLVM IR of the device side; empty: nowhere.
  std::string DeviceIrFile;
};

/// What was built, and what of the unit's device code it cannot run.
struct EmulatedProgram {
  std::string Path;
  /// Constructs without an emulation, once each. Reaching one ends the program
  /// with ExitUnsupported (runtime/emulator/Findings.h).
  std::vector<std::string> Unsupported;
};

/// Compiles \p Spec's unit, seen through \p Overlay, to an executable at
/// \p OutputPath. Both sides are compiled at the same time.
///
/// Fails with ParseError when Clang refuses a side; with a plain Error when the
/// linker does, whose message names what was missing.
llvm::Expected<EmulatedProgram> buildEmulated(const EmulationSpec &Spec,
                                              const SourceOverlay &Overlay,
                                              const std::string &OutputPath);

} // namespace cudal1

#endif // CUDAL1_EMULATOR_EMULATEDPROGRAM_H

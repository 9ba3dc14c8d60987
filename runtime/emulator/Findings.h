//===- Findings.h - What the emulator's checks found ------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_FINDINGS_H
#define CUDAL1_RUNTIME_EMULATOR_FINDINGS_H

#include "Abi.h"
#include <string>

namespace cudal1::emulator {

enum class FindingKind : uint8_t {
  OutOfBounds,
  UseAfterFree,
  Uninitialized,
  Misaligned,
  DivergentBarrier,
  Deadlock,
  Race,
  IllegalAddress, ///< not device memory at all
  InvalidFree,
  DivisionByZero, ///< of integers
  Leak,
  Unsupported,
};

/// The environment variables by which the tool talks to the runtime.
inline constexpr char FindingsVariable[] = "CUDAL1_EMU_FINDINGS";
inline constexpr char OrderVariable[] = "CUDAL1_EMU_ORDER";
inline constexpr char WorkersVariable[] = "CUDAL1_EMU_WORKERS";
inline constexpr char RacesVariable[] = "CUDAL1_EMU_RACES";
inline constexpr char QuietVariable[] = "CUDAL1_EMU_QUIET";
/// `program`: the exit code is the program's own even if there are findings.
inline constexpr char ExitVariable[] = "CUDAL1_EMU_EXIT";

/// Exit codes of an emulated program beside its own.
inline constexpr int ExitUnsupported = 86; ///< see FindingKind::Unsupported
inline constexpr int ExitFindings = 87;    ///< it ended well, but had findings

/// As reports spell it: `out-of-bounds`, `use-after-free`, ...
const char *spellFindingKind(FindingKind Kind);

/// Reports one finding: once per kind, kernel and place in the source (an index
/// that runs away gives another message each time), or per message if the place
/// is not known. \p Site may be null. Prints it to stderr in the form
/// `FILE:LINE:COLUMN: KIND: MESSAGE`, then kernel, block and thread (unless
/// QuietVariable is set), and appends one JSON object a line to the file that
/// FindingsVariable names: kind, file, line, column, function, message, and in
/// device code kernel (mangled), block and thread ([x, y, z]).
void reportFinding(FindingKind Kind, const SourceSite *Site,
                   const std::string &Message);

/// False if reportFinding would drop any message of this kind and site: callers
/// on hot paths need not make one up.
bool wantsFinding(FindingKind Kind, const SourceSite *Site);

/// How many different findings there were so far.
uint64_t findingCount();

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_FINDINGS_H

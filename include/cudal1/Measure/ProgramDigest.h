//===- ProgramDigest.h - Do two programs run the same code? -----*- C++ -*-===//

#ifndef CUDAL1_MEASURE_PROGRAMDIGEST_H
#define CUDAL1_MEASURE_PROGRAMDIGEST_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace cudal1 {

/// A hash of all that an ELF executable loads when it runs: host code, device
/// code (which nvcc embeds in a loaded section) and constants, but not symbol
/// tables, debug information and build identifiers. Programs with the same
/// digest do the same. std::nullopt if \p Path is no readable 64-bit ELF file.
std::optional<std::string> programDigest(llvm::StringRef Path);

} // namespace cudal1

#endif // CUDAL1_MEASURE_PROGRAMDIGEST_H

//===- EmulatorFindings.h - Faults that an emulated run showed --*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_EMULATORFINDINGS_H
#define CUDAL1_LIB_MEASURE_EMULATORFINDINGS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cudal1 {

/// One line of the file that the emulator's runtime writes.
struct EmulatorFinding {
  std::string Kind; ///< e.g. `race`
  std::string File, Function;
  int64_t Line = 0;
  std::string Message;
  std::string Kernel; ///< mangled; empty in host code

  /// What stays the same when a rewrite moves lines and makes what parameters
  /// point to const: the kind, and the function without its parameters.
  std::pair<std::string, std::string> key() const;
  /// `kernel.cu:12: race: ...`
  std::string describe() const;
};

/// Reads a findings file; a file that does not exist holds none.
llvm::Expected<std::vector<EmulatorFinding>> readFindings(llvm::StringRef Path);

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_EMULATORFINDINGS_H

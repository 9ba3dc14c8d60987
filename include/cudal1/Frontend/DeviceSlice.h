//===- DeviceSlice.h - A unit's text without host code ----------*- C++ -*-===//
///
/// \file
/// NVRTC compiles a small unit ten times as fast as nvcc, but takes device code
/// only. A DeviceSlice knows from a unit's AST what is host code in the main
/// file, and leaves it out of any text of that file: of the unit's own and of
/// the variants made of it.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_FRONTEND_DEVICESLICE_H
#define CUDAL1_FRONTEND_DEVICESLICE_H

#include "cudal1/Frontend/Program.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// A declaration of the main file that is left out, as its text begins.
struct HostChunk {
  /// From its first character to the brace that opens its body, or the whole of
  /// what has no body.
  std::string Head;
  bool HasBody = false; ///< ends at the brace that closes Head's last
  /// Ends at the next semicolon after the body: a class, or a variable with
  /// braces.
  bool HasSemicolon = false;
};

class DeviceSlice {
public:
  /// Looks at the host side of \p P.
  static DeviceSlice of(const Program &P);

  /// \p Text, a version of the main file, with blank lines where host code was
  /// and only those #include lines that device code needs, those of
  /// CUDA C++ libraries by the very headers. Nothing where host code of the
  /// unit is not found in it.
  std::optional<std::string> cut(llvm::StringRef Text) const;

  /// Another slice of the same chunks and includes.
  DeviceSlice(std::vector<HostChunk> Chunks,
              std::map<std::string, std::string> Includes)
      : Chunks(std::move(Chunks)), Includes(std::move(Includes)) {}

private:
  std::vector<HostChunk> Chunks;
  /// By what follows `#include`, as written: the lines in its place.
  std::map<std::string, std::string> Includes;
};

/// NVRTC's arguments for what nvcc is told by \p NvccArgs, but for the
/// architecture. Paths become absolute, starting at \p Directory. Nothing where
/// an argument changes device code in a way that NVRTC does not know.
std::optional<std::vector<std::string>>
nvrtcArguments(llvm::ArrayRef<std::string> NvccArgs, llvm::StringRef Directory);

} // namespace cudal1

#endif // CUDAL1_FRONTEND_DEVICESLICE_H

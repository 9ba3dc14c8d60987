//===- GpuArch.h - Names of NVIDIA GPU architectures ------------*- C++ -*-===//

#ifndef CUDAL1_FRONTEND_GPUARCH_H
#define CUDAL1_FRONTEND_GPUARCH_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// A compute capability such as 9.0, with nvcc's suffix for features of one
/// architecture ('a') or family ('f').
struct GpuArch {
  unsigned Number = 0; ///< Ten times major plus minor: 90 for sm_90.
  char Suffix = 0;     ///< 0, 'a' or 'f'.

  /// "sm_90", "sm_90a".
  std::string name() const;
  friend bool operator<(const GpuArch &A, const GpuArch &B) {
    return A.Number != B.Number ? A.Number < B.Number : A.Suffix < B.Suffix;
  }
};

/// Reads "sm_90", "compute_90a", "lto_90"; nothing else.
std::optional<GpuArch> parseGpuArch(llvm::StringRef Name);

/// Every architecture named anywhere in \p Text, in order: nvcc's values mix
/// them with keywords, brackets and quotes (`arch=compute_80,code=[sm_80]`).
std::vector<GpuArch> findGpuArchs(llvm::StringRef Text);

/// The name by which Clang knows \p Arch, or that of the nearest older
/// architecture that it knows: a GPU newer than this Clang still parses.
std::string clangArchName(GpuArch Arch);

} // namespace cudal1

#endif // CUDAL1_FRONTEND_GPUARCH_H

//===- BuiltinFiles.h - Headers that live in this program -------*- C++ -*-===//

#ifndef CUDAL1_FRONTEND_BUILTINFILES_H
#define CUDAL1_FRONTEND_BUILTINFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace cudal1 {

/// A header for the parse only, kept in the program so that a binary works
/// wherever it is copied to.
struct BuiltinFile {
  llvm::StringLiteral Path; ///< Absolute, below BuiltinFolder.
  llvm::StringLiteral Text;
};

/// Folder of all builtin files. Nothing real is expected there.
inline constexpr llvm::StringLiteral BuiltinFolder = "/cudal1-builtin";

/// Included ahead of every CUDA unit: what nvcc knows and Clang does not.
inline constexpr llvm::StringLiteral CompatHeaderPath =
    "/cudal1-builtin/cudal1_nvcc_compat.h";

/// Headers used when the system has none (omp.h), searched last.
inline constexpr llvm::StringLiteral FallbackFolder =
    "/cudal1-builtin/fallback";

llvm::ArrayRef<BuiltinFile> builtinFiles();

} // namespace cudal1

#endif // CUDAL1_FRONTEND_BUILTINFILES_H

//===- ClangCommand.h - Clang's and GCC's command line ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_FRONTEND_CLANGCOMMAND_H
#define CUDAL1_LIB_FRONTEND_CLANGCOMMAND_H

#include "cudal1/Frontend/FlagTranslation.h"
#include "cudal1/Frontend/GpuArch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudal1 {

/// The architectures that a command lists; becomes one at the end.
struct ListedArchs {
  std::vector<GpuArch> Archs;
  bool Native = false; ///< "native": the GPU of this machine.
  bool All = false;    ///< "all" or "all-major": whatever nvcc knows.

  /// Takes in the value of an architecture flag. Error: it names none.
  llvm::Error add(llvm::StringRef Flag, llvm::StringRef Value);
  /// Sets Arch and ArchGiven of \p Result, with a note where we chose.
  void choose(const TranslationOptions &Options, TranslatedFlags &Result) const;
};

/// Whose words a list of Clang-style flags is.
enum class ClangFlagOwner {
  Clang, ///< A Clang command: an unknown flag is an Error.
  Host,  ///< For the host compiler only; unknown flags are noted.
  Nvcc,  ///< Forwarded by nvcc to the host compiler: also only for the host.
};

/// Adds \p Flags to \p Result.ClangArgs, as far as they matter for a parse, and
/// takes note of what they say. \p Result.NvccArgs gets nvcc's form of them
/// unless \p ForNvcc is false.
llvm::Error addClangFlags(llvm::ArrayRef<std::string> Flags,
                          ClangFlagOwner Owner, bool ForNvcc,
                          ListedArchs &Archs, TranslatedFlags &Result);

/// The number of words (1 or more) that Clang's driver reads as one flag at the
/// start of \p Words.
size_t clangFlagLength(llvm::ArrayRef<std::string> Words);

/// How Clang's driver stands to a flag.
enum class ClangKnowledge {
  None,
  Shared, ///< Known, and GCC may know it too.
  Own     ///< Clang's alone: its way of working, or its GPU flags.
};

/// \p Flag is one flag, its value perhaps as a second word.
ClangKnowledge clangKnowledgeOf(llvm::ArrayRef<std::string> Flag);

} // namespace cudal1

#endif // CUDAL1_LIB_FRONTEND_CLANGCOMMAND_H

//===- FlagTranslation.h - One compile command, two compilers ---*- C++ -*-===//
///
/// \file
/// Reads the flags of a compile command, nvcc's, Clang's or a host compiler's,
/// and gives them for Clang (which parses the unit) and for nvcc (which builds
/// it). A flag that neither reader knows is an Error that names it; nothing
/// that changes meaning is dropped without a note.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_FRONTEND_FLAGTRANSLATION_H
#define CUDAL1_FRONTEND_FLAGTRANSLATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// Whose flags a command is written in.
enum class CommandDialect {
  Nvcc,
  Clang,
  HostCompiler, ///< g++ and its like: as Clang, but unknown flags are noted.
  Mixed,        ///< nvcc's, among which Clang's own are understood.
};

/// The architecture taken when neither the command nor a GPU gives one: every
/// toolkit that Clang 22 reads knows it, and code for older ones parses too.
inline constexpr llvm::StringLiteral DefaultGpuArch = "sm_90";

/// What a compile command says, in terms of both compilers.
struct TranslatedFlags {
  /// For Clang's driver: no compiler name, no file, no -o/-c, no side (host or
  /// device), no architecture.
  std::vector<std::string> ClangArgs;
  /// For nvcc, to build the unit: no compiler name, no source, no -o/-c and no
  /// dependency files. Paths in it are relative to the command's directory.
  std::vector<std::string> NvccArgs;
  /// Object files, archives and further sources that the command names.
  std::vector<std::string> Inputs;
  /// What to parse for, in Clang's words: "sm_90". The highest of those that
  /// the command lists.
  std::string Arch;
  /// The lowest of those that the command lists, as 80 for sm_80; without any,
  /// that of Arch. 0: `all`, whatever nvcc knows.
  unsigned LeastArch = 0;
  /// False: the command named no architecture, and NvccArgs names none.
  bool ArchGiven = false;
  bool FastMath = false;              ///< --use_fast_math or -ffast-math
  std::optional<bool> Fmad;           ///< Contraction to fused multiply-add.
  std::optional<bool> Ftz;            ///< Denormal floats flushed to zero.
  std::optional<bool> PrecDiv;        ///< Division rounded correctly.
  std::optional<bool> PrecSqrt;       ///< Square root rounded correctly.
  bool RelocatableDeviceCode = false; ///< -rdc=true, -dc, -fgpu-rdc
  bool DeviceDebug = false;           ///< nvcc's -G: device code not optimised.
  bool RestrictPointers =
      false;            ///< nvcc's -restrict: no kernel pointers alias.
  std::string Language; ///< -x, as "cuda", "c++" or "c"; or empty.
  std::string CudaPath; ///< Clang's --cuda-path, or empty.
  /// One sentence each: flags left out or changed on one side, and why.
  std::vector<std::string> Notes;
};

/// What the command does not say itself.
struct TranslationOptions {
  std::string Directory; ///< Options files are relative to it.
  std::string DefaultArch = DefaultGpuArch.str();
  std::string NativeArch; ///< Of the GPU here; empty: none.
};

/// By the name of the program: "/usr/local/cuda/bin/nvcc", "clang++-22".
CommandDialect dialectOfCompiler(llvm::StringRef Compiler);

/// For flags that stand alone (after `--`): Mixed if any of them is nvcc's
/// only, else Clang.
CommandDialect dialectOfFlags(llvm::ArrayRef<std::string> Flags);

/// Translates \p Flags (without the compiler's name). Errors: a flag that is
/// not known, a flag without its value, an options file that cannot be read.
llvm::Expected<TranslatedFlags>
translateFlags(CommandDialect Dialect, llvm::ArrayRef<std::string> Flags,
               const TranslationOptions &Options);

/// Adds what \p More says to \p Flags; where both speak, \p More prevails.
void addFlags(TranslatedFlags &Flags, const TranslatedFlags &More);

/// nvcc's flags with every architecture taken out and `-arch=ARCH` put in: to
/// build for the GPU at hand, or where the command names none.
std::vector<std::string> nvccArgsForArch(llvm::ArrayRef<std::string> NvccArgs,
                                         llvm::StringRef Arch);

} // namespace cudal1

#endif // CUDAL1_FRONTEND_FLAGTRANSLATION_H

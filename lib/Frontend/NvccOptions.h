//===- NvccOptions.h - nvcc's command line ----------------------*- C++ -*-===//

#ifndef CUDAL1_LIB_FRONTEND_NVCCOPTIONS_H
#define CUDAL1_LIB_FRONTEND_NVCCOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudal1 {

/// What an option of nvcc means to us.
enum class NvccAction {
  Build,   ///< Says what to write and where: we say that ourselves.
  Keep,    ///< For the build only; the parse does not depend on it.
  Arch,    ///< -arch, -code, -gencode
  Include, ///< -I
  SystemInclude,
  PreInclude, ///< -include
  Define,
  Undefine,
  Standard,     ///< -std
  Optimize,     ///< -O
  Language,     ///< -x
  HostFlags,    ///< -Xcompiler
  HostCompiler, ///< -ccbin
  DefaultStream,
  FastMath,
  Ftz,
  Fmad,
  PrecDiv,
  PrecSqrt,
  Relocatable, ///< -rdc
  DeviceC,     ///< -dc
  DeviceDebug, ///< -G
  ForwardUnknown,
  Restrict,         ///< -restrict
  RelaxedConstexpr, ///< -expt-relaxed-constexpr
};

/// How an option takes its value.
enum class NvccValue { None, One, List };

/// One row of nvcc's option table.
struct NvccOption {
  llvm::StringLiteral Long;  ///< Without dashes.
  llvm::StringLiteral Short; ///< Without the dash.
  NvccValue Value;
  NvccAction Action;
};

/// A word or two of an nvcc command, read.
struct NvccArgument {
  const NvccOption *Option = nullptr; ///< Null: an input or an unknown flag.
  std::vector<std::string> Values;    ///< Empty for options without a value.
  std::vector<std::string> Words;     ///< As written.

  bool isInput() const {
    return !Option && !llvm::StringRef(Words.front()).starts_with("-");
  }
};

/// All options of nvcc up to CUDA 13.
llvm::ArrayRef<NvccOption> nvccOptions();

/// True for a word that only nvcc understands, so that flags without a
/// compiler's name can be told apart.
bool isNvccOnlyFlag(llvm::StringRef Word);

/// Cuts a list at its commas as nvcc does: double quotes keep commas and stay,
/// a backslash keeps the next character and goes.
std::vector<std::string> splitNvccList(llvm::StringRef Text);

/// Reads a command line without its compiler and options files. A flag that is
/// not nvcc's is one word, or as many as \p UnknownLength says of the words
/// that start with it (at least one). Error: an option whose value is missing.
llvm::Expected<std::vector<NvccArgument>> parseNvccCommand(
    llvm::ArrayRef<std::string> Flags,
    llvm::function_ref<size_t(llvm::ArrayRef<std::string>)> UnknownLength =
        nullptr);

} // namespace cudal1

#endif // CUDAL1_LIB_FRONTEND_NVCCOPTIONS_H

//===- CompileUnit.h - A source file and how it is compiled -----*- C++ -*-===//

#ifndef CUDAL1_FRONTEND_COMPILEUNIT_H
#define CUDAL1_FRONTEND_COMPILEUNIT_H

#include "cudal1/Frontend/FlagTranslation.h"
#include "cudal1/Frontend/Side.h"
#include "cudal1/Frontend/Toolchain.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// How the main file is read.
enum class UnitLanguage { Cuda, Cxx };

/// A source file to work on, and how it is compiled.
struct CompileUnit {
  std::string File;      ///< Absolute.
  std::string Directory; ///< Absolute; relative paths in the flags start here.
  /// As the compile database has it, compiler first; empty without one.
  std::vector<std::string> OriginalCommand;
  bool FromNvcc = false; ///< The flags are nvcc's.
  UnitLanguage Language = UnitLanguage::Cuda;
  TranslatedFlags Flags;
  /// Where the flags come from, to complete "flags from ...".
  std::string Origin;

  /// False when the command itself keeps CUDA's headers out (-nocudainc) or
  /// the unit is plain C++: then no toolkit need be found to parse it.
  bool needsToolkit() const;
};

/// What the user said about flags.
struct UnitOptions {
  std::optional<std::string>
      BuildDir; ///< -p: a folder or a compile_commands.json.
  std::optional<std::vector<std::string>> Flags; ///< After `--`; may be empty.
  std::vector<std::string> ExtraArgs; ///< Added to whatever is found.
  std::string ArchOverride;           ///< "sm_90"; empty: as the command says.
  std::string DefaultArch =
      DefaultGpuArch.str();     ///< The GPU's, if there is one.
  std::string NativeArch;       ///< The GPU's; empty: no GPU.
  std::string WorkingDirectory; ///< Absolute; empty: this process's.
};

/// Checks that \p Path can be read as source text. Errors: missing, a folder,
/// empty, binary or not in UTF-8's family.
llvm::Error checkSourceFile(llvm::StringRef Path);

/// Finds out how files are compiled. With neither -p nor `--`, a
/// compile_commands.json above the file is used if it lists the file; else
/// C++17 and the default architecture. A header takes the flags of a unit that
/// includes it, or of a neighbour.
class UnitResolver {
public:
  /// Errors: a database that cannot be read, flags that are not understood.
  static llvm::Expected<UnitResolver> create(const UnitOptions &Options);

  /// Errors concern this file only: others may be resolved after one.
  llvm::Expected<CompileUnit> resolve(llvm::StringRef File);

  UnitResolver(UnitResolver &&);
  UnitResolver &operator=(UnitResolver &&);
  ~UnitResolver();

private:
  class Impl;
  explicit UnitResolver(std::unique_ptr<Impl> State);
  std::unique_ptr<Impl> State;
};

/// Resolves each of \p Files, in their order; the first Error ends it.
llvm::Expected<std::vector<CompileUnit>>
resolveUnits(llvm::ArrayRef<std::string> Files, const UnitOptions &Options);

/// Whether \p File is named like a header (.h, .cuh and their kin), which other
/// units may include.
bool isHeaderName(llvm::StringRef File);

/// The complete command to parse one side of \p Unit with Clang, program name
/// first and file last. \p Toolkit may be null if the unit needs none. The
/// command names builtinFiles(), which the parse must see (parseInputFor).
std::vector<std::string> clangArgsFor(const CompileUnit &Unit, Side Side,
                                      const CudaToolkit *Toolkit,
                                      llvm::StringRef ResourceDir);

} // namespace cudal1

#endif // CUDAL1_FRONTEND_COMPILEUNIT_H

//===- CompileDatabase.h - compile_commands.json ----------------*- C++ -*-===//

#ifndef CUDAL1_FRONTEND_COMPILEDATABASE_H
#define CUDAL1_FRONTEND_COMPILEDATABASE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// How one file of a project is compiled.
struct CompileCommand {
  std::string File;               ///< Absolute; it may no longer exist.
  std::string Directory;          ///< Absolute; relative paths start here.
  std::vector<std::string> Words; ///< The compiler and its flags; never empty.
};

/// A compile_commands.json, read.
class CompileDatabase {
public:
  /// Reads the file \p Path or, if that is a folder, its
  /// compile_commands.json. Errors: no such file, not JSON (with line and
  /// column), not of the form that CMake writes.
  static llvm::Expected<CompileDatabase> load(llvm::StringRef Path);

  /// The nearest database above \p File: compile_commands.json in a folder, or
  /// in its build folder.
  static std::optional<std::string> findAbove(llvm::StringRef File);

  const std::string &path() const { return Path; }
  llvm::ArrayRef<CompileCommand> commands() const { return Commands; }

  /// The commands for \p File (absolute), also when either name leads through
  /// a link. A file built twice has two.
  std::vector<const CompileCommand *> find(llvm::StringRef File) const;

private:
  std::string Path;
  std::vector<CompileCommand> Commands;
};

/// The place of the compiler in a command: ccache, `cmake -E env` and their
/// like stand before it.
size_t compilerIndex(llvm::ArrayRef<std::string> Words);

} // namespace cudal1

#endif // CUDAL1_FRONTEND_COMPILEDATABASE_H

//===- Config.h - Project settings in .cuda-l1.toml -------------*- C++ -*-===//

#ifndef CUDAL1_FRONTEND_CONFIG_H
#define CUDAL1_FRONTEND_CONFIG_H

#include "cudal1/Support/FpClass.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// The name looked for in the folder of a source and in all above it.
inline constexpr llvm::StringLiteral ConfigFileName = ".cuda-l1.toml";

/// What a settings file says; what it leaves open is empty. The command line
/// prevails over all of it. Each key is described in docs/configuration.md.
struct Config {
  std::string File; ///< Absolute path of the settings file; empty: none found.

  std::optional<std::string> Rules; ///< Globs, as for --rules.
  std::optional<FpClass> AllowedFpClass;
  std::optional<std::string> Search; ///< "greedy", "random" or "exhaustive".
  std::optional<std::chrono::milliseconds> Budget;
  std::optional<unsigned> MaxVariants; ///< At least 1.
  std::optional<uint64_t> Seed;
  std::optional<bool> KeepResults;    ///< From call to call.
  std::optional<double> Tolerance;    ///< Relative error of floats, above 0.
  std::optional<std::string> Arch;    ///< "sm_90" or "native".
  std::vector<std::string> ExtraArgs; ///< Added to the compile command.

  std::vector<std::string> RunArgs;
  std::map<std::string, std::string> Environment;
  std::optional<std::string> StdinFile; ///< Absolute.
  std::vector<std::string> OutputFiles; ///< Relative to where it runs.

  /// What names programs to start. A file that came with a source tree may say
  /// anything: these count only when the user trusts it (--trust-config).
  struct ProgramSettings {
    std::optional<std::string> BuildCommand;
    std::optional<std::string> RunCommand;
    std::optional<std::string> TestCommand;
    std::optional<std::string> CudaPath; ///< Absolute; its nvcc is run.

    /// The keys that are set, as written in the file.
    std::vector<std::string> keys() const;
  } Programs;
};

/// The settings file for \p SourceFile: the nearest one in its folder or above.
std::optional<std::string> findConfigFile(llvm::StringRef SourceFile);

/// Reads a settings file. Errors begin with "file:line:column: " and concern
/// the file's syntax, a key that does not exist (with the nearest that does),
/// a value of another type or out of range.
llvm::Expected<Config> loadConfig(llvm::StringRef Path);

/// Reads a duration such as "500ms", "60s", "5m" or "1h"; a bare number is
/// seconds. Nothing if it is not above zero.
std::optional<std::chrono::milliseconds> parseDuration(llvm::StringRef Text);

} // namespace cudal1

#endif // CUDAL1_FRONTEND_CONFIG_H

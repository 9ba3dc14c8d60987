//===- Settings.h - Command line and project settings together --*- C++ -*-===//

#ifndef CUDAL1_TOOL_SETTINGS_H
#define CUDAL1_TOOL_SETTINGS_H

#include "CommandLine.h"

namespace cudal1 {

/// What holds for one input: the command line where it speaks, else the nearest
/// .cuda-l1.toml, else the defaults.
struct Settings {
  std::string Rules;
  std::optional<FpClass> Weakest;
  SearchKind Search = SearchKind::Greedy;
  SearchBudget Budget;
  uint64_t Seed = 1;
  /// Results are kept for later calls and taken from earlier ones.
  bool KeepResults = true;
  /// Relative error of floats, above 0; none: as the fp class says.
  std::optional<double> Tolerance;

  std::string Arch, CudaPath;
  std::vector<std::string> ExtraArgs;

  std::vector<std::string> RunArgs;
  /// `NAME=value`
  std::vector<std::string> Environment;
  /// Absolute, or empty.
  std::string StdinFile;
  std::vector<std::string> OutputFiles;
  std::string BuildCommand, RunCommand, TestCommand;
  /// Folder that the build command builds: that of the settings file, or the
  /// current one.
  std::string ProjectRoot;

  /// What was read but does not count, one sentence each.
  std::vector<std::string> Notes;

  /// The Error is one of the settings file, with line and column.
  static llvm::Expected<Settings> forInput(const CommandLine &Line,
                                           llvm::StringRef Input);
};

} // namespace cudal1

#endif // CUDAL1_TOOL_SETTINGS_H

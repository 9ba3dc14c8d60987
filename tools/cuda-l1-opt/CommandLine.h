//===- CommandLine.h - What the user asked for ------------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_COMMANDLINE_H
#define CUDAL1_TOOL_COMMANDLINE_H

#include "cudal1/Search/Search.h"
#include "cudal1/Search/SiteMatch.h"
#include "cudal1/Support/FpClass.h"

namespace cudal1 {

/// What is to be done with each input.
enum class Task {
  Optimise,       ///< Search, measure, write the best.
  NoMeasure,      ///< Apply what the policy believes in.
  ApplySteps,     ///< --apply
  ApplyAll,       ///< --apply-all
  Judge,          ///< --judge
  ListSites,      ///< --list-sites
  DumpKernels,    ///< --dump-kernels
  DumpDeviceText, ///< --dump-device-text
  ListRules,      ///< --list-rules
  CacheInfo,      ///< --cache-info
  CacheClear,     ///< --cache-clear
  Serve,          ///< cuda-l1-env
  Help,
  Version
};

/// Tasks that end with a report to read.
inline bool isReported(Task T) {
  return T == Task::Optimise || T == Task::NoMeasure || T == Task::Judge;
}

enum class SearchKind { Greedy, Bandit, Random, Exhaustive };
/// "greedy", "bandit", "random" or "exhaustive".
std::optional<SearchKind> parseSearchKind(llvm::StringRef Word);

/// How a rewrite is proved.
enum class VerifyBy {
  Auto,     ///< by a run on the GPU; without one, emulated
  Emulator, ///< emulated, and only what passes is written
  Nothing,  ///< where there is no GPU, by the compiler alone
};

/// What stands behind times.
enum class MeasureBy {
  Auto,    ///< live replay, and whole programs for what it cannot judge
  Replay,  ///< the same; without replay nothing is measured
  Program, ///< whole programs
};

enum class ColorMode { Auto, Always, Never };

struct CommandLine {
  Task What = Task::Optimise;
  std::vector<std::string> Inputs;

  std::optional<std::string> BuildDir;
  /// What stood after `--`; may be empty.
  std::optional<std::vector<std::string>> Flags;
  std::string CudaPath, Arch, ResourceDir;

  /// Empty or "-": standard output.
  std::string Output;
  bool InPlace = false, Diff = false;
  std::string ReportFile;
  ColorMode Color = ColorMode::Auto;
  bool Quiet = false, Verbose = false;

  std::string Rules;
  std::optional<FpClass> Weakest;
  bool NeedsCheck = false;
  bool DumpJson = false;
  std::vector<StepSpec> Steps;

  std::optional<SearchKind> Search;
  /// Weights of the learned policy: a file, "none", or empty for those that
  /// this program brings along.
  std::string PolicyFile;
  std::optional<double> BudgetSeconds;
  std::optional<unsigned> MaxVariants;
  std::optional<uint64_t> Seed;
  bool NoCache = false;

  MeasureBy Engine = MeasureBy::Auto;
  /// --launch, counted from 1.
  std::optional<uint64_t> Launch;
  std::vector<std::string> Gpus;
  /// Files and folders of versions to judge.
  std::vector<std::string> Judged;
  VerifyBy Verify = VerifyBy::Auto;
  std::vector<std::string> RunArgs;
  /// In place of RunArgs for emulated runs.
  std::optional<std::vector<std::string>> EmulateArgs;
  std::string StdinFile;
  std::vector<std::string> Environment, OutputFiles;
  std::string BuildCommand, RunCommand, TestCommand;
  bool TrustConfig = false;
  std::optional<double> TimeLimitSeconds;
  std::string WorkDir;

  /// \p Usual is what is to be done where no option says so. Errors are wrong
  /// usage, with the nearest known option.
  static llvm::Expected<CommandLine> parse(llvm::ArrayRef<const char *> Args,
                                           Task Usual = Task::Optimise);
  static void printHelp(llvm::raw_ostream &OS);
};

/// Splits as a shell does: blanks, quotes and backslashes.
llvm::Expected<std::vector<std::string>> splitWords(llvm::StringRef Text);

} // namespace cudal1

#endif // CUDAL1_TOOL_COMMANDLINE_H

//===- Settings.cpp - Command line and project settings together ----------===//

#include "Settings.h"
#include "cudal1/Frontend/Config.h"
#include "cudal1/Rewrite/RuleList.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace cudal1;

static std::string absolute(llvm::StringRef Path) {
  llvm::SmallString<128> Result(Path);
  if (Path.empty() || llvm::sys::fs::make_absolute(Result))
    return Path.str();
  return std::string(Result);
}

/// The settings file's commands, which count only when it is trusted.
static void readPrograms(const Config &C, bool Trusted, Settings &S) {
  std::vector<std::string> Keys = C.Programs.keys();
  if (!Trusted) {
    if (!Keys.empty())
      S.Notes.push_back(C.File + " names programs to run (" +
                        llvm::join(Keys, ", ") +
                        "), which are left out; --trust-config allows them");
    return;
  }
  S.BuildCommand = C.Programs.BuildCommand.value_or("");
  S.RunCommand = C.Programs.RunCommand.value_or("");
  S.TestCommand = C.Programs.TestCommand.value_or("");
  S.CudaPath = C.Programs.CudaPath.value_or("");
}

static void readConfig(const Config &C, bool Trusted, Settings &S) {
  S.Rules = C.Rules.value_or("");
  S.Weakest = C.AllowedFpClass;
  if (C.Search)
    S.Search = parseSearchKind(*C.Search).value_or(SearchKind::Greedy);
  if (C.Budget)
    S.Budget.Seconds = std::chrono::duration<double>(*C.Budget).count();
  S.Budget.MaxVariants = C.MaxVariants.value_or(S.Budget.MaxVariants);
  S.Seed = C.Seed.value_or(S.Seed);
  S.KeepResults = C.KeepResults.value_or(S.KeepResults);
  if (C.Arch && *C.Arch != "native")
    S.Arch = *C.Arch;
  S.ExtraArgs = C.ExtraArgs;
  S.RunArgs = C.RunArgs;
  for (const auto &[Name, Value] : C.Environment)
    S.Environment.push_back((llvm::Twine(Name) + "=" + Value).str());
  S.StdinFile = C.StdinFile.value_or("");
  S.OutputFiles = C.OutputFiles;
  S.Tolerance = C.Tolerance;
  S.ProjectRoot = llvm::sys::path::parent_path(C.File).str();
  readPrograms(C, Trusted, S);
}

static void overlay(std::string &Setting, const std::string &Option) {
  if (!Option.empty())
    Setting = Option;
}

static void overlay(std::vector<std::string> &Setting,
                    const std::vector<std::string> &Option) {
  if (!Option.empty())
    Setting = Option;
}

static void readCommandLine(const CommandLine &Line, Settings &S) {
  overlay(S.Rules, Line.Rules);
  if (Line.Weakest)
    S.Weakest = Line.Weakest;
  S.Search = Line.Search.value_or(S.Search);
  S.Budget.Seconds = Line.BudgetSeconds.value_or(S.Budget.Seconds);
  S.Budget.MaxVariants = Line.MaxVariants.value_or(S.Budget.MaxVariants);
  S.Seed = Line.Seed.value_or(S.Seed);
  S.KeepResults &= !Line.NoCache;
  overlay(S.Arch, Line.Arch);
  overlay(S.CudaPath, Line.CudaPath);
  overlay(S.RunArgs, Line.RunArgs);
  // Laid over, not instead: later entries win.
  S.Environment.insert(S.Environment.end(), Line.Environment.begin(),
                       Line.Environment.end());
  overlay(S.StdinFile, absolute(Line.StdinFile));
  overlay(S.OutputFiles, Line.OutputFiles);
  overlay(S.BuildCommand, Line.BuildCommand);
  overlay(S.RunCommand, Line.RunCommand);
  overlay(S.TestCommand, Line.TestCommand);
}

llvm::Expected<Settings> Settings::forInput(const CommandLine &Line,
                                            llvm::StringRef Input) {
  Settings S;
  S.ProjectRoot = absolute(".");
  if (std::optional<std::string> File = findConfigFile(Input)) {
    llvm::Expected<Config> C = loadConfig(*File);
    if (!C)
      return C.takeError();
    readConfig(*C, Line.TrustConfig, S);
    if (llvm::Error E = RuleList::all().select(S.Rules))
      return llvm::createStringError(
          *File + ": 'rules': " + llvm::toString(std::move(E)));
  }
  readCommandLine(Line, S);
  return std::move(S);
}

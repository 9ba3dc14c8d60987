//===- Sanitizers.cpp - NVIDIA's checker on a whole program ---------------===//

#include "Sanitizers.h"
#include "llvm/ADT/StringExtras.h"

using namespace cudal1;

namespace {

constexpr llvm::StringRef Tools[] = {"memcheck", "racecheck", "synccheck",
                                     "initcheck"};
/// What it exits with when it has found something; no program of a user's is
/// likely to use it.
constexpr int FoundExitCode = 86;
constexpr llvm::StringLiteral Prefix = "========= ";

/// Its first line that is no banner.
std::string firstFinding(llvm::StringRef Output) {
  for (llvm::StringRef Line : llvm::split(Output, '\n'))
    if (Line.consume_front(Prefix) && !Line.trim().empty() &&
        !Line.starts_with("COMPUTE-SANITIZER"))
      return Line.trim().str();
  return "a fault";
}

/// How one program fared under one tool.
struct ToolResult {
  enum class Kind { Clean, Found, NotRun };
  Kind Outcome = Kind::NotRun;
  /// The first finding, or why it was not run to its end.
  std::string Text;
};

ToolResult runTool(const SanitizerSetup &Setup, const BuiltProgram &Program,
                   llvm::StringRef Tool) {
  Command Line;
  Line.Argv = {Setup.Sanitizer,
               "--tool",
               Tool.str(),
               "--error-exitcode",
               std::to_string(FoundExitCode),
               Program.Executable};
  Line.Argv.insert(Line.Argv.end(), Setup.Arguments.begin(),
                   Setup.Arguments.end());
  llvm::Expected<ProcessResult> Run =
      Setup.Runner.runPlain(Program, Line.toShell(), Setup.TimeLimit);
  if (!Run)
    return {ToolResult::Kind::NotRun, llvm::toString(Run.takeError())};
  if (Run->succeeded())
    return {ToolResult::Kind::Clean, ""};
  if (Run->End == ProcessEnd::Exited && Run->ExitCode == FoundExitCode)
    return {ToolResult::Kind::Found,
            firstFinding(Run->Stdout + "\n" + Run->Stderr)};
  return {ToolResult::Kind::NotRun, "it " + Run->describeEnd()};
}

} // namespace

void cudal1::checkBySanitizers(const SanitizerSetup &Setup,
                               const BuiltProgram &Original,
                               const BuiltProgram &Variant, Measurement &M) {
  std::string Clean;
  for (llvm::StringRef Tool : Tools) {
    if (Setup.StopFlag && *Setup.StopFlag)
      return;
    ToolResult Result = runTool(Setup, Variant, Tool);
    if (Result.Outcome == ToolResult::Kind::Clean) {
      Clean += (Clean.empty() ? "" : ", ") + Tool.str();
      continue;
    }
    std::string Said = "compute-sanitizer's " + Tool.str();
    if (Result.Outcome == ToolResult::Kind::NotRun) {
      M.Evidence.push_back(Said + " was not run to its end: " + Result.Text);
      continue;
    }
    if (runTool(Setup, Original, Tool).Outcome == ToolResult::Kind::Found) {
      M.Evidence.push_back(Said +
                           " finds the original at fault too: " + Result.Text);
      continue;
    }
    M.Outcome = Verdict::WrongResult;
    M.Evidence.push_back(Said + " finds a fault: " + Result.Text);
    return;
  }
  if (!Clean.empty())
    M.Evidence.push_back("clean under compute-sanitizer: " + Clean);
}

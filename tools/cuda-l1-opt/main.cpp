//===- main.cpp - cuda-l1-opt ---------------------------------------------===//

#include "Interrupt.h"
#include "KeptResults.h"
#include "Listing.h"
#include "Serve.h"
#include "UnitRun.h"
#include "Version.h"
#include "cudal1/Report/TerminalReport.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace cudal1;

static llvm::Error writeReport(const Report &R, llvm::StringRef Path) {
  SourceOutput Output;
  Output.Files.push_back(
      {Path.str(), llvm::formatv("{0:2}\n", toJSON(R)).str(), ""});
  return writeOutput(Output);
}

static ExitCode runUnits(const Setup &S) {
  Report R;
  R.ToolVersion = CUDAL1_VERSION;
  R.Gpu = S.Gpu ? S.Gpu->Name : "";
  Delivery Target(S);
  if (llvm::Error E = Target.checkDistinct()) {
    S.Out.error(llvm::toString(std::move(E)));
    return ExitCode::Usage;
  }
  if (llvm::Error E = Target.checkReportWritable()) {
    S.Out.error(llvm::toString(std::move(E)));
    return ExitCode::Failure;
  }
  ExitCode Worst = ExitCode::Success;
  for (const std::string &Input : S.Line.Inputs) {
    if (S.interrupted()) {
      Worst = ExitCode::Interrupted;
      break;
    }
    UnitRun Run(S, Input, Target);
    Worst = worse(Worst, Run.run());
    R.Units.push_back(Run.report());
    // A failure was told when it happened.
    bool Failed = Run.report().Result == UnitResult::Failed;
    if (isReported(S.Line.What) && !S.Line.Quiet && !Failed)
      printReport(Run.report(), R.Gpu, {S.Out.colored(), S.Line.Verbose},
                  S.Out.messages());
  }
  if (!S.Line.ReportFile.empty())
    if (llvm::Error E = writeReport(R, S.Line.ReportFile)) {
      S.Out.error(llvm::toString(std::move(E)));
      Worst = worse(Worst, ExitCode::Failure);
    }
  return Worst;
}

static ExitCode run(const CommandLine &Line, Console &Out,
                    llvm::StringRef Executable) {
  const std::atomic<bool> &Stop = watchInterrupts();
  if (Line.What == Task::Help) {
    CommandLine::printHelp(Out.results());
    return ExitCode::Success;
  }
  if (Line.What == Task::Version) {
    Out.results() << "cuda-l1-opt " << CUDAL1_VERSION << '\n';
    return ExitCode::Success;
  }
  if (Line.What == Task::ListRules) {
    RuleList Rules = RuleList::all();
    llvm::Error E =
        Line.Rules.empty() ? llvm::Error::success() : Rules.select(Line.Rules);
    if (E) {
      Out.error(llvm::toString(std::move(E)));
      return ExitCode::Usage;
    }
    listRules(Rules, Out.results());
    return ExitCode::Success;
  }
  if (Line.What == Task::CacheInfo || Line.What == Task::CacheClear) {
    if (llvm::Error E = serveCacheTask(Line.What, Out)) {
      Out.error(llvm::toString(std::move(E)));
      return ExitCode::Failure;
    }
    return ExitCode::Success;
  }
  llvm::Expected<Setup> S = prepare(Line, Out, Stop, Executable);
  if (!S) {
    Out.error(llvm::toString(S.takeError()));
    return ExitCode::Failure;
  }
  if (Line.What == Task::Serve)
    return serve(*S);
  return runUnits(*S);
}

int main(int Argc, const char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  // One program, two names: as cuda-l1-env it answers requests.
  bool Serves = llvm::sys::path::stem(Argv[0]) == "cuda-l1-env";
  llvm::Expected<CommandLine> Line =
      CommandLine::parse(llvm::ArrayRef(Argv, Argc).drop_front(),
                         Serves ? Task::Serve : Task::Optimise);
  if (!Line) {
    Console(CommandLine()).error(llvm::toString(Line.takeError()));
    return int(ExitCode::Usage);
  }
  Console Out(*Line);
  // argv[0] need not be a path; the address of main finds the file.
  std::string Executable = llvm::sys::fs::getMainExecutable(
      Argv[0], reinterpret_cast<void *>(&main));
  ExitCode Code = run(*Line, Out, Executable);
  if (llvm::Error E = Out.finishResults()) {
    Out.error(llvm::toString(std::move(E)));
    Code = worse(Code, ExitCode::Failure);
  }
  return int(Code);
}

//===- ProgramEngine.cpp - Measure by running the whole program -----------===//

#include "cudal1/Measure/ProgramEngine.h"
#include "Cleanup.h"
#include "GpuLock.h"
#include "ReferenceRun.h"
#include "Sanitizers.h"
#include "VariantTiming.h"
#include "cudal1/Measure/ProgramDigest.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <cmath>
#include <set>

using namespace cudal1;
namespace fs = llvm::sys::fs;
using Milliseconds = std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

/// Lines of a failing program's stderr that are shown.
constexpr size_t ShownStderrLines = 3;
/// For the noise taken from the baseline's few runs.
constexpr double MinPairDeviation = 0.002;
constexpr double MaxPairDeviation = 0.05;

std::string lastLines(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.trim().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  size_t Skip =
      Lines.size() > ShownStderrLines ? Lines.size() - ShownStderrLines : 0;
  std::string Result;
  for (llvm::StringRef Line : llvm::drop_begin(Lines, Skip))
    Result += (Result.empty() ? "" : " | ") + Line.trim().str();
  return Result;
}

/// "exited with code 3, stderr: …"
std::string describeFailure(const ProcessResult &Process) {
  std::string Stderr = lastLines(Process.Stderr);
  return Process.describeEnd() + (Stderr.empty() ? "" : ", stderr: " + Stderr);
}

class ProgramEngine final : public WholeProgramEngine {
public:
  explicit ProgramEngine(ProgramEngineOptions Options)
      : Options(std::move(Options)) {}

  ~ProgramEngine() override {
    if (!BuildFolder.empty())
      removeFolder(BuildFolder);
    if (!RunFolder.empty())
      removeFolder(RunFolder);
  }

  llvm::StringRef name() const override { return "program"; }
  llvm::Expected<Baseline> prepare() override;
  Measurement measure(const Candidate &C) override;
  Measurement confirm(const Candidate &C) override;
  const BuiltProgram &original() const override { return Original; }
  const ProgramRun &tracedRun() const override { return Reference->original(); }
  void compileAhead(llvm::ArrayRef<Candidate> Candidates) override {
    if (Builder)
      Builder->buildAhead(Candidates);
  }

private:
  RunTimes timesOf(const ProgramRun &Run) const {
    RunTimes Times = summarizeTimes(Run.Traces);
    Times.WallMs = Options.WallMs(Run.Process);
    return Times;
  }
  llvm::Error setUp();
  llvm::Expected<ProgramRun> runOriginal(trace::Mode Mode);
  llvm::Error checkOriginalTrace(const ProgramRun &Run) const;
  llvm::Error runOriginalTest();
  llvm::Expected<RunTimes> timeOriginal();
  std::optional<Measurement> knownResult(const Candidate &C,
                                         const std::string &Digest) const;
  void remember(const Candidate &C, const std::string &Digest,
                const Measurement &M);
  void judge(const Candidate &C, const BuiltProgram &Program, Measurement &M);
  bool runVariant(const BuiltProgram &Program, trace::Mode Mode, Measurement &M,
                  ProgramRun &Run);
  bool verify(const Candidate &C, const BuiltProgram &Program,
              llvm::StringRef When, Measurement &M);
  bool learnMoreOfOriginal();
  bool runVariantTest(const BuiltProgram &Program, Measurement &M);
  bool time(const Candidate &C, const BuiltProgram &Program, Measurement &M);
  bool addPair(const Candidate &C, const BuiltProgram &Program,
               VariantTiming &Timing, Measurement &M);
  double touchedMs(const Candidate &C, const RunTimes &Times) const;

  Milliseconds variantLimit() const {
    return Options.VariantTimeConstant +
           Milliseconds(int64_t(Options.VariantTimeFactor * OriginalWallMs));
  }
  bool stopped() const { return Options.StopFlag && *Options.StopFlag; }

  ProgramEngineOptions Options;
  std::string BuildFolder, RunFolder;
  std::unique_ptr<ProgramBuilder> Builder;
  std::unique_ptr<ProgramRunner> Runner;
  BuiltProgram Original;
  std::unique_ptr<ReferenceRun> Reference;
  std::optional<std::string> OriginalDigest;
  /// By digest and fp class: what was measured of programs built before.
  std::map<std::pair<std::string, FpClass>, std::pair<Candidate, Measurement>>
      Measured;
  bool Confirming = false;
  double OriginalWallMs = 0;
  double PairDeviation = 0; ///< of a log ratio, from the baseline's runs
};

//===----------------------------------------------------------------------===//
// The original
//===----------------------------------------------------------------------===//

llvm::Error ProgramEngine::setUp() {
  if (!fs::exists(Options.Injection.Library))
    return llvm::createStringError(
        "the injection library '" + Options.Injection.Library +
        "' is missing; build this tool where the CUDA Toolkit is installed");
  BuildFolder = Options.WorkFolder + "/build";
  RunFolder = Options.WorkFolder + "/run";
  for (const std::string &Folder : {BuildFolder, RunFolder})
    if (std::error_code Code = fs::create_directories(Folder))
      return llvm::createStringError(Code, "cannot make the folder '" + Folder +
                                               "': " + Code.message());
  llvm::Expected<std::unique_ptr<ProgramBuilder>> Made = makeProgramBuilder(
      Options.Build, BuildFolder, Options.Jobs, Options.StopFlag);
  if (!Made)
    return Made.takeError();
  Builder = std::move(*Made);
  Runner = std::make_unique<ProgramRunner>(Options.Run, Options.Injection,
                                           RunFolder, Options.StopFlag);
  BuildOutcome Built = Builder->buildOriginal();
  if (!Built.Program)
    return llvm::createStringError("the original program does not build: " +
                                   Built.Problem);
  Original = *Built.Program;
  OriginalDigest = programDigest(Original.Executable);
  if (Original.Executable.empty() && Options.Run.Command.empty())
    return llvm::createStringError("a project's build command needs a run "
                                   "command beside it; give --run-cmd");
  return llvm::Error::success();
}

llvm::Expected<ProgramRun> ProgramEngine::runOriginal(trace::Mode Mode) {
  Milliseconds Limit = OriginalWallMs > 0
                           ? std::max(variantLimit(), Options.OriginalTimeLimit)
                           : Options.OriginalTimeLimit;
  llvm::Expected<ProgramRun> Run = Runner->run(Original, Mode, Limit);
  if (Run && !Run->Process.succeeded())
    return llvm::createStringError(
        "the original program " + describeFailure(Run->Process) +
        (Run->Traces.empty() ? "; it did not start the CUDA driver (is there a "
                               "GPU?)"
                             : "; give the arguments and input with which it "
                               "succeeds"));
  return Run;
}

llvm::Error ProgramEngine::checkOriginalTrace(const ProgramRun &Run) const {
  uint64_t Kernels = 0;
  std::string Notes;
  for (const Trace &T : Run.Traces) {
    Kernels += recordRun(T, Options.Parameters).totalKernelRuns();
    for (const std::string &Note : T.Notes)
      Notes += "; " + Note;
  }
  if (Kernels)
    return llvm::Error::success();
  if (Run.Traces.empty())
    return llvm::createStringError(
        "no kernel ran: the program did not start the CUDA driver (is there a "
        "GPU, and does this input use it?)");
  return llvm::createStringError("no kernel ran in the original program" +
                                 Notes);
}

llvm::Error ProgramEngine::runOriginalTest() {
  if (Options.TestCommand.empty())
    return llvm::Error::success();
  llvm::Expected<ProcessResult> Result = Runner->runPlain(
      Original, Options.TestCommand, Options.OriginalTimeLimit);
  if (!Result)
    return Result.takeError();
  if (Result->succeeded())
    return llvm::Error::success();
  return llvm::createStringError(
      "the test command fails for the original: it " +
      describeFailure(*Result));
}

llvm::Expected<RunTimes> ProgramEngine::timeOriginal() {
  GpuLock Lock = GpuLock::take(Options.GpuUuid, Options.StopFlag);
  std::vector<RunTimes> Runs;
  std::vector<double> Logs;
  for (unsigned I = 0; I < std::max(1u, Options.BaselineRuns); ++I) {
    llvm::Expected<ProgramRun> Run = runOriginal(trace::Mode::Time);
    if (!Run)
      return Run.takeError();
    Reference->addOutputs(*Run);
    Runs.push_back(timesOf(*Run));
    if (Runs.back().KernelMs <= 0)
      return llvm::createStringError(
          "the kernels of the original program could not be timed: CUPTI gave "
          "no times (another profiler may be active, or the program leaves by "
          "_exit)");
    double Undisturbed = 0;
    for (const KernelTime &Kernel : Runs.back().Kernels)
      Undisturbed += Kernel.undisturbedMs();
    Logs.push_back(std::log(Undisturbed));
  }
  // A log ratio of two runs varies by √2 of one run's log.
  PairDeviation = std::clamp(std::sqrt(2.0) * meanAndDeviation(Logs).Deviation,
                             MinPairDeviation, MaxPairDeviation);
  return medianOf(Runs);
}

llvm::Expected<Baseline> ProgramEngine::prepare() {
  if (llvm::Error E = setUp())
    return std::move(E);
  llvm::Expected<ProgramRun> First = runOriginal(trace::Mode::Trace);
  if (!First)
    return First.takeError();
  if (llvm::Error E = checkOriginalTrace(*First))
    return std::move(E);
  OriginalWallMs = First->Process.WallMs;
  llvm::Expected<ProgramRun> Second = runOriginal(trace::Mode::Trace);
  if (!Second)
    return Second.takeError();
  OriginalWallMs = std::max(OriginalWallMs, Second->Process.WallMs);
  Reference = std::make_unique<ReferenceRun>(
      std::move(*First), *Second, Options.Run.OutputFiles, Options.Parameters,
      Options.RelativeTolerance);
  if (llvm::Error E = runOriginalTest())
    return std::move(E);
  Baseline Result;
  Result.Engine = name().str();
  Result.ProgramDigest = OriginalDigest.value_or("");
  llvm::Expected<RunTimes> Times = timeOriginal();
  if (!Times)
    return Times.takeError();
  Result.Times = std::move(*Times);
  Result.Kernels = kernelFacts(Reference->original().Traces);
  Reference->describe(Result);
  return Result;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

Measurement ProgramEngine::measure(const Candidate &C) {
  Measurement M;
  M.Engine = name().str();
  if (!Reference) {
    M.Evidence.push_back("the original program was not prepared");
    return M;
  }
  BuildOutcome Built = Builder->build(C);
  if (Built.Stopped) {
    M.Evidence.push_back("stopped while it was built");
  } else if (!Built.Program) {
    M.Outcome = Verdict::CompileError;
    M.Evidence.push_back(Built.Problem);
  } else {
    std::optional<std::string> Digest =
        programDigest(Built.Program->Executable);
    // Whoever hands in the original itself wants its noise measured.
    if (!Digest || C.Sources.empty())
      judge(C, *Built.Program, M);
    else if (std::optional<Measurement> Known = knownResult(C, *Digest))
      M = std::move(*Known);
    else {
      judge(C, *Built.Program, M);
      if (!stopped())
        remember(C, *Digest, M);
    }
  }
  Builder->release(C);
  return M;
}

/// The result of a program that was measured before: the compiler made the
/// same of other source text.
std::optional<Measurement>
ProgramEngine::knownResult(const Candidate &C,
                           const std::string &Digest) const {
  Measurement M;
  M.Engine = name().str();
  if (Digest == OriginalDigest) {
    M.Outcome = Verdict::Same;
    M.Evidence.push_back(
        "the compiler makes the same program of it as of the original");
    return M;
  }
  // The same candidate once more is to be measured once more.
  auto Known = Measured.find({Digest, C.Class});
  if (Known == Measured.end() || Known->second.first.Id == C.Id ||
      Known->second.first.Kernels != C.Kernels ||
      Known->second.first.Part != C.Part)
    return std::nullopt;
  M = Known->second.second;
  M.Evidence.push_back("measured before: the compiler makes the same program "
                       "of it as of " +
                       Known->second.first.Id);
  return M;
}

void ProgramEngine::remember(const Candidate &C, const std::string &Digest,
                             const Measurement &M) {
  auto &Entry = Measured[{Digest, C.Class}] = {C, M};
  Entry.first.Sources.clear();
}

/// Verify, time and, since only a faster variant will be used, verify that one
/// again. Sets the verdict.
void ProgramEngine::judge(const Candidate &C, const BuiltProgram &Program,
                          Measurement &M) {
  if (!verify(C, Program, "before timing", M) || !runVariantTest(Program, M) ||
      !time(C, Program, M))
    return;
  if (M.Outcome == Verdict::Faster && verify(C, Program, "after timing", M) &&
      Confirming && !Options.Sanitizer.empty() && Options.Run.Command.empty())
    checkBySanitizers({*Runner, Options.Sanitizer, Options.Run.Arguments,
                       Options.SanitizerTimeConstant +
                           Milliseconds(int64_t(Options.SanitizerTimeFactor *
                                                OriginalWallMs)),
                       Options.StopFlag},
                      Original, Program, M);
}

Measurement ProgramEngine::confirm(const Candidate &C) {
  Confirming = true;
  Measurement M = measure(C);
  Confirming = false;
  return M;
}

/// Runs the variant; if it did not end well, sets the verdict and returns
/// false.
bool ProgramEngine::runVariant(const BuiltProgram &Program, trace::Mode Mode,
                               Measurement &M, ProgramRun &Run) {
  llvm::Expected<ProgramRun> Result =
      Runner->run(Program, Mode, variantLimit());
  if (!Result) {
    M.Outcome = Verdict::RunError;
    M.Evidence.push_back(llvm::toString(Result.takeError()));
    return false;
  }
  Run = std::move(*Result);
  if (Run.Process.succeeded())
    return true;
  switch (Run.Process.End) {
  case ProcessEnd::TimedOut:
    M.Outcome = Verdict::Timeout;
    M.Evidence.push_back("the variant was killed after " +
                         std::to_string(variantLimit().count() / 1000) +
                         " s, the original "
                         "takes " +
                         std::to_string(OriginalWallMs / 1000) + " s");
    return false;
  case ProcessEnd::Stopped:
    M.Outcome = Verdict::Unsupported;
    M.Evidence.push_back("stopped while it ran");
    return false;
  case ProcessEnd::Exited:
  case ProcessEnd::Signaled:
    M.Outcome = Verdict::RunError;
    M.Evidence.push_back("the variant " + describeFailure(Run.Process));
    return false;
  }
  return false;
}

bool ProgramEngine::verify(const Candidate &C, const BuiltProgram &Program,
                           llvm::StringRef When, Measurement &M) {
  ProgramRun Run;
  if (!runVariant(Program, trace::Mode::Trace, M, Run))
    return false;
  M.Evidence.push_back(("run " + When + ":").str());
  for (unsigned Rechecks = 0;; ++Rechecks) {
    Measurement Compared = M;
    bool Right = Reference->compareTraced(Run, C, Compared);
    if (Right || Rechecks == Options.Rechecks || !learnMoreOfOriginal()) {
      M = std::move(Compared);
      if (!Right)
        M.Outcome = Verdict::WrongResult;
      return Right;
    }
  }
}

/// Runs the original once more, since what looks wrong may be what varies
/// seldom. False if it could not be run.
bool ProgramEngine::learnMoreOfOriginal() {
  llvm::Expected<ProgramRun> Run = runOriginal(trace::Mode::Trace);
  if (!Run) {
    llvm::consumeError(Run.takeError());
    return false;
  }
  Reference->addTraced(*Run);
  return true;
}

bool ProgramEngine::runVariantTest(const BuiltProgram &Program,
                                   Measurement &M) {
  if (Options.TestCommand.empty())
    return true;
  llvm::Expected<ProcessResult> Result =
      Runner->runPlain(Program, Options.TestCommand, Options.OriginalTimeLimit);
  if (Result && Result->succeeded()) {
    M.Evidence.push_back("the test command succeeds");
    return true;
  }
  bool Stopped = Result && Result->End == ProcessEnd::Stopped;
  M.Outcome = Stopped ? Verdict::Unsupported : Verdict::WrongResult;
  M.Evidence.push_back(
      "the test command " +
      (Result ? describeFailure(*Result) : llvm::toString(Result.takeError())));
  return false;
}

/// Milliseconds of the kernels that decide: those that the variant touched and
/// those that the original does not have (a touched kernel split in two).
double ProgramEngine::touchedMs(const Candidate &C,
                                const RunTimes &Times) const {
  if (C.Kernels.empty())
    return Times.KernelMs;
  std::set<std::string> Touched;
  for (const std::string &Name : C.Kernels)
    Touched.insert(kernelBaseName(Name));
  double Total = 0;
  for (const KernelTime &Kernel : Times.Kernels) {
    std::string Name = kernelBaseName(Kernel.Name);
    if (Touched.count(Name) || !Reference->hasKernel(Name))
      Total += Kernel.undisturbedMs();
  }
  return Total;
}

/// One run of each, in alternating order. False if the variant failed; the
/// verdict is then set.
bool ProgramEngine::addPair(const Candidate &C, const BuiltProgram &Program,
                            VariantTiming &Timing, Measurement &M) {
  RunTimes Before, After;
  bool OriginalFirst = Timing.pairs() % 2 == 0;
  for (bool IsOriginal : {OriginalFirst, !OriginalFirst}) {
    if (IsOriginal) {
      llvm::Expected<ProgramRun> Run = runOriginal(trace::Mode::Time);
      if (!Run) {
        M.Outcome = Verdict::Unsupported;
        M.Evidence.push_back(llvm::toString(Run.takeError()));
        return false;
      }
      Reference->addOutputs(*Run);
      Before = timesOf(*Run);
      continue;
    }
    ProgramRun Run;
    if (!runVariant(Program, trace::Mode::Time, M, Run))
      return false;
    if (!Reference->compareTimed(Run, C, M)) {
      M.Outcome = Verdict::WrongResult;
      return false;
    }
    After = timesOf(Run);
  }
  if (Timing.addPair(std::move(Before), std::move(After)))
    return true;
  M.Outcome = Verdict::Unsupported;
  M.Evidence.push_back("the touched kernels do not run with this input, so "
                       "there is nothing to time");
  return false;
}

bool ProgramEngine::time(const Candidate &C, const BuiltProgram &Program,
                         Measurement &M) {
  GpuLock Lock = GpuLock::take(Options.GpuUuid, Options.StopFlag);
  if (!Lock.isHeld() && !Options.GpuUuid.empty())
    M.Evidence.push_back(GpuLock::NotHeld.str());
  StoppingRule Rule = Options.Stopping;
  Rule.MinDeviation = std::max(Rule.MinDeviation, PairDeviation);
  VariantTiming Timing(
      Rule, C.Part, [&](const RunTimes &Times) { return touchedMs(C, Times); },
      !C.ReplacedKernels.empty());
  Clock::time_point Start = Clock::now();
  std::optional<Verdict> Decided;
  while (!Decided) {
    if (!addPair(C, Program, Timing, M))
      return false;
    bool Enough = Clock::now() - Start > Options.TimingBudget ||
                  Timing.staysBelow(C.SpeedupToBeat);
    Decided = Timing.decide(Enough);
  }
  Timing.conclude(*Decided, M);
  return true;
}

} // namespace

std::unique_ptr<WholeProgramEngine>
cudal1::makeProgramEngine(ProgramEngineOptions Options) {
  return std::make_unique<ProgramEngine>(std::move(Options));
}

//===- EmulatorEngine.cpp - Verify without a GPU --------------------------===//

#include "cudal1/Measure/EmulatorEngine.h"
#include "../../runtime/emulator/Findings.h"
#include "Cleanup.h"
#include "EmulatorFindings.h"
#include "ReferenceRun.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <set>

using namespace cudal1;
using Milliseconds = std::chrono::milliseconds;

namespace {

/// One run of an emulated program.
struct EmulatedRun {
  ProgramRun Run;
  std::vector<EmulatorFinding> Findings;
};

class EmulatorEngine final : public MeasureEngine {
public:
  explicit EmulatorEngine(EmulatorEngineOptions Options)
      : Options(std::move(Options)) {}
  ~EmulatorEngine() override;

  llvm::StringRef name() const override { return "emulator"; }
  llvm::Expected<Baseline> prepare() override;
  Measurement measure(const Candidate &C) override;

private:
  llvm::Expected<EmulatedRun> run(const std::string &Program,
                                  const std::string &Order,
                                  Milliseconds TimeLimit);
  llvm::Expected<EmulatedRun> runOriginal(const std::string &Order);
  void learnFaultsAsWritten();
  void noteFindings(const EmulatedRun &Run, Baseline &B);
  bool judge(const Candidate &C, const std::string &Program,
             const std::string &Order, Measurement &M);
  bool endedWell(const EmulatedRun &Run, Measurement &M) const;
  bool showsNoNewFault(const EmulatedRun &Run, Measurement &M);
  Milliseconds variantLimit() const {
    return Options.VariantTimeConstant +
           Milliseconds(int64_t(Options.VariantTimeFactor * OriginalWallMs));
  }
  std::string file(const std::string &Name) const {
    return Options.WorkFolder + "/" + Name;
  }

  EmulatorEngineOptions Options;
  std::string OriginalProgram;
  std::unique_ptr<ReferenceRun> Reference;
  /// Kind and function of the faults of the original itself.
  std::set<std::pair<std::string, std::string>> KnownFaults;
  bool KnowsFaultsAsWritten = false;
  double OriginalWallMs = 0;
  unsigned Runs = 0, Variants = 0;
};

EmulatorEngine::~EmulatorEngine() {
  if (!OriginalProgram.empty())
    removeFile(OriginalProgram);
}

llvm::Expected<EmulatedRun> EmulatorEngine::run(const std::string &Program,
                                                const std::string &Order,
                                                Milliseconds TimeLimit) {
  std::string Name = "emulated-" + std::to_string(++Runs);
  std::string FindingsFile = file(Name + ".findings");
  RunSpec Spec = Options.Run;
  auto Set = [&](llvm::StringRef Variable, llvm::StringRef Value) {
    Spec.Environment.push_back((Variable + "=" + Value).str());
  };
  Set(emulator::OrderVariable, Order);
  // One block after the other: otherwise every run has an order of its own.
  Set(emulator::WorkersVariable, "1");
  Set(emulator::RacesVariable, "1");
  Set(emulator::FindingsVariable, FindingsFile);
  Set(emulator::QuietVariable, "1");
  Set(emulator::ExitVariable, "program");
  std::string Folder = file(Name);
  if (std::error_code Code = llvm::sys::fs::create_directories(Folder))
    return llvm::createStringError(Code, "cannot make the folder '" + Folder +
                                             "': " + Code.message());
  llvm::scope_exit Cleanup([&] {
    removeFolder(Folder);
    removeFile(FindingsFile);
  });
  ProgramRunner Runner(std::move(Spec), InjectionSpec(), Folder,
                       Options.StopFlag);
  llvm::Expected<ProgramRun> Run =
      Runner.run({Program, ""}, trace::Mode::Trace, TimeLimit);
  if (!Run)
    return Run.takeError();
  llvm::Expected<std::vector<EmulatorFinding>> Findings =
      readFindings(FindingsFile);
  if (!Findings)
    return Findings.takeError();
  return EmulatedRun{std::move(*Run), std::move(*Findings)};
}

/// What stopped a run, from the runtime's last words.
std::string unsupportedConstruct(const EmulatedRun &Run) {
  for (const EmulatorFinding &Finding : Run.Findings)
    if (Finding.Kind == "unsupported")
      return Finding.describe();
  return "a construct that is not emulated";
}

llvm::Expected<EmulatedRun>
EmulatorEngine::runOriginal(const std::string &Order) {
  llvm::Expected<EmulatedRun> Run =
      run(OriginalProgram, Order, Options.OriginalTimeLimit);
  if (!Run)
    return Run.takeError();
  const ProcessResult &Process = Run->Run.Process;
  if (Process.End == ProcessEnd::Exited &&
      Process.ExitCode == emulator::ExitUnsupported)
    return llvm::createStringError("the program cannot be emulated: " +
                                   unsupportedConstruct(*Run));
  if (Process.End == ProcessEnd::TimedOut)
    return llvm::createStringError(
        "the emulated program runs for more than " +
        llvm::Twine(Options.OriginalTimeLimit.count() / 1000) +
        " s; give arguments for a smaller problem with --emulate-args");
  if (!Process.succeeded())
    return llvm::createStringError("the emulated original program " +
                                   Process.describeEnd() + ": " +
                                   llvm::StringRef(Process.Stderr).rtrim());
  OriginalWallMs = std::max(OriginalWallMs, Process.WallMs);
  return Run;
}

/// The original's own faults are its author's business, and are told once.
void EmulatorEngine::noteFindings(const EmulatedRun &Run, Baseline &B) {
  for (const EmulatorFinding &Finding : Run.Findings)
    if (KnownFaults.insert(Finding.key()).second)
      B.Notes.push_back("in the original, " + Finding.describe());
}

llvm::Expected<Baseline> EmulatorEngine::prepare() {
  OriginalProgram = file("original");
  llvm::Expected<std::vector<std::string>> Unsupported =
      Options.Build({}, OriginalProgram);
  if (!Unsupported)
    return Unsupported.takeError();
  Baseline B;
  B.Engine = name().str();
  std::vector<EmulatedRun> Runs;
  for (const std::string &Order : Options.Orders) {
    llvm::Expected<EmulatedRun> Run = runOriginal(Order);
    if (!Run)
      return Run.takeError();
    noteFindings(*Run, B);
    Runs.push_back(std::move(*Run));
  }
  // The constructor wants two runs; with one order there is one, run twice.
  if (Runs.size() == 1) {
    llvm::Expected<EmulatedRun> Again = runOriginal(Options.Orders.front());
    if (!Again)
      return Again.takeError();
    Runs.push_back(std::move(*Again));
  }
  Reference = std::make_unique<ReferenceRun>(
      std::move(Runs[0].Run), Runs[1].Run, Options.Run.OutputFiles,
      Options.Parameters, Options.RelativeTolerance);
  for (size_t I = 2; I < Runs.size(); ++I)
    Reference->addTraced(Runs[I].Run);
  Reference->describe(B);
  return B;
}

/// False, with the verdict set, if the variant did not come to its end.
bool EmulatorEngine::endedWell(const EmulatedRun &Run, Measurement &M) const {
  const ProcessResult &Process = Run.Run.Process;
  if (Process.succeeded())
    return true;
  if (Process.End == ProcessEnd::Exited &&
      Process.ExitCode == emulator::ExitUnsupported) {
    M.Outcome = Verdict::Unsupported;
    M.Evidence.push_back(unsupportedConstruct(Run));
  } else if (Process.End == ProcessEnd::Stopped) {
    M.Outcome = Verdict::Unsupported;
    M.Evidence.push_back("stopped while it ran");
  } else {
    M.Outcome = Process.End == ProcessEnd::TimedOut ? Verdict::Timeout
                                                    : Verdict::RunError;
    M.Evidence.push_back("the variant " + Process.describeEnd());
  }
  return false;
}

/// Adds the faults of the original as its source is written. Those that cannot
/// be had, since it does not end well or not in time, are not the original's.
void EmulatorEngine::learnFaultsAsWritten() {
  if (KnowsFaultsAsWritten || !Options.BuildAsWritten)
    return;
  KnowsFaultsAsWritten = true;
  std::string Program = file("original-as-written");
  llvm::scope_exit Cleanup([&] { removeFile(Program); });
  auto Unsupported = Options.BuildAsWritten({}, Program);
  if (!Unsupported) {
    llvm::consumeError(Unsupported.takeError());
    return;
  }
  for (const std::string &Order : Options.Orders) {
    llvm::Expected<EmulatedRun> Run =
        run(Program, Order, Options.OriginalTimeLimit);
    if (!Run) {
      llvm::consumeError(Run.takeError());
      return;
    }
    for (const EmulatorFinding &Finding : Run->Findings)
      KnownFaults.insert(Finding.key());
  }
}

bool EmulatorEngine::showsNoNewFault(const EmulatedRun &Run, Measurement &M) {
  auto IsNew = [&](const EmulatorFinding &Finding) {
    return !KnownFaults.count(Finding.key());
  };
  if (llvm::none_of(Run.Findings, IsNew))
    return true;
  learnFaultsAsWritten();
  bool Clean = true;
  for (const EmulatorFinding &Finding : Run.Findings)
    if (IsNew(Finding)) {
      M.Evidence.push_back("a fault that the original does not have: " +
                           Finding.describe());
      Clean = false;
    }
  return Clean;
}

/// Runs the variant in one order. False, with the verdict set, if it is not
/// right.
bool EmulatorEngine::judge(const Candidate &C, const std::string &Program,
                           const std::string &Order, Measurement &M) {
  llvm::Expected<EmulatedRun> Run = run(Program, Order, variantLimit());
  if (!Run) {
    M.Outcome = Verdict::RunError;
    M.Evidence.push_back(llvm::toString(Run.takeError()));
    return false;
  }
  if (!endedWell(*Run, M))
    return false;
  M.Evidence.push_back("emulated, order " + Order + ":");
  bool Right = showsNoNewFault(*Run, M);
  Right &= Reference->compareTraced(Run->Run, C, M);
  if (!Right)
    M.Outcome = Verdict::WrongResult;
  return Right;
}

Measurement EmulatorEngine::measure(const Candidate &C) {
  Measurement M;
  M.Engine = name().str();
  if (!Reference) {
    M.Evidence.push_back("the original program was not prepared");
    return M;
  }
  std::string Program = file("variant-" + std::to_string(++Variants));
  llvm::scope_exit Cleanup([&] { removeFile(Program); });
  llvm::Expected<std::vector<std::string>> Unsupported =
      Options.Build(C.Sources, Program);
  if (!Unsupported) {
    M.Outcome = Verdict::CompileError;
    M.Evidence.push_back(llvm::toString(Unsupported.takeError()));
    return M;
  }
  for (const std::string &Order : Options.Orders)
    if (!judge(C, Program, Order, M))
      return M;
  M.Outcome = Verdict::Verified;
  return M;
}

} // namespace

std::unique_ptr<MeasureEngine>
cudal1::makeEmulatorEngine(EmulatorEngineOptions Options) {
  return std::make_unique<EmulatorEngine>(std::move(Options));
}

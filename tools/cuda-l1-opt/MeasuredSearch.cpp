//===- MeasuredSearch.cpp - Search with a GPU -----------------------------===//

#include "MeasuredSearch.h"
#include "cudal1/Measure/ProgramEngine.h"
#include "cudal1/Policy/AdvisorPolicy.h"
#include "cudal1/Report/ProgressLine.h"
#include "cudal1/Search/Confirmation.h"
#include "cudal1/Search/ElementLayouts.h"
#include "cudal1/Search/ExhaustiveSearch.h"
#include "cudal1/Search/GreedySearch.h"
#include "cudal1/Search/ProgramProblem.h"
#include "cudal1/Search/RandomSearch.h"
#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"

using namespace cudal1;
namespace path = llvm::sys::path;

/// Compilers at once: each takes about a core and half a gigabyte.
static constexpr unsigned MaxJobs = 16;
/// One variant may take this share of the search's time to be timed, so that
/// noise at one does not cost the others; within these bounds, in seconds.
static constexpr double TimingShare = 0.05;
static constexpr double LeastTiming = 2, MostTiming = 20;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static std::unique_ptr<Search> makeSearch(SearchKind Kind, const Policy &P) {
  switch (Kind) {
  case SearchKind::Greedy:
    return std::make_unique<GreedySearch>(P);
  case SearchKind::Random:
    return std::make_unique<RandomSearch>();
  case SearchKind::Exhaustive:
    return std::make_unique<ExhaustiveSearch>();
  }
  llvm_unreachable("unknown SearchKind");
}

/// The injection library lies in lib/ beside this program's bin/.
static InjectionSpec findInjection(const Setup &S) {
  InjectionSpec Spec;
  llvm::SmallString<128> Library(path::parent_path(S.Executable));
  path::append(Library, "..", "lib", "libcudal1_injection.so");
  path::remove_dots(Library, /*remove_dot_dot=*/true);
  Spec.Library = std::string(Library);
  if (!S.Toolkit)
    return Spec;
  for (const char *Folder : {"extras/CUPTI/lib64", "lib64"}) {
    llvm::SmallString<128> Cupti(S.Toolkit->Path);
    path::append(Cupti, Folder, "libcupti.so");
    if (llvm::sys::fs::exists(Cupti)) {
      Spec.Cupti = std::string(Cupti);
      break;
    }
  }
  return Spec;
}

static BuildSpec buildSpecFor(const Setup &S, const Settings &Chosen,
                              const CompileUnit &Unit) {
  BuildSpec Spec;
  Spec.MainFile = Unit.File;
  Spec.Directory = Unit.Directory;
  if (!Chosen.BuildCommand.empty()) {
    Spec.Command = Chosen.BuildCommand;
    Spec.ProjectRoot = Chosen.ProjectRoot;
    return Spec;
  }
  Spec.Compiler = S.Toolkit->NvccPath;
  Spec.Flags = Unit.Flags.ArchGiven
                   ? Unit.Flags.NvccArgs
                   : nvccArgsForArch(Unit.Flags.NvccArgs, S.Gpu->arch());
  Spec.Flags.insert(Spec.Flags.end(), Unit.Flags.Inputs.begin(),
                    Unit.Flags.Inputs.end());
  return Spec;
}

static RunSpec runSpecFor(const Settings &Chosen) {
  RunSpec Spec;
  Spec.Arguments = Chosen.RunArgs;
  Spec.Command = Chosen.RunCommand;
  Spec.StdinFile = Chosen.StdinFile;
  Spec.Environment = Chosen.Environment;
  for (const std::string &File : Chosen.OutputFiles)
    Spec.OutputFiles.push_back({File, {}});
  return Spec;
}

static ProgramEngineOptions
engineOptions(const Setup &S, const Settings &Chosen, const CompileUnit &Unit,
              const ProgramAnalysis &Analysis, llvm::StringRef WorkFolder) {
  ProgramEngineOptions Options;
  Options.Build = buildSpecFor(S, Chosen, Unit);
  Options.Run = runSpecFor(Chosen);
  Options.Injection = findInjection(S);
  Options.TestCommand = Chosen.TestCommand;
  Options.Parameters = parameterTableOf(Analysis);
  Options.RelativeTolerance = Chosen.Tolerance;
  Options.WorkFolder = WorkFolder.str();
  Options.Jobs = std::min<unsigned>(
      MaxJobs, llvm::hardware_concurrency().compute_thread_count());
  Options.TimingBudget = std::chrono::milliseconds(
      int64_t(1000 * std::clamp(Chosen.Budget.Seconds * TimingShare,
                                LeastTiming, MostTiming)));
  if (S.Line.TimeLimitSeconds)
    Options.OriginalTimeLimit =
        std::chrono::milliseconds(int64_t(1000 * *S.Line.TimeLimitSeconds));
  Options.MemoryBandwidthGBs = S.Gpu->MemoryBandwidthGBs;
  Options.StopFlag = &S.Stop;
  return Options;
}

static ProgressLine::Mode progressMode(const Setup &S) {
  if (S.Line.Quiet)
    return ProgressLine::Mode::Silent;
  if (S.Line.Verbose)
    return ProgressLine::Mode::EachVariant;
  return S.Out.isTerminal() ? ProgressLine::Mode::InPlace
                            : ProgressLine::Mode::Silent;
}

/// Figures and reasons of a search that has ended.
static void fillReport(const Baseline &B, const SearchOutcome &O,
                       const std::optional<Attempt> &Best, UnitReport &Report) {
  Report.Engine = B.Engine;
  Report.Original = B.Times;
  for (const auto *Sentences : {&B.NonDeterminism, &B.Notes})
    Report.Messages.insert(Report.Messages.end(), Sentences->begin(),
                           Sentences->end());
  Report.SearchEnd = toString(O.End).str();
  Report.VariantsTried = O.Attempts.size();
  Report.Variants = explainAttempts(O.Attempts, Best ? &*Best : nullptr);
  Report.Result = Best ? UnitResult::Faster : UnitResult::NothingBetter;
  if (Best) {
    const Measurement &M = Best->Result;
    // The pair that was timed together, rather than the first profile.
    if (M.Original)
      Report.Original = M.Original;
    Report.Best = M.Variant;
    Report.Speedup = M.Speedup;
    Report.SpeedupLow = M.SpeedupLow;
    Report.SpeedupHigh = M.SpeedupHigh;
  }
  Report.Kernels = compareKernels(Report.Original, Report.Best);
}

llvm::Expected<Variant> cudal1::searchMeasured(const Setup &S,
                                               const Settings &Chosen,
                                               const CompileUnit &Unit,
                                               RewriteSession &Session,
                                               UnitReport &Report) {
  llvm::Expected<TemporaryFolder> Folder =
      TemporaryFolder::make(S.Line.WorkDir);
  if (!Folder)
    return Folder.takeError();
  ProgressLine Progress(S.Out.messages(), progressMode(S), Chosen.Budget, now);
  Progress.status("building and running the original");
  std::unique_ptr<MeasureEngine> Engine = makeProgramEngine(
      engineOptions(S, Chosen, Unit, Session.analysis(), Folder->path()));
  llvm::Expected<Baseline> B = Engine->prepare();
  if (!B)
    return B.takeError();

  Variant Original = Session.current();
  ProgramProblem Problem(Session, *Engine, *B);
  SearchContext Context;
  Context.Budget = Chosen.Budget;
  Context.Seed = Chosen.Seed;
  Context.Stop = &S.Stop;
  Context.Now = now;
  Context.Observer = &Progress;
  AdvisorPolicy Advisor;
  double Start = now();
  SearchOutcome O = makeSearch(Chosen.Search, Advisor)->run(Problem, Context);
  std::optional<Attempt> Best = confirmBest(Problem, O, Context);
  Report.SearchSeconds = now() - Start;
  fillReport(*B, O, Best, Report);
  return Best ? Best->What : Original;
}

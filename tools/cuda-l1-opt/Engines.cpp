//===- Engines.cpp - The engine that measures this unit -------------------===//

#include "Engines.h"
#include "KeptResults.h"
#include "cudal1/Frontend/DeviceSlice.h"
#include "cudal1/Measure/ReplayEngine.h"
#include "cudal1/Search/ElementLayouts.h"
#include "llvm/Support/FileSystem.h"
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
/// A launch is timed in milliseconds; more than this is not worth its noise.
static constexpr double MostReplayTiming = 3;

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

/// compute-sanitizer of the toolkit; empty where it is not installed.
static std::string findSanitizer(const Setup &S) {
  if (!S.Toolkit)
    return "";
  llvm::SmallString<128> Path(S.Toolkit->Path);
  path::append(Path, "bin", "compute-sanitizer");
  return llvm::sys::fs::can_execute(Path) ? std::string(Path) : "";
}

/// NVRTC of the toolkit, run by the program beside this one. Unused where
/// either is missing, or a flag of the unit's means nothing to NVRTC.
static RuntimeCompilerSpec findNvrtc(const Setup &S, const CubinSpec &Unit,
                                     const Program &P) {
  RuntimeCompilerSpec Spec;
  llvm::SmallString<128> Executable(path::parent_path(S.Executable));
  path::append(Executable, "cudal1-nvrtc");
  llvm::SmallString<128> Library(S.Toolkit->Path);
  path::append(Library, "lib64", "libnvrtc.so");
  auto Arguments = nvrtcArguments(Unit.Flags, Unit.Directory);
  if (!Arguments || !llvm::sys::fs::can_execute(Executable) ||
      !llvm::sys::fs::exists(Library))
    return Spec;
  Spec.Executable = std::string(Executable);
  Spec.Library = std::string(Library);
  Spec.Arguments = std::move(*Arguments);
  for (const char *Folder : {"/include", "/include/cccl"})
    Spec.Arguments.push_back("-I" + S.Toolkit->Path + Folder);
  // Unmarked members of classes are the device's too, as far as they are used.
  for (const char *Argument : {"--device-as-default-execution-space", "--pch",
                               "--pch-messages=false", "--disable-warnings"})
    Spec.Arguments.push_back(Argument);
  Spec.DeviceText = [Slice = DeviceSlice::of(P)](llvm::StringRef Text) {
    return Slice.cut(Text);
  };
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
programOptions(const Setup &S, const Settings &Chosen, const CompileUnit &Unit,
               const ProgramAnalysis &Analysis, llvm::StringRef WorkFolder) {
  ProgramEngineOptions Options;
  Options.Build = buildSpecFor(S, Chosen, Unit);
  Options.Run = runSpecFor(Chosen);
  Options.Injection = findInjection(S);
  Options.TestCommand = Chosen.TestCommand;
  Options.Parameters = parameterTableOf(Analysis);
  Options.Sanitizer = findSanitizer(S);
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
  Options.GpuUuid = S.Gpu->Uuid;
  Options.StopFlag = &S.Stop;
  return Options;
}

static ReplayEngineOptions replayOptions(const Setup &S, const Settings &Chosen,
                                         const CompileUnit &Unit,
                                         const ProgramEngineOptions &Program,
                                         const ProgramAnalysis &Analysis) {
  ReplayEngineOptions Options;
  Options.Cubins.MainFile = Program.Build.MainFile;
  // A project's own build command makes the program; the variants' device code
  // is compiled as the unit's own flags say.
  Options.Cubins.Compiler = S.Toolkit->NvccPath;
  Options.Cubins.Flags = Program.Build.Compiler.empty() ? Unit.Flags.NvccArgs
                                                        : Program.Build.Flags;
  Options.Cubins.Arch = S.Gpu->arch();
  Options.Cubins.Directory = Program.Build.Directory;
  Options.Cubins.Jobs = Program.Jobs;
  if (Analysis.program().hasSide(Side::Device))
    Options.Cubins.Runtime = findNvrtc(S, Options.Cubins, Analysis.program());
  Options.Run = Program.Run;
  Options.Injection = Program.Injection;
  Options.Parameters = Program.Parameters;
  Options.Members = memberTableOf(Analysis);
  Options.WriteOnly = writeOnlyTableOf(Analysis);
  Options.WorkFolder = Program.WorkFolder;
  if (S.Line.Launch)
    Options.Launch = {LaunchChoice::Ordinal, *S.Line.Launch - 1};
  Options.RelativeTolerance = Chosen.Tolerance;
  Options.TimingBudget =
      std::min(Program.TimingBudget,
               std::chrono::milliseconds(int64_t(1000 * MostReplayTiming)));
  Options.StartLimit = Program.OriginalTimeLimit;
  Options.Gpus = S.Line.Gpus;
  Options.MemoryBandwidthGBs = S.Gpu->MemoryBandwidthGBs;
  Options.StopFlag = Program.StopFlag;
  return Options;
}

static std::unique_ptr<MeasureEngine>
makeMeasuringEngine(const Setup &S, const Settings &Chosen,
                    const CompileUnit &Unit, const ProgramAnalysis &Analysis,
                    llvm::StringRef WorkFolder) {
  ProgramEngineOptions Options =
      programOptions(S, Chosen, Unit, Analysis, WorkFolder);
  bool HasCompiler = S.Toolkit && !S.Toolkit->NvccPath.empty();
  if (S.Line.Engine == MeasureBy::Program || !HasCompiler)
    return makeProgramEngine(std::move(Options));
  ReplayEngineOptions Replay =
      replayOptions(S, Chosen, Unit, Options, Analysis);
  return makeReplayEngine(std::move(Replay),
                          makeProgramEngine(std::move(Options)));
}

std::unique_ptr<MeasureEngine>
cudal1::makeEngine(const Setup &S, const Settings &Chosen,
                   const CompileUnit &Unit, const ProgramAnalysis &Analysis,
                   llvm::StringRef WorkFolder) {
  std::unique_ptr<MeasureEngine> Engine =
      makeMeasuringEngine(S, Chosen, Unit, Analysis, WorkFolder);
  return keepResults(std::move(Engine), S, Chosen, Unit, Analysis.program());
}

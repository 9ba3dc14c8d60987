//===- EmulatedCheck.cpp - Verifying rewrites without a GPU ---------------===//

#include "EmulatedCheck.h"
#include "cudal1/Emulator/EmulationSetup.h"
#include "cudal1/Measure/EmulatorEngine.h"
#include "cudal1/Report/Report.h"
#include "cudal1/Search/ElementLayouts.h"

using namespace cudal1;

/// Builds the unit with sources in place. \p AsWritten: with every access that
/// they make.
static EmulationBuild buildFunction(const Setup &S, const CompileUnit &Unit,
                                    bool AsWritten) {
  EmulationSpec Spec = emulationSpecFor(Unit, S.Toolkit ? &*S.Toolkit : nullptr,
                                        S.ResourceDir, S.Executable);
  Spec.Checks = EmulationChecks::Races;
  Spec.KeepAccesses = AsWritten;
  return [Spec](llvm::ArrayRef<SourceReplacement> Sources,
                const std::string &OutputPath)
             -> llvm::Expected<std::vector<std::string>> {
    SourceOverlay Overlay;
    for (const SourceReplacement &Source : Sources)
      Overlay[Source.OriginalPath] = Source.Text;
    llvm::Expected<EmulatedProgram> Program =
        buildEmulated(Spec, Overlay, OutputPath);
    if (!Program)
      return Program.takeError();
    return Program->Unsupported;
  };
}

static RunSpec runSpecFor(const Setup &S, const Settings &Chosen) {
  RunSpec Spec;
  Spec.Arguments = S.Line.EmulateArgs ? *S.Line.EmulateArgs : Chosen.RunArgs;
  Spec.StdinFile = Chosen.StdinFile;
  Spec.Environment = Chosen.Environment;
  for (const std::string &File : Chosen.OutputFiles)
    Spec.OutputFiles.push_back({File, {}});
  return Spec;
}

llvm::Expected<std::unique_ptr<EmulatedCheck>>
EmulatedCheck::prepare(const Setup &S, const Settings &Chosen,
                       const CompileUnit &Unit, RewriteSession &Session) {
  if (!Chosen.BuildCommand.empty())
    return llvm::createStringError(
        "a project with a build command is not emulated as a whole");
  llvm::Expected<TemporaryFolder> Folder =
      TemporaryFolder::make(S.Line.WorkDir);
  if (!Folder)
    return Folder.takeError();
  std::unique_ptr<EmulatedCheck> Check(new EmulatedCheck(std::move(*Folder)));
  EmulatorEngineOptions Options;
  Options.Build = buildFunction(S, Unit, /*AsWritten=*/false);
  Options.BuildAsWritten = buildFunction(S, Unit, /*AsWritten=*/true);
  Options.Run = runSpecFor(S, Chosen);
  Options.Parameters = parameterTableOf(Session.analysis());
  Options.RelativeTolerance = Chosen.Tolerance;
  Options.WorkFolder = Check->Folder.path().str();
  if (S.Line.TimeLimitSeconds)
    Options.OriginalTimeLimit =
        std::chrono::milliseconds(int64_t(1000 * *S.Line.TimeLimitSeconds));
  Options.StopFlag = &S.Stop;
  Check->Engine = makeEmulatorEngine(std::move(Options));
  llvm::Expected<Baseline> Original = Check->Engine->prepare();
  if (!Original)
    return Original.takeError();
  Check->Original = std::move(*Original);
  Check->Problem = std::make_unique<ProgramProblem>(Session, *Check->Engine,
                                                    Check->Original);
  return Check;
}

llvm::Error EmulatedCheck::check(const Variant &V) {
  if (V.Rewrites.empty())
    return llvm::Error::success();
  Measurement M = Problem->measure(V);
  if (isRight(M.Outcome))
    return llvm::Error::success();
  return llvm::createStringError("emulation: " + toString(M.Outcome) + ": " +
                                 mainFinding(M));
}

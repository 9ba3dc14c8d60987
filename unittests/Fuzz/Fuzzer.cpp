//===- Fuzzer.cpp - One random program, rewritten and judged --------------===//

#include "Fuzzer.h"
#include "ProgramGenerator.h"
#include "SourceFaults.h"
#include "cudal1/Measure/Overlay.h"
#include "cudal1/Report/Report.h"
#include "cudal1/Search/ElementLayouts.h"
#include "cudal1/Search/SiteMatch.h"
#include "llvm/Support/FileSystem.h"
#include <random>

using namespace cudal1;
using namespace cudal1::fuzz;

/// Rewrites of one kernel at most.
static constexpr unsigned LongestSequence = 6;

/// Where programs run, in the temporary folder \p Folder. A run gets a mirror
/// of its folder and of some above: far enough down, none of these is the
/// system's folder for temporary files, which may be full.
static std::string runFolderIn(const TemporaryFolder &Folder) {
  std::string Path = Folder.path().str();
  for (unsigned I = 0; I <= Overlay::AncestorLevels; ++I)
    Path += "/run";
  return Path;
}

/// The header that generated programs include. It exists in memory only, so
/// that the tool can be copied to another machine.
static constexpr char HeaderFolder[] = "/cuda-l1-opt-fuzz";
static constexpr char HeaderText[] = {
#include "FuzzHeader.inc"
};

EmulationSpec fuzz::emulationOf(const std::string &File,
                                const BuildSetup &Setup) {
  EmulationSpec Spec;
  Spec.Input.File = File;
  Spec.Input.Directory = "/";
  Spec.Input.VirtualFiles[std::string(HeaderFolder) + "/cuda.h"] = HeaderText;
  auto Command = [&](const char *Side) {
    return std::vector<std::string>{"clang++",
                                    "-x",
                                    "cuda",
                                    "-std=c++17",
                                    "-O2",
                                    "--cuda-gpu-arch=sm_90",
                                    Side,
                                    "-nocudainc",
                                    "-nocudalib",
                                    "-resource-dir",
                                    Setup.ResourceDir,
                                    "-isystem",
                                    HeaderFolder,
                                    "-include",
                                    "cuda.h",
                                    File};
  };
  Spec.Input.DeviceArgs = Command("--cuda-device-only");
  Spec.Input.HostArgs = Command("--cuda-host-only");
  Spec.Checks = EmulationChecks::Races;
  Spec.HostCompiler = Setup.HostCompiler;
  Spec.RuntimeLibrary = Setup.RuntimeLibrary;
  return Spec;
}

EmulationBuild fuzz::buildFunction(EmulationSpec Spec, SourceOverlay Sources) {
  return [Spec, Sources](llvm::ArrayRef<SourceReplacement> Replaced,
                         const std::string &OutputPath)
             -> llvm::Expected<std::vector<std::string>> {
    SourceOverlay Overlay = Sources;
    for (const SourceReplacement &Source : Replaced)
      Overlay[Source.OriginalPath] = Source.Text;
    llvm::Expected<EmulatedProgram> Program =
        buildEmulated(Spec, Overlay, OutputPath);
    if (!Program)
      return Program.takeError();
    return Program->Unsupported;
  };
}

llvm::Error Fuzzer::begin(const std::vector<uint64_t> &KernelSeeds) {
  Text = generateProgram(KernelSeeds);
  Spec = emulationOf(Folder.file("program.cu"), Setup);
  llvm::Expected<std::unique_ptr<Program>> P =
      Program::parse(Spec.Input, {{Spec.Input.File, Text}});
  if (!P)
    return P.takeError();
  Problem.reset();
  Session = std::make_unique<RewriteSession>(std::move(*P), Rules, Filter);
  EmulatorEngineOptions Options;
  Options.Build = buildFunction(Spec, {{Spec.Input.File, Text}});
  Options.Run.WorkingDirectory = runFolderIn(Folder);
  if (std::error_code Code =
          llvm::sys::fs::create_directories(Options.Run.WorkingDirectory))
    return llvm::createStringError(
        Code, "cannot make the folder '" + Options.Run.WorkingDirectory + "'");
  Options.Parameters = parameterTableOf(Session->analysis());
  Options.WorkFolder = Folder.path().str();
  Engine = makeEmulatorEngine(std::move(Options));
  llvm::Expected<Baseline> B = Engine->prepare();
  if (!B)
    return B.takeError();
  Original = std::move(*B);
  Problem = std::make_unique<ProgramProblem>(*Session, *Engine, *Original);
  return llvm::Error::success();
}

/// A random walk over the sites of one kernel.
void Fuzzer::rewriteKernel(const std::string &Kernel, uint64_t Seed,
                           Outcome &O) {
  std::mt19937_64 Random(Seed ^ 0x5eed);
  unsigned Wanted = 1 + unsigned(Random() % LongestSequence);
  bool Changed = false;
  for (unsigned Step = 0; Step < Wanted; ++Step) {
    std::vector<const Site *> Sites;
    for (const Site &S : Session->sites())
      if (S.TheKernel && S.TheKernel->Name == Kernel)
        Sites.push_back(&S);
    if (Sites.empty())
      break;
    const Site &Chosen = *Sites[Random() % Sites.size()];
    const RewriteParams &Params =
        Chosen.Choices[Random() % Chosen.Choices.size()];
    std::string What = Chosen.TheRule->name().str();
    llvm::Expected<Variant> V = Session->apply(Chosen, Params);
    if (!V) {
      llvm::consumeError(V.takeError());
      continue;
    }
    if (llvm::Error E = Session->advance(*V)) {
      O.Problem = What + " makes a source that does not parse: " +
                  llvm::toString(std::move(E));
      return;
    }
    ++O.Rewrites[What];
    Changed = true;
  }
  O.Sequences += Changed;
}

/// \p V with the first use of its output buffer moved by one element.
static Variant withFault(Variant V, const std::string &File) {
  std::string &Text = V.Texts[File];
  size_t At = Text.find("c[i");
  if (At != std::string::npos)
    Text.insert(At + 2, "1 + ");
  return V;
}

/// Empty if \p V is right.
std::string Fuzzer::judge(const Variant &V) {
  Measurement M =
      Problem->measure(PlantFault ? withFault(V, Spec.Input.File) : V);
  if (isRight(M.Outcome))
    return "";
  std::string Text = toString(M.Outcome).str();
  for (const std::string &Sentence : M.Evidence)
    Text += "\n  " + Sentence;
  return Text;
}

llvm::Expected<Outcome>
Fuzzer::check(const std::vector<uint64_t> &KernelSeeds) {
  llvm::Expected<std::vector<uint64_t>> Sound =
      kernelsWithoutFaults(KernelSeeds, Setup, Folder);
  if (!Sound)
    return Sound.takeError();
  Outcome O;
  O.Skipped = unsigned(KernelSeeds.size() - Sound->size());
  if (Sound->empty())
    return O;
  if (llvm::Error E = begin(*Sound))
    return std::move(E);
  // No race, and yet the order of threads shows: nothing to compare with.
  if (!Original->NonDeterminism.empty()) {
    O.Skipped = unsigned(KernelSeeds.size());
    return O;
  }
  for (size_t I = 0; I < Sound->size() && O.Problem.empty(); ++I)
    rewriteKernel("kernel" + std::to_string(I), (*Sound)[I], O);
  if (O.Problem.empty() && !O.Rewrites.empty())
    O.Problem = judge(Session->current());
  return O;
}

/// Takes the session back to the original and through \p Steps.
llvm::Error Fuzzer::replay(const std::vector<Rewrite> &Steps) {
  Variant Start;
  Start.Texts = {{Spec.Input.File, Text}};
  if (llvm::Error E = Session->advance(Start))
    return E;
  for (const Rewrite &Step : Steps) {
    std::optional<Action> Found = findAgain(Session->sites(), Step);
    if (!Found)
      return llvm::createStringError("the step is not there any more");
    llvm::Expected<Variant> V = Session->apply(*Found->Where, *Found->Params);
    if (!V)
      return V.takeError();
    if (llvm::Error E = Session->advance(*V))
      return E;
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> Fuzzer::explain(uint64_t KernelSeed) {
  llvm::Expected<Outcome> O = check({KernelSeed});
  if (!O)
    return O.takeError();
  if (O->Problem.empty())
    return "";
  std::vector<Rewrite> Steps = Session->current().Rewrites;
  Variant Smallest = Session->current();
  // Leave out one step after the other, as long as it stays wrong.
  for (size_t I = Steps.size(); I-- > 0 && Steps.size() > 1;) {
    std::vector<Rewrite> Fewer = Steps;
    Fewer.erase(Fewer.begin() + ptrdiff_t(I));
    if (llvm::Error E = replay(Fewer)) {
      llvm::consumeError(std::move(E));
      continue;
    }
    std::string Still = judge(Session->current());
    if (Still.empty())
      continue;
    O->Problem = Still;
    Smallest = Session->current();
    Steps = std::move(Fewer);
  }
  std::string Report;
  llvm::raw_string_ostream OS(Report);
  OS << "counterexample, kernel seed " << KernelSeed << ": " << O->Problem
     << "\n";
  for (const Rewrite &Step : Steps)
    OS << "step: " << Step.Rule << " " << toString(Step.Params) << " at line "
       << Step.Line << ": " << Step.Description << "\n";
  OS << "--- original\n"
     << Text << "--- variant\n"
     << Smallest.Texts[Spec.Input.File] << "---\n";
  return Report;
}

std::string fuzz::describe(llvm::Error E) {
  std::string Text;
  llvm::handleAllErrors(
      std::move(E), [&](const ParseError &P) { Text = P.Diagnostics; },
      [&](const llvm::ErrorInfoBase &Other) { Text = Other.message(); });
  return Text;
}

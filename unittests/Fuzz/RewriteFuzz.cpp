//===- RewriteFuzz.cpp - Random rewrites of random programs ---------------===//
//
// Generates programs, applies random sequences of legal rewrites to their
// kernels, runs original and result in the emulator in several orders, and
// compares. A difference is shrunk to one kernel and few rewrites and printed.
//
//   cudal1-rewrite-fuzz [--seed N] [--sequences N] [--kernels N] [--class C]
//
//===----------------------------------------------------------------------===//

#include "ProgramGenerator.h"
#include "cudal1/Emulator/EmulatedProgram.h"
#include "cudal1/Measure/EmulatorEngine.h"
#include "cudal1/Report/Report.h"
#include "cudal1/Search/ElementLayouts.h"
#include "cudal1/Search/ProgramProblem.h"
#include "cudal1/Search/RewriteSession.h"
#include "cudal1/Search/SiteMatch.h"
#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <random>

using namespace cudal1;
namespace cl = llvm::cl;

static cl::OptionCategory Category("cudal1-rewrite-fuzz options");
static cl::opt<uint64_t> FirstSeed("seed", cl::desc("First seed"), cl::init(1),
                                   cl::cat(Category));
static cl::opt<unsigned> WantedSequences("sequences",
                                         cl::desc("Rewritten kernels to check"),
                                         cl::init(100), cl::cat(Category));
static cl::opt<unsigned> KernelsPerProgram("kernels",
                                           cl::desc("Kernels of one program"),
                                           cl::init(6), cl::cat(Category));
static cl::opt<std::string>
    RuleGlobs("rules", cl::desc("Rules to use, as in cuda-l1-opt"),
              cl::cat(Category));
static cl::opt<std::string> Class("class",
                                  cl::desc("Weakest fp class (reassociate)"),
                                  cl::init("reassociate"), cl::cat(Category));
static cl::opt<bool>
    PlantFault("plant-fault",
               cl::desc("Make every variant wrong, to see that it is noticed"),
               cl::cat(Category));
static cl::opt<bool> Verbose("verbose", cl::desc("Print each program's fate"),
                             cl::cat(Category));

/// Rewrites of one kernel at most.
static constexpr unsigned LongestSequence = 6;
/// A counterexample ends the run after this many, so that a broken rule does
/// not hide the others.
static constexpr unsigned MostCounterexamples = 5;

namespace {

/// What one program came to.
struct Outcome {
  unsigned Sequences = 0; ///< kernels that at least one rewrite changed
  unsigned Rewrites = 0;
  std::string Problem; ///< empty if the variant is right
};

class Fuzzer {
public:
  Fuzzer(const RuleList &Rules, SiteFilter Filter,
         const TemporaryFolder &Folder)
      : Rules(Rules), Filter(Filter), Folder(Folder) {}

  /// Checks the program of these kernels, rewritten at random.
  llvm::Expected<Outcome> check(const std::vector<uint64_t> &KernelSeeds);
  /// Prints the counterexample that \p KernelSeed gives, if it does so alone,
  /// with as few rewrites as show it.
  llvm::Expected<bool> explain(uint64_t KernelSeed);

private:
  llvm::Error begin(const std::vector<uint64_t> &KernelSeeds);
  void rewriteKernel(const std::string &Kernel, uint64_t Seed, Outcome &O);
  llvm::Error replay(const std::vector<Rewrite> &Steps);
  std::string judge(const Variant &V);

  const RuleList &Rules;
  SiteFilter Filter;
  const TemporaryFolder &Folder;
  ParseInput Input;
  std::string Text;
  std::unique_ptr<RewriteSession> Session;
  std::unique_ptr<MeasureEngine> Engine;
  std::optional<Baseline> Original;
  std::unique_ptr<ProgramProblem> Problem;
};

} // namespace

static ParseInput inputFor(const std::string &File) {
  ParseInput Input;
  Input.File = File;
  Input.Directory = "/";
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
                                    CUDAL1_CLANG_RESOURCE_DIR,
                                    "-isystem",
                                    CUDAL1_SOURCE_DIR
                                    "/test/Inputs/runnable-cuda",
                                    "-include",
                                    "cuda.h",
                                    File};
  };
  Input.DeviceArgs = Command("--cuda-device-only");
  Input.HostArgs = Command("--cuda-host-only");
  return Input;
}

static EmulationBuild buildFunction(const ParseInput &Input,
                                    const std::string &Text) {
  EmulationSpec Spec;
  Spec.Input = Input;
  Spec.Checks = EmulationChecks::Races;
  Spec.RuntimeLibrary = CUDAL1_EMULATOR_LIBRARY;
  return [Spec, Text](llvm::ArrayRef<SourceReplacement> Sources,
                      const std::string &OutputPath)
             -> llvm::Expected<std::vector<std::string>> {
    SourceOverlay Overlay{{Spec.Input.File, Text}};
    for (const SourceReplacement &Source : Sources)
      Overlay[Source.OriginalPath] = Source.Text;
    llvm::Expected<EmulatedProgram> Program =
        buildEmulated(Spec, Overlay, OutputPath);
    if (!Program)
      return Program.takeError();
    return Program->Unsupported;
  };
}

llvm::Error Fuzzer::begin(const std::vector<uint64_t> &KernelSeeds) {
  Text = fuzz::generateProgram(KernelSeeds);
  Input = inputFor(Folder.file("program.cu"));
  llvm::Expected<std::unique_ptr<Program>> P =
      Program::parse(Input, {{Input.File, Text}});
  if (!P)
    return P.takeError();
  Problem.reset();
  Session = std::make_unique<RewriteSession>(std::move(*P), Rules, Filter);
  EmulatorEngineOptions Options;
  Options.Build = buildFunction(Input, Text);
  Options.Run.WorkingDirectory = Folder.path().str();
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
  unsigned Wanted = 1 + unsigned(Random() % LongestSequence), Made = 0;
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
    ++Made;
  }
  O.Rewrites += Made;
  O.Sequences += Made > 0;
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
  Measurement M = Problem->measure(PlantFault ? withFault(V, Input.File) : V);
  if (isRight(M.Outcome))
    return "";
  std::string Text = toString(M.Outcome).str();
  for (const std::string &Sentence : M.Evidence)
    Text += "\n  " + Sentence;
  return Text;
}

llvm::Expected<Outcome>
Fuzzer::check(const std::vector<uint64_t> &KernelSeeds) {
  if (llvm::Error E = begin(KernelSeeds))
    return std::move(E);
  Outcome O;
  for (size_t I = 0; I < KernelSeeds.size() && O.Problem.empty(); ++I)
    rewriteKernel("kernel" + std::to_string(I), KernelSeeds[I], O);
  if (O.Problem.empty() && O.Rewrites)
    O.Problem = judge(Session->current());
  return O;
}

/// Takes the session back to the original and through \p Steps.
llvm::Error Fuzzer::replay(const std::vector<Rewrite> &Steps) {
  Variant Start;
  Start.Texts = {{Input.File, Text}};
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

llvm::Expected<bool> Fuzzer::explain(uint64_t KernelSeed) {
  llvm::Expected<Outcome> O = check({KernelSeed});
  if (!O)
    return O.takeError();
  if (O->Problem.empty())
    return false;
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
  llvm::outs() << "counterexample, kernel seed " << KernelSeed << ": "
               << O->Problem << "\n";
  for (const Rewrite &Step : Steps)
    llvm::outs() << "step: " << Step.Rule << " " << toString(Step.Params)
                 << " at line " << Step.Line << ": " << Step.Description
                 << "\n";
  llvm::outs() << "--- original\n"
               << Text << "--- variant\n"
               << Smallest.Texts[Input.File] << "---\n";
  return true;
}

static std::string describe(llvm::Error E) {
  std::string Text;
  llvm::handleAllErrors(
      std::move(E), [&](const ParseError &P) { Text = P.Diagnostics; },
      [&](const llvm::ErrorInfoBase &Other) { Text = Other.message(); });
  return Text;
}

static int run() {
  RuleList Rules = RuleList::all();
  if (llvm::Error E = Rules.select(RuleGlobs)) {
    llvm::errs() << describe(std::move(E)) << "\n";
    return 2;
  }
  SiteFilter Filter;
  Filter.Weakest = parseFpClass(Class).value_or(FpClass::Reassociate);
  llvm::Expected<TemporaryFolder> Folder = TemporaryFolder::make();
  if (!Folder) {
    llvm::errs() << describe(Folder.takeError()) << "\n";
    return 2;
  }
  Fuzzer Fuzz(Rules, Filter, *Folder);
  unsigned Sequences = 0, Rewrites = 0, Programs = 0, Wrong = 0;
  uint64_t Seed = FirstSeed;
  auto Start = std::chrono::steady_clock::now();
  while (Sequences < WantedSequences && Wrong < MostCounterexamples) {
    std::vector<uint64_t> Seeds;
    for (unsigned I = 0; I < KernelsPerProgram; ++I)
      Seeds.push_back(Seed++);
    llvm::Expected<Outcome> O = Fuzz.check(Seeds);
    if (!O) {
      llvm::outs() << "seed " << Seeds.front()
                   << ": the original fails: " << describe(O.takeError())
                   << "\n"
                   << fuzz::generateProgram(Seeds);
      return 1;
    }
    ++Programs;
    Sequences += O->Sequences;
    Rewrites += O->Rewrites;
    if (Verbose)
      llvm::outs() << "seed " << Seeds.front() << ": " << O->Rewrites
                   << " rewrites" << (O->Problem.empty() ? "" : ", wrong")
                   << "\n";
    if (O->Problem.empty())
      continue;
    ++Wrong;
    bool Explained = false;
    for (uint64_t One : Seeds) {
      llvm::Expected<bool> Found = Fuzz.explain(One);
      if (!Found)
        llvm::outs() << describe(Found.takeError()) << "\n";
      else
        Explained |= *Found;
    }
    if (!Explained)
      llvm::outs() << "seeds " << Seeds.front() << " to " << Seeds.back()
                   << " are wrong together only: " << O->Problem << "\n";
  }
  double Seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
          .count();
  llvm::outs() << "seeds " << FirstSeed << " to " << Seed - 1 << ": "
               << Sequences << " sequences, " << Rewrites << " rewrites, "
               << Programs << " programs, " << Wrong << " wrong, "
               << int(Seconds) << " s\n";
  return Wrong ? 1 : 0;
}

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(Argc, Argv,
                              "Random rewrites of random CUDA programs\n");
  return run();
}

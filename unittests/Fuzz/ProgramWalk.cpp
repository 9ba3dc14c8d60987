//===- ProgramWalk.cpp - Random rewrites of a given program ---------------===//

#include "ProgramWalk.h"
#include "cudal1/Emulator/EmulationSetup.h"
#include "cudal1/Frontend/Toolchain.h"
#include "cudal1/Report/Report.h"
#include "cudal1/Search/ElementLayouts.h"
#include "cudal1/Search/RandomSearch.h"

using namespace cudal1;
using namespace cudal1::fuzz;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static llvm::Expected<EmulationSpec> specFor(const std::string &File,
                                             const BuildSetup &Setup,
                                             llvm::StringRef Executable) {
  llvm::Expected<UnitResolver> Resolver = UnitResolver::create({});
  if (!Resolver)
    return Resolver.takeError();
  llvm::Expected<CompileUnit> Unit = Resolver->resolve(File);
  if (!Unit)
    return Unit.takeError();
  llvm::Expected<CudaToolkit> Toolkit =
      findCudaToolkit(ToolkitSearch::fromEnvironment(""));
  if (!Toolkit)
    return Toolkit.takeError();
  EmulationSpec Spec =
      emulationSpecFor(*Unit, &*Toolkit, Setup.ResourceDir, Executable);
  Spec.Checks = EmulationChecks::Races;
  Spec.HostCompiler = Setup.HostCompiler;
  return Spec;
}

namespace {

/// Counts rewrites, and prints what is wrong.
class Witness : public SearchObserver {
public:
  void measured(const Attempt &A, unsigned) override {
    ++Judged;
    for (const Rewrite &R : A.What.Rewrites)
      ++Rewrites[R.Rule];
    Unsupported += A.Result.Outcome == Verdict::Unsupported;
    if (isRight(A.Result.Outcome) || A.Result.Outcome == Verdict::Unsupported)
      return;
    ++Wrong;
    llvm::outs() << toString(A.Result.Outcome) << ": " << A.What.str() << "\n";
    for (const std::string &Sentence : A.Result.Evidence)
      llvm::outs() << "  " << Sentence << "\n";
    llvm::outs().flush();
  }
  void note(llvm::StringRef Sentence) override {
    ++Wrong;
    llvm::outs() << "a fault of a rule: " << Sentence << "\n";
  }

  unsigned Judged = 0, Wrong = 0, Unsupported = 0;
  std::map<std::string, unsigned> Rewrites;
};

} // namespace

llvm::Expected<int> fuzz::judgeProgram(const ProgramWalk &Walk,
                                       const RuleList &Rules, SiteFilter Filter,
                                       const BuildSetup &Setup,
                                       llvm::StringRef Executable,
                                       const TemporaryFolder &Folder) {
  llvm::Expected<EmulationSpec> Spec = specFor(Walk.File, Setup, Executable);
  if (!Spec)
    return Spec.takeError();
  llvm::Expected<std::unique_ptr<Program>> P = Program::parse(Spec->Input, {});
  if (!P)
    return P.takeError();
  RewriteSession Session(std::move(*P), Rules, Filter);
  EmulatorEngineOptions Options;
  EmulationSpec AsWritten = *Spec;
  AsWritten.KeepAccesses = true;
  Options.Build = buildFunction(*Spec, {});
  Options.BuildAsWritten = buildFunction(AsWritten, {});
  Options.Run.Arguments = Walk.Arguments;
  Options.Parameters = parameterTableOf(Session.analysis());
  Options.WorkFolder = Folder.path().str();
  std::unique_ptr<MeasureEngine> Engine =
      makeEmulatorEngine(std::move(Options));
  llvm::Expected<Baseline> Original = Engine->prepare();
  if (!Original)
    return Original.takeError();
  ProgramProblem Problem(Session, *Engine, *Original);
  Witness Seen;
  SearchContext Context;
  Context.Budget.Seconds = std::numeric_limits<double>::infinity();
  Context.Budget.MaxVariants = Walk.Sequences;
  Context.Seed = Walk.Seed;
  Context.Now = now;
  Context.Observer = &Seen;
  RandomSearch().run(Problem, Context);
  unsigned Rewrites = 0;
  for (const auto &[Rule, Count] : Seen.Rewrites)
    Rewrites += Count;
  llvm::outs() << Walk.File << ": " << Seen.Judged << " sequences judged, "
               << Rewrites << " rewrites, " << Seen.Wrong << " wrong, "
               << Seen.Unsupported << " not emulated\n";
  for (const auto &[Rule, Count] : Seen.Rewrites)
    llvm::outs() << "  " << Count << " x " << Rule << "\n";
  return Seen.Wrong ? 1 : 0;
}

//===- RewriteFuzz.cpp - Random rewrites of random programs ---------------===//
//
// Generates programs, applies random sequences of legal rewrites to their
// kernels, runs original and result in the emulator in several orders, and
// compares. A difference is shrunk to one kernel and few rewrites and printed.
//
//   cudal1-rewrite-fuzz [--seed N] [--sequences N] [--jobs N] [--kernels N]
//   cudal1-rewrite-fuzz --program FILE [--args "33"] [--seed N] [--sequences N]
//
// With --program it rewrites that program instead of random ones.
//
// Needs a C++ compiler that links, and beside its bin/ what a shipped
// cuda-l1-opt has there: lib/libcudal1_emulator.a and Clang's headers.
//
//===----------------------------------------------------------------------===//

#include "FuzzRun.h"
#include "ProgramWalk.h"
#include "cudal1/Frontend/Toolchain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
using namespace cudal1::fuzz;
namespace cl = llvm::cl;
namespace path = llvm::sys::path;

static cl::OptionCategory Category("cudal1-rewrite-fuzz options");
static cl::opt<uint64_t> FirstSeed("seed", cl::desc("First seed"), cl::init(1),
                                   cl::cat(Category));
static cl::opt<unsigned> WantedSequences("sequences",
                                         cl::desc("Rewritten kernels to judge"),
                                         cl::init(100), cl::cat(Category));
static cl::opt<unsigned> Jobs("jobs", cl::desc("Processes at a time"),
                              cl::init(1), cl::cat(Category));
static cl::opt<unsigned>
    MostAlarms("alarms",
               cl::desc("Begin nothing new after so many wrong programs (5)"),
               cl::init(5), cl::cat(Category));
static cl::opt<unsigned> KernelsPerProgram("kernels",
                                           cl::desc("Kernels of one program"),
                                           cl::init(6), cl::cat(Category));
static cl::opt<std::string>
    ProgramFile("program", cl::desc("Rewrite this program, not random ones"),
                cl::cat(Category));
static cl::opt<std::string> ProgramArguments("args", cl::desc("Its arguments"),
                                             cl::cat(Category));
static cl::opt<std::string>
    RuleGlobs("rules", cl::desc("Rules to use, as in cuda-l1-opt"),
              cl::cat(Category));
static cl::opt<std::string> Class("class",
                                  cl::desc("Weakest fp class (reassociate)"),
                                  cl::init("reassociate"), cl::cat(Category));
static cl::opt<std::string> HostCompiler("ccbin",
                                         cl::desc("Compiler that links (c++)"),
                                         cl::init("c++"), cl::cat(Category));
static cl::opt<bool>
    PlantFault("plant-fault",
               cl::desc("Make every variant wrong, to see that it is noticed"),
               cl::cat(Category));
// What the tool tells the processes that it starts.
static cl::opt<unsigned> BatchPrograms("programs", cl::Hidden,
                                       cl::cat(Category));
static cl::opt<std::string> BatchResult("result", cl::Hidden,
                                        cl::cat(Category));

static int fail(llvm::Error E) {
  llvm::errs() << "cudal1-rewrite-fuzz: " << describe(std::move(E)) << "\n";
  return 2;
}

static SiteFilter siteFilter() {
  SiteFilter Filter;
  Filter.Weakest = parseFpClass(Class).value_or(FpClass::Reassociate);
  return Filter;
}

/// One batch, in this process.
static int judge(const RuleList &Rules, const TemporaryFolder &Folder,
                 BuildSetup Setup) {
  SiteFilter Filter = siteFilter();
  Fuzzer Fuzz(Rules, Filter, Folder, std::move(Setup));
  if (PlantFault)
    Fuzz.plantFaults();
  Tally Came = judgeBatch(Fuzz, {FirstSeed, BatchPrograms}, KernelsPerProgram);
  std::error_code Problem;
  llvm::raw_fd_ostream Out(BatchResult, Problem);
  if (Problem)
    return fail(llvm::createStringError(Problem, "cannot write '%s'",
                                        BatchResult.c_str()));
  Out << Came.toJson();
  return 0;
}

static int run(llvm::ArrayRef<const char *> Argv) {
  RuleList Rules = RuleList::all();
  if (llvm::Error E = Rules.select(RuleGlobs))
    return fail(std::move(E));
  llvm::Expected<TemporaryFolder> Folder = TemporaryFolder::make();
  if (!Folder)
    return fail(Folder.takeError());
  std::string Executable = llvm::sys::fs::getMainExecutable(
      Argv[0], reinterpret_cast<void *>(&fail));
  llvm::Expected<std::string> Headers =
      findResourceDir(ResourceDirSearch::forExecutable(Executable, ""));
  if (!Headers)
    return fail(Headers.takeError());
  llvm::SmallString<128> Library(
      path::parent_path(path::parent_path(Executable)));
  path::append(Library, "lib", "libcudal1_emulator.a");
  if (!llvm::sys::fs::exists(Library))
    return fail(llvm::createStringError(
        "there is no '%s': put it there, or build the target cudal1_emulator",
        Library.c_str()));
  BuildSetup Setup{*Headers, Library.str().str(), HostCompiler};
  if (BatchPrograms)
    return judge(Rules, *Folder, std::move(Setup));
  if (!ProgramFile.empty()) {
    ProgramWalk Walk{ProgramFile, {}, WantedSequences, FirstSeed};
    for (llvm::StringRef Word : llvm::split(ProgramArguments.getValue(), ' '))
      if (!Word.empty())
        Walk.Arguments.push_back(Word.str());
    llvm::Expected<int> Came =
        judgeProgram(Walk, Rules, siteFilter(), Setup, Executable, *Folder);
    return Came ? *Came : fail(Came.takeError());
  }
  RunPlan Plan;
  Plan.FirstSeed = FirstSeed;
  Plan.Sequences = WantedSequences;
  Plan.KernelsPerProgram = std::max(1u, KernelsPerProgram.getValue());
  Plan.Jobs = Jobs;
  Plan.MostAlarms = MostAlarms;
  Plan.Folder = Folder->path().str();
  Plan.Worker = {
      Executable, "--kernels=" + std::to_string(Plan.KernelsPerProgram),
      "--rules=" + RuleGlobs, "--class=" + Class, "--ccbin=" + HostCompiler};
  if (PlantFault)
    Plan.Worker.push_back("--plant-fault");
  llvm::outs() << "Clang's headers: " << *Headers << "\n";
  return runAll(Plan);
}

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(Argc, Argv,
                              "Random rewrites of random CUDA programs\n");
  return run(llvm::ArrayRef<const char *>(Argv, size_t(Argc)));
}

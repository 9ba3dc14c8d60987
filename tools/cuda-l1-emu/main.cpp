//===- main.cpp - cuda-l1-emu: run a CUDA program on the CPU --------------===//

#include "Comparison.h"
#include "cudal1/Emulator/EmulationSetup.h"
#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace cudal1;
using llvm::StringRef;
namespace cl = llvm::cl;

static cl::OptionCategory Category("cuda-l1-emu options");
static cl::opt<std::string>
    InputFile(cl::Positional, cl::Required,
              cl::desc("file.cu [-- program arguments]"), cl::cat(Category));
static cl::opt<std::string>
    OutputFile("o", cl::desc("Keep the program here and do not run it"),
               cl::value_desc("file"), cl::cat(Category));
static cl::opt<std::string>
    BuildDir("p", cl::desc("Folder with compile_commands.json"),
             cl::value_desc("folder"), cl::cat(Category));
static cl::opt<std::string>
    CompileFlags("flags",
                 cl::desc("Flags to compile with, nvcc's or Clang's, in one "
                          "argument as a shell splits it"),
                 cl::value_desc("flags"), cl::cat(Category));
static cl::opt<std::string> CudaPath("cuda-path",
                                     cl::desc("The CUDA Toolkit's folder"),
                                     cl::value_desc("folder"),
                                     cl::cat(Category));
static cl::opt<std::string> ResourceDir("resource-dir",
                                        cl::desc("Clang's own headers"),
                                        cl::value_desc("folder"), cl::Hidden,
                                        cl::cat(Category));
static cl::opt<std::string>
    Arch("arch", cl::desc("GPU to compile for, e.g. sm_90"), cl::cat(Category));
static cl::opt<EmulationChecks> CheckLevel(
    "checks", cl::desc("What to watch for (default: memory)"),
    cl::values(clEnumValN(EmulationChecks::None, "none", "nothing"),
               clEnumValN(EmulationChecks::Memory, "memory",
                          "bounds, lifetimes, uninitialised memory, alignment"),
               clEnumValN(EmulationChecks::Races, "races",
                          "the same and data races (one block at a time)")),
    cl::init(EmulationChecks::Memory), cl::cat(Category));
static cl::opt<std::string>
    Order("order",
          cl::desc("Order of blocks and threads: forward, reverse, "
                   "random:SEED, ahead:WARP"),
          cl::init("forward"), cl::cat(Category));
static cl::opt<unsigned>
    Workers("workers",
            cl::desc("Blocks that run at once (default: one a core)"),
            cl::init(0), cl::cat(Category));
static cl::opt<std::string>
    FindingsFile("findings",
                 cl::desc("Write what was found here, one JSON object a line"),
                 cl::value_desc("file"), cl::cat(Category));
static cl::opt<std::string>
    DeviceIr("device-ir", cl::desc("Write the device side's LLVM IR here"),
             cl::value_desc("file"), cl::Hidden, cl::cat(Category));
static cl::opt<std::string>
    Against("against",
            cl::desc("Compare with this version of the file: same results, no "
                     "fault that it does not have?"),
            cl::value_desc("file.cu"), cl::cat(Category));
static cl::opt<std::string> Class(
    "fp-class",
    cl::desc("How far results may differ with --against: exact (default), "
             "reassociate, approximate, reduced-precision"),
    cl::init("exact"), cl::cat(Category));
static cl::opt<std::string> HostCompiler("ccbin",
                                         cl::desc("Compiler driver that links"),
                                         cl::init("c++"), cl::cat(Category));

/// The tool's own failures; the program's exit code is its own.
static constexpr int ExitFailure = 125;

static int fail(llvm::Error E) {
  llvm::handleAllErrors(
      std::move(E),
      [](const ParseError &Parse) {
        llvm::errs() << Parse.Diagnostics;
        llvm::WithColor::error(llvm::errs(), "cuda-l1-emu")
            << Parse.message() << '\n';
      },
      [](const llvm::ErrorInfoBase &Other) {
        llvm::WithColor::error(llvm::errs(), "cuda-l1-emu")
            << Other.message() << '\n';
      });
  return ExitFailure;
}

static std::vector<std::string> splitFlags(StringRef Text) {
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver(Allocator);
  llvm::SmallVector<const char *> Words;
  llvm::cl::TokenizeGNUCommandLine(Text, Saver, Words);
  return {Words.begin(), Words.end()};
}

static llvm::Expected<EmulationSpec> specFor(StringRef File,
                                             StringRef Executable) {
  auto Headers = findResourceDir(
      ResourceDirSearch::forExecutable(Executable, ResourceDir));
  if (!Headers)
    return Headers.takeError();
  UnitOptions Options;
  if (BuildDir.getNumOccurrences())
    Options.BuildDir = BuildDir;
  if (CompileFlags.getNumOccurrences())
    Options.Flags = splitFlags(CompileFlags);
  Options.ArchOverride = Arch;
  llvm::Expected<UnitResolver> Resolver = UnitResolver::create(Options);
  if (!Resolver)
    return Resolver.takeError();
  llvm::Expected<CompileUnit> Unit = Resolver->resolve(File);
  if (!Unit)
    return Unit.takeError();
  std::optional<CudaToolkit> Toolkit;
  if (Unit->needsToolkit()) {
    auto Found = findCudaToolkit(ToolkitSearch::fromEnvironment(CudaPath));
    if (!Found)
      return Found.takeError();
    Toolkit = *Found;
  }
  EmulationSpec Spec = emulationSpecFor(*Unit, Toolkit ? &*Toolkit : nullptr,
                                        *Headers, Executable);
  Spec.Checks = CheckLevel;
  Spec.HostCompiler = HostCompiler;
  Spec.DeviceIrFile = DeviceIr;
  return Spec;
}

static void setVariable(const char *Name, const std::string &Value) {
  if (!Value.empty())
    ::setenv(Name, Value.c_str(), /*overwrite=*/1);
}

/// Runs the program and ends as it ended.
static int runProgram(const std::string &Path,
                      const std::vector<std::string> &Arguments) {
  std::vector<char *> Argv;
  std::string Name = InputFile;
  Argv.push_back(Name.data());
  std::vector<std::string> Copies = Arguments;
  for (std::string &Argument : Copies)
    Argv.push_back(Argument.data());
  Argv.push_back(nullptr);
  setVariable("CUDAL1_EMU_ORDER", Order);
  setVariable("CUDAL1_EMU_FINDINGS", FindingsFile);
  if (Workers)
    setVariable("CUDAL1_EMU_WORKERS", std::to_string(Workers));
  if (CheckLevel == EmulationChecks::Races)
    setVariable("CUDAL1_EMU_RACES", "1");
  pid_t Child = ::fork();
  if (Child == 0) {
    ::execv(Path.c_str(), Argv.data());
    ::_exit(ExitFailure);
  }
  // Ctrl-C is the program's; this process ends after it.
  ::signal(SIGINT, SIG_IGN);
  int Status = 0;
  if (Child < 0 || ::waitpid(Child, &Status, 0) < 0)
    return fail(llvm::createStringError("cannot start the emulated program"));
  if (!WIFSIGNALED(Status))
    return WEXITSTATUS(Status);
  llvm::errs() << "cuda-l1-emu: the program was ended by signal "
               << WTERMSIG(Status) << " (" << ::strsignal(WTERMSIG(Status))
               << ")\n";
  return 128 + WTERMSIG(Status);
}

/// Prints the verdict and what is behind it; 0 if the versions agree.
static int compare(EmulationSpec Original, const TemporaryFolder &Folder,
                   const std::vector<std::string> &ProgramArguments) {
  std::optional<FpClass> Weakest = parseFpClass(Class);
  if (!Weakest)
    return fail(llvm::createStringError("--fp-class is exact, reassociate, "
                                        "approximate or reduced-precision"));
  llvm::Expected<Measurement> M =
      compareEmulated({std::move(Original), InputFile, ProgramArguments,
                       *Weakest, Folder.path().str()});
  if (!M)
    return fail(M.takeError());
  llvm::outs() << toString(M->Outcome) << '\n';
  for (const std::string &Sentence : M->Evidence)
    llvm::outs() << "  " << Sentence << '\n';
  return isRight(M->Outcome) ? 0 : 1;
}

static int run(StringRef Executable,
               const std::vector<std::string> &ProgramArguments) {
  llvm::Expected<EmulationSpec> Spec =
      specFor(Against.empty() ? InputFile : Against, Executable);
  if (!Spec)
    return fail(Spec.takeError());
  llvm::Expected<TemporaryFolder> Folder = TemporaryFolder::make();
  if (!Folder)
    return fail(Folder.takeError());
  if (!Against.empty())
    return compare(std::move(*Spec), *Folder, ProgramArguments);
  std::string Path =
      OutputFile.empty() ? Folder->file("program") : OutputFile.getValue();
  llvm::Expected<EmulatedProgram> Program = buildEmulated(*Spec, {}, Path);
  if (!Program)
    return fail(Program.takeError());
  if (!OutputFile.empty())
    return 0;
  return runProgram(Path, ProgramArguments);
}

static const char Overview[] =
    "Runs a CUDA program on the CPU and checks every access to memory.\n\n"
    "  cuda-l1-emu file.cu -- arguments of the program\n";

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  cl::HideUnrelatedOptions(Category);
  // All after `--` is the program's.
  int Own = Argc;
  for (int I = 1; I < Argc && Own == Argc; ++I)
    if (StringRef(Argv[I]) == "--")
      Own = I;
  std::vector<std::string> ProgramArguments(Argv + std::min(Own + 1, Argc),
                                            Argv + Argc);
  cl::ParseCommandLineOptions(Own, Argv, Overview);
  std::string Executable = llvm::sys::fs::getMainExecutable(
      Argv[0], reinterpret_cast<void *>(&main));
  return run(Executable, ProgramArguments);
}

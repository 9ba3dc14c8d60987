//===- CubinCompiler.cpp - Compile variants to cubins, ahead --------------===//

#include "cudal1/Measure/CubinCompiler.h"
#include "Cleanup.h"
#include "RuntimeCompiler.h"
#include "UnitOverlay.h"
#include "cudal1/Measure/Cubin.h"
#include "cudal1/Measure/ProgramBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

using namespace cudal1;
namespace fs = llvm::sys::fs;

namespace {

/// Flags that choose architectures; each takes a value.
constexpr llvm::StringLiteral ArchFlags[] = {"-arch",    "--gpu-architecture",
                                             "-gencode", "--generate-code",
                                             "-code",    "--gpu-code"};
/// Flags that ask for another output than an executable.
constexpr llvm::StringLiteral OutputFlags[] = {
    "-cubin", "--cubin",      "-ptx",  "--ptx",  "-fatbin", "--fatbin",
    "-E",     "--preprocess", "-link", "--link", "-dlink",  "--device-link"};

/// How often a waiting take() looks at the stop flag.
constexpr std::chrono::milliseconds PollInterval(20);

bool isRelocatable(llvm::ArrayRef<std::string> Flags) {
  bool Result = false;
  for (size_t I = 0; I < Flags.size(); ++I) {
    llvm::StringRef Flag = Flags[I];
    if (!Flag.consume_front("-rdc") &&
        !Flag.consume_front("--relocatable-device-code"))
      continue;
    if (Flag.empty() && I + 1 < Flags.size())
      Flag = Flags[I + 1];
    else if (!Flag.consume_front("="))
      continue;
    Result = Flag == "true";
  }
  return Result;
}

CubinOutcome problem(std::string Text) {
  CubinOutcome Outcome;
  Outcome.Problem = std::move(Text);
  return Outcome;
}

} // namespace

std::vector<std::string>
cudal1::flagsWithoutArch(llvm::ArrayRef<std::string> Flags) {
  std::vector<std::string> Result;
  std::vector<std::string> Compiling = linkingFlags(Flags);
  for (size_t I = 0; I < Compiling.size(); ++I) {
    llvm::StringRef Flag = Compiling[I];
    if (llvm::is_contained(OutputFlags, Flag))
      continue;
    auto [Name, Value] = Flag.split('=');
    if (!llvm::is_contained(ArchFlags, Name))
      Result.push_back(Flag.str());
    else if (Name == Flag)
      ++I;
  }
  return Result;
}

/// Threads that compile, and what they are to compile.
class CubinCompiler::Pool {
public:
  explicit Pool(CubinSpec S) : Spec(std::move(S)) {
    Flags = flagsWithoutArch(Spec.Flags);
    IsRelocatable = isRelocatable(Flags);
  }

  ~Pool() {
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Ending = true;
    }
    Changed.notify_all();
    for (std::thread &Worker : Workers)
      Worker.join();
  }

  void request(const Candidate &C) {
    std::lock_guard<std::mutex> Lock(Mutex);
    enter(C, /*Next=*/false);
  }

  CubinOutcome take(const Candidate &C) {
    std::unique_lock<std::mutex> Lock(Mutex);
    std::shared_ptr<Job> J = enter(C, /*Next=*/true);
    ++J->Waiting;
    while (!J->Done && !isStopped())
      Changed.wait_for(Lock, PollInterval);
    --J->Waiting;
    if (J->Done)
      return J->Outcome;
    return stopped();
  }

  void release(const Candidate &C) {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto Found = Jobs.find(sourcesKey(C.Sources));
    if (Found == Jobs.end() || Found->second->Waiting)
      return;
    llvm::erase(Queue, Found->second);
    Jobs.erase(Found);
  }

  CubinOutcome compileByNvrtc(const std::vector<std::string> &Kernels) {
    auto Text = llvm::MemoryBuffer::getFile(Spec.MainFile);
    if (!Text)
      return problem("cannot read '" + Spec.MainFile +
                     "': " + Text.getError().message());
    std::unique_ptr<RuntimeCompiler> Process;
    return byNvrtc((*Text)->getBuffer(), Kernels, Process);
  }

  void useNvrtc(std::vector<std::string> Kernels) {
    std::lock_guard<std::mutex> Lock(Mutex);
    NvrtcKernels =
        std::make_shared<std::vector<std::string>>(std::move(Kernels));
  }

private:
  struct Job {
    std::string Folder;
    std::vector<SourceReplacement> Sources;
    unsigned Waiting = 0;
    bool Begun = false;
    bool Done = false;
    CubinOutcome Outcome;
  };

  bool isStopped() const {
    return Spec.StopFlag && Spec.StopFlag->load(std::memory_order_relaxed);
  }

  static CubinOutcome stopped() {
    CubinOutcome Outcome = problem("the compilation was stopped");
    Outcome.Stopped = true;
    return Outcome;
  }

  /// The candidate's job, in the queue if it is new. With the lock held.
  std::shared_ptr<Job> enter(const Candidate &C, bool Next) {
    std::string Key = sourcesKey(C.Sources);
    std::shared_ptr<Job> &J = Jobs[Key];
    if (!J) {
      J = std::make_shared<Job>();
      // One released and requested again must not meet its old folder.
      J->Folder = Spec.WorkFolder + "/cubin-" + std::to_string(++Count);
      J->Sources = C.Sources;
      Queue.push_back(J);
      if (Workers.size() < std::max(1u, Spec.Jobs))
        Workers.emplace_back([this] { work(); });
    }
    if (Next && !J->Begun && Queue.front() != J) {
      llvm::erase(Queue, J);
      Queue.push_front(J);
    }
    Changed.notify_all();
    return J;
  }

  void work() {
    std::unique_ptr<RuntimeCompiler> Process;
    std::unique_lock<std::mutex> Lock(Mutex);
    while (true) {
      Changed.wait(Lock, [this] { return Ending || !Queue.empty(); });
      if (Ending)
        return;
      std::shared_ptr<Job> J = Queue.front();
      Queue.pop_front();
      J->Begun = true;
      std::shared_ptr<std::vector<std::string>> ForNvrtc = NvrtcKernels;
      Lock.unlock();
      CubinOutcome Outcome = stopped();
      if (ForNvrtc && changesMainFileOnly(*J))
        Outcome = byNvrtc(J->Sources.front().Text, *ForNvrtc, Process);
      if (!Outcome.ok() && !isStopped())
        Outcome = compile(*J);
      removeFolder(J->Folder);
      Lock.lock();
      J->Outcome = std::move(Outcome);
      J->Sources.clear();
      J->Done = true;
      Changed.notify_all();
    }
  }

  bool changesMainFileOnly(const Job &J) const {
    return J.Sources.size() == 1 &&
           J.Sources.front().OriginalPath == Spec.MainFile;
  }

  CubinOutcome byNvrtc(llvm::StringRef Text,
                       const std::vector<std::string> &Kernels,
                       std::unique_ptr<RuntimeCompiler> &Process) {
    std::optional<std::string> Device = Spec.Runtime.DeviceText(Text);
    if (!Device)
      return problem("NVRTC: the unit's host code cannot be left out");
    if (!Process)
      Process = std::make_unique<RuntimeCompiler>(
          Spec.Runtime, Spec.MainFile, Spec.Arch,
          std::vector<const std::atomic<bool> *>{Spec.StopFlag, &Ending});
    std::vector<std::string> Expressions;
    for (const std::string &Kernel : Kernels)
      if (std::string Name = nameExpression(Kernel); !Name.empty())
        Expressions.push_back(std::move(Name));
    auto Start = std::chrono::steady_clock::now();
    llvm::Expected<std::string> Image =
        Process->compile(*Device, Expressions, Spec.TimeLimit);
    if (!Image)
      return problem(llvm::toString(Image.takeError()));
    llvm::Expected<Cubin> Contents = readCubin(*Image);
    if (!Contents)
      return problem(llvm::toString(Contents.takeError()));
    for (const std::string &Kernel : Kernels)
      if (!findKernel(*Contents, Kernel))
        return problem("NVRTC made no kernel " + Kernel);
    CubinOutcome Outcome;
    Outcome.Image = std::move(*Image);
    Outcome.ByRuntimeCompiler = true;
    Outcome.Milliseconds = std::chrono::duration<double, std::milli>(
                               std::chrono::steady_clock::now() - Start)
                               .count();
    return Outcome;
  }

  CubinOutcome compile(const Job &J) {
    if (std::error_code Code = fs::create_directories(J.Folder))
      return problem("cannot make the folder '" + J.Folder +
                     "': " + Code.message());
    UnitOverlay Files(Spec.MainFile, Spec.Directory, J.Folder + "/source");
    if (llvm::Error E = Files.create(J.Sources))
      return problem(llvm::toString(std::move(E)));
    std::string Image = J.Folder + "/unit.cubin";
    std::vector<std::string> Arguments = Files.map(Flags);
    llvm::append_range(Arguments,
                       std::vector<std::string>{"-cubin", "-arch=" + Spec.Arch,
                                                Files.mainFile(), "-o", Image});
    CubinOutcome Outcome = run(J, std::move(Arguments), Image);
    if (Outcome.ok() && IsRelocatable)
      return link(J, Image, Outcome.Milliseconds);
    return Outcome;
  }

  /// Relocatable code is no program yet, even when it needs nothing else.
  CubinOutcome link(const Job &J, const std::string &Object,
                    double Milliseconds) {
    std::string Image = J.Folder + "/linked.cubin";
    CubinOutcome Outcome =
        run(J, {"-dlink", "-cubin", "-arch=" + Spec.Arch, Object, "-o", Image},
            Image);
    Outcome.Milliseconds += Milliseconds;
    if (!Outcome.ok() && !Outcome.Stopped && !Outcome.TimedOut) {
      Outcome.Unsupported = true;
      Outcome.Problem = "unsupported: the unit's relocatable device code does "
                        "not link without the program's other units: " +
                        Outcome.Problem;
    }
    return Outcome;
  }

  /// Runs the compiler, which is to make \p Image.
  CubinOutcome run(const Job &J, std::vector<std::string> Arguments,
                   const std::string &Image) {
    Command Cmd;
    Cmd.Argv = {Spec.Compiler};
    llvm::append_range(Cmd.Argv, Arguments);
    Cmd.WorkingDirectory = Spec.Directory;
    // A compiler that is killed leaves its files behind.
    Cmd.Environment = {"TMPDIR=" + J.Folder};
    Cmd.TimeLimit = Spec.TimeLimit;
    Cmd.StopFlag = Spec.StopFlag;
    Cmd.OwnersStopFlag = &Ending;
    llvm::Expected<ProcessResult> Result = runCommand(Cmd);
    if (!Result)
      return problem(llvm::toString(Result.takeError()));
    CubinOutcome Outcome;
    Outcome.Milliseconds = Result->WallMs;
    Outcome.TimedOut = Result->End == ProcessEnd::TimedOut;
    Outcome.Stopped = Result->End == ProcessEnd::Stopped;
    if (!Result->succeeded()) {
      std::string Line = firstErrorLine(Result->Stderr + "\n" + Result->Stdout);
      Outcome.Problem = "'" + Spec.Compiler + "' " + Result->describeEnd() +
                        (Line.empty() ? "" : ": " + Line);
      return Outcome;
    }
    auto File = llvm::MemoryBuffer::getFile(Image, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (File)
      Outcome.Image = (*File)->getBuffer().str();
    if (Outcome.Image.empty())
      Outcome.Problem = "'" + Cmd.toShell() + "' made no cubin";
    return Outcome;
  }

  CubinSpec Spec;
  std::vector<std::string> Flags;
  bool IsRelocatable = false;

  std::mutex Mutex;
  std::condition_variable Changed; ///< the queue, a job's state, or the end
  std::atomic<bool> Ending = false;
  std::map<std::string, std::shared_ptr<Job>> Jobs; ///< by sourcesKey
  std::deque<std::shared_ptr<Job>> Queue;           ///< those not begun
  std::vector<std::thread> Workers;
  unsigned Count = 0;
  /// What NVRTC's cubins must hold; null while it is not used.
  std::shared_ptr<std::vector<std::string>> NvrtcKernels;
};

CubinCompiler::CubinCompiler(CubinSpec Spec)
    : Workers(std::make_unique<Pool>(std::move(Spec))) {}

CubinCompiler::~CubinCompiler() = default;

void CubinCompiler::request(const Candidate &C) { Workers->request(C); }

CubinOutcome CubinCompiler::take(const Candidate &C) {
  return Workers->take(C);
}

void CubinCompiler::release(const Candidate &C) { Workers->release(C); }

CubinOutcome
CubinCompiler::compileByNvrtc(const std::vector<std::string> &Kernels) {
  return Workers->compileByNvrtc(Kernels);
}

void CubinCompiler::useNvrtc(std::vector<std::string> Kernels) {
  Workers->useNvrtc(std::move(Kernels));
}

//===- Engine.cpp - Measure kernels in the held program -------------------===//

#include "../Cleanup.h"
#include "Worker.h"
#include "cudal1/Measure/Trace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <thread>

using namespace cudal1;
namespace fs = llvm::sys::fs;

namespace {

/// The text of the state kernels, with the structures they share with us.
constexpr char StateKernelsText[] =
#include "StateKernels.inc"
    ;

/// The program's own code of a kernel and what its flags give may differ in
/// time by this factor; by more, they are not of the same flags.
constexpr double BaselineFactor = 1.1;

/// Cubins that are compiled ahead and wait to be taken. A search asks for some
/// tens at once.
constexpr size_t MaxAhead = 512;

class ReplayEngine final : public MeasureEngine {
public:
  ReplayEngine(ReplayEngineOptions Options,
               std::unique_ptr<WholeProgramEngine> Program)
      : Options(std::move(Options)), Program(std::move(Program)) {}
  ~ReplayEngine() override {
    Workers.clear();
    Compiler.reset();
    if (!Folder.empty())
      removeFolder(Folder);
  }

  llvm::StringRef name() const override { return "replay"; }
  llvm::Expected<Baseline> prepare() override;
  Measurement measure(const Candidate &C) override;
  std::vector<Measurement>
  measureAll(llvm::ArrayRef<Candidate> Candidates) override;
  Measurement confirm(const Candidate &C) override {
    for (std::unique_ptr<ReplayWorker> &Worker : Workers)
      Worker->closeAll();
    return Program->confirm(C);
  }
  void compileAhead(llvm::ArrayRef<Candidate> Candidates) override;
  size_t atOnce() const override { return std::max<size_t>(Workers.size(), 1); }

private:
  llvm::Error setUp();
  llvm::Expected<std::string> compileStateKernels();
  void chooseAllCases(const RunTimes &Times);
  void tryNvrtc();
  void makeWorkers();
  void requestAhead(const Candidate &C);
  bool isReplayed(const Candidate &C) const {
    return Context && !C.ChangesHostCode && !C.Sources.empty();
  }
  Measurement measureWith(ReplayWorker &Worker, const Candidate &C);
  Measurement judge(ReplayWorker &Worker, const Candidate &C, bool &IsLast);
  std::optional<Verdict> compile(const Candidate &C, CompiledVariant &V,
                                 Measurement &M);
  bool findChangedKernels(CompiledVariant &V, Measurement &M) const;
  std::string keyOf(const CompiledVariant &V) const;
  std::string baselineProblem(ReplayWorker &Worker, const std::string &Kernel);
  std::string judgeOriginal(ReplayWorker &Worker, const std::string &Kernel);

  ReplayEngineOptions Options;
  std::unique_ptr<WholeProgramEngine> Program;
  std::mutex ProgramLock; ///< the program engine is for one thread
  std::string Folder;
  std::unique_ptr<CubinCompiler> Compiler;
  /// Absent where replay cannot be used at all.
  std::optional<ReplayContext> Context;
  /// The unit as we compile it, with the names that it has there.
  std::string OriginalImage;
  Cubin OriginalContents;
  /// By kernel that NVRTC makes of the original: its code hash there.
  llvm::StringMap<std::string> NvrtcHashes;
  std::mutex BaselineLock;
  /// By kernel: why its variants cannot be compared with the program; or empty.
  std::map<std::string, std::string> BaselineProblems;
  llvm::StringMap<KernelCases> Cases;
  std::map<std::string, std::mutex> Turns;
  std::vector<std::unique_ptr<ReplayWorker>> Workers;
  std::mutex AheadLock;
  std::deque<Candidate> Ahead; ///< requested; their cubins may be taken by now
  std::mutex KnownLock;
  /// By keyOf: the candidate's id, and what was measured.
  std::map<std::string, std::pair<std::string, Measurement>> Known;
};

llvm::Expected<std::string> ReplayEngine::compileStateKernels() {
  CubinSpec Spec;
  Spec.MainFile = Folder + "/state-kernels.cu";
  Spec.Compiler = Options.Cubins.Compiler;
  Spec.Flags = {"-std=c++17"};
  Spec.Arch = Options.Cubins.Arch;
  Spec.WorkFolder = Folder + "/state";
  Spec.TimeLimit = Options.Cubins.TimeLimit;
  Spec.StopFlag = Options.StopFlag;
  std::error_code Code;
  llvm::raw_fd_ostream Out(Spec.MainFile, Code);
  Out << StateKernelsText;
  Out.close();
  if (Code || Out.has_error())
    return llvm::createStringError("cannot write '" + Spec.MainFile + "'");
  CubinOutcome Built = CubinCompiler(Spec).take({});
  if (!Built.ok())
    return llvm::createStringError("the state kernels do not compile: " +
                                   Built.Problem);
  return std::move(Built.Image);
}

llvm::Error ReplayEngine::setUp() {
  Folder = Options.WorkFolder + "/replay";
  if (std::error_code Code = fs::create_directories(Folder))
    return llvm::createStringError(Code, "cannot make the folder '" + Folder +
                                             "': " + Code.message());
  if (Program->original().Executable.empty() && Options.Run.Command.empty())
    return llvm::createStringError("no program of its own is built");
  CubinSpec Spec = Options.Cubins;
  Spec.WorkFolder = Folder + "/cubins";
  Spec.StopFlag = Options.StopFlag;
  Compiler = std::make_unique<CubinCompiler>(Spec);
  Compiler->request({});
  llvm::Expected<std::string> Support = compileStateKernels();
  if (!Support)
    return Support.takeError();
  CubinOutcome Built = Compiler->take({});
  if (!Built.ok())
    return llvm::createStringError("the unit does not compile to a cubin: " +
                                   Built.Problem);
  llvm::Expected<Cubin> Contents = Options.ReadImage(Built.Image);
  if (!Contents)
    return Contents.takeError();
  OriginalImage = std::move(Built.Image);
  OriginalContents = *Contents;
  if (auto Bytes = llvm::MemoryBuffer::getFile(
          Program->original().Executable, /*IsText=*/false,
          /*RequiresNullTerminator=*/false))
    adoptFileHashes(*Contents, (*Bytes)->getBuffer());
  Context.emplace(ReplayContext{Options, Program->original(),
                                std::move(*Support), std::move(*Contents)});
  return llvm::Error::success();
}

void ReplayEngine::chooseAllCases(const RunTimes &Times) {
  for (const KernelTime &Time : Times.Kernels) {
    bool OfUnit =
        llvm::any_of(Context->Original.Kernels,
                     [&](const CubinKernel &K) { return K.Name == Time.Name; });
    // Kernels of libraries are neither rewritten nor replayed.
    if (OfUnit)
      Cases[Time.Name] =
          chooseCases(Program->tracedRun().Traces, Time.Name, Options.Launch);
  }
}

/// NVRTC compiles the variants if it makes the original's kernels of the same
/// instructions as nvcc does.
void ReplayEngine::tryNvrtc() {
  if (Options.Cubins.Runtime.Executable.empty())
    return;
  // The names that the kernels have in the program, and in our cubins.
  std::vector<std::pair<std::string, const CubinKernel *>> Launched;
  std::vector<std::string> Names;
  for (size_t I = 0; I < OriginalContents.Kernels.size(); ++I)
    if (std::string Name = Context->Original.Kernels[I].Name;
        Cases.contains(Name)) {
      Launched.push_back({Name, &OriginalContents.Kernels[I]});
      Names.push_back(OriginalContents.Kernels[I].Name);
    }
  CubinOutcome Built = Compiler->compileByNvrtc(Names);
  if (!Built.ok())
    return;
  llvm::Expected<Cubin> Contents = Options.ReadImage(Built.Image);
  if (!Contents) {
    llvm::consumeError(Contents.takeError());
    return;
  }
  for (const auto &[Name, ByNvcc] : Launched) {
    std::optional<size_t> I = findKernel(*Contents, ByNvcc->Name);
    if (!I ||
        Contents->Kernels[*I].InstructionsHash != ByNvcc->InstructionsHash ||
        Contents->Kernels[*I].Registers != ByNvcc->Registers)
      return;
  }
  for (const CubinKernel &Kernel : Context->Original.Kernels)
    if (std::optional<size_t> I = findKernel(*Contents, Kernel.Name))
      NvrtcHashes[Kernel.Name] = Contents->Kernels[*I].CodeHash;
  Compiler->useNvrtc(std::move(Names));
}

void ReplayEngine::makeWorkers() {
  std::vector<std::string> Gpus = Options.Gpus;
  if (Gpus.empty())
    Gpus = {""};
  for (const std::string &Gpu : Gpus)
    Workers.push_back(
        std::make_unique<ReplayWorker>(*Context, Cases, Gpu, Turns[Gpu]));
}

llvm::Expected<Baseline> ReplayEngine::prepare() {
  llvm::Expected<Baseline> Result = Program->prepare();
  if (!Result)
    return Result;
  if (llvm::Error E = setUp()) {
    Context.reset();
    Result->Notes.push_back("live replay is not used, whole programs are run "
                            "instead: " +
                            llvm::toString(std::move(E)));
    return Result;
  }
  Result->Engine = name().str();
  for (KernelFacts &K : Result->Kernels)
    if (std::optional<size_t> Index = findKernel(OriginalContents, K.Name))
      K.Registers = OriginalContents.Kernels[*Index].Registers;
  if (Result->Times)
    chooseAllCases(*Result->Times);
  for (const auto &Entry : Cases)
    if (!Entry.second.Problem.empty())
      Result->Notes.push_back("the kernel " + Entry.first().str() +
                              " is not replayed: " + Entry.second.Problem);
  tryNvrtc();
  makeWorkers();
  return Result;
}

/// Who asks need not come for it: of so many only the last are kept.
void ReplayEngine::requestAhead(const Candidate &C) {
  std::lock_guard<std::mutex> Lock(AheadLock);
  Compiler->request(C);
  Ahead.push_back(C);
  if (Ahead.size() <= MaxAhead)
    return;
  Compiler->release(Ahead.front());
  Ahead.pop_front();
}

void ReplayEngine::compileAhead(llvm::ArrayRef<Candidate> Candidates) {
  std::vector<Candidate> ForProgram;
  for (const Candidate &C : Candidates)
    if (isReplayed(C))
      requestAhead(C);
    else
      ForProgram.push_back(C);
  std::lock_guard<std::mutex> Lock(ProgramLock);
  if (!ForProgram.empty())
    Program->compileAhead(ForProgram);
}

/// The kernels whose code or launch is not the original's. False when the
/// variant lacks one.
bool ReplayEngine::findChangedKernels(CompiledVariant &V,
                                      Measurement &M) const {
  for (const std::string &Name : V.Source->Kernels)
    if (!Cases.contains(Name)) {
      M.Evidence.push_back("the unit's cubin has no kernel " + Name);
      return false;
    }
  for (const CubinKernel &Original : Context->Original.Kernels) {
    std::optional<size_t> I = findKernel(V.Contents, Original.Name);
    // NVRTC makes no kernels that only host code of headers would launch.
    if (V.ByNvrtc && !NvrtcHashes.contains(Original.Name))
      continue;
    const std::string &OriginalHash =
        V.ByNvrtc ? NvrtcHashes.find(Original.Name)->second : Original.CodeHash;
    if (!Cases.contains(Original.Name)) {
      if (!I || V.Contents.Kernels[*I].CodeHash != OriginalHash)
        V.NotLaunched.push_back(Original.Name);
      continue;
    }
    if (!I) {
      M.Evidence.push_back("the variant has no kernel " + Original.Name);
      return false;
    }
    ChangedKernel Kernel;
    Kernel.Name = Original.Name;
    Kernel.VariantName = V.Contents.Kernels[*I].Name;
    Kernel.CodeHash = V.Contents.Kernels[*I].CodeHash;
    for (const LaunchChange &Change : V.Source->Launches)
      if (Change.Kernel == Original.Name)
        Kernel.Transforms.push_back(&Change.Transform);
    if (Kernel.CodeHash != OriginalHash || !Kernel.Transforms.empty())
      V.Kernels.push_back(std::move(Kernel));
  }
  return true;
}

static std::string ofKernelNotLaunched(const CompiledVariant &V) {
  return "nothing is known of the changed kernel " + V.NotLaunched.front() +
         ": the program does not launch it";
}

/// The verdict when there is nothing to launch.
std::optional<Verdict>
ReplayEngine::compile(const Candidate &C, CompiledVariant &V, Measurement &M) {
  CubinOutcome Built = Compiler->take(C);
  Compiler->release(C);
  if (!Built.ok()) {
    M.Evidence.push_back(Built.Problem);
    if (Built.Stopped || Built.Unsupported)
      return Verdict::Unsupported;
    return Built.TimedOut ? Verdict::Timeout : Verdict::CompileError;
  }
  V.Source = &C;
  V.Image = std::move(Built.Image);
  V.ByNvrtc = Built.ByRuntimeCompiler;
  llvm::Expected<Cubin> Contents = Options.ReadImage(V.Image);
  if (!Contents) {
    M.Evidence.push_back(llvm::toString(Contents.takeError()));
    return Verdict::Unsupported;
  }
  V.Contents = std::move(*Contents);
  if (OriginalContents.TakesFunctionAddresses ||
      V.Contents.TakesFunctionAddresses) {
    M.Evidence.push_back("the unit takes addresses of device functions, and a "
                         "variant has functions of its own");
    return Verdict::Unsupported;
  }
  if (OriginalContents.UsesDeviceHeap || V.Contents.UsesDeviceHeap) {
    M.Evidence.push_back("kernels of the unit allocate memory, which nobody "
                         "can save");
    return Verdict::Unsupported;
  }
  if (!findChangedKernels(V, M))
    return Verdict::Unsupported;
  if (!V.Kernels.empty())
    return std::nullopt;
  if (!V.NotLaunched.empty()) {
    M.Evidence.push_back(ofKernelNotLaunched(V));
    return Verdict::Unsupported;
  }
  M.Evidence.push_back("the compiler makes the same kernels of it as of the "
                       "original");
  return Verdict::Same;
}

/// What has the same key behaves the same.
std::string ReplayEngine::keyOf(const CompiledVariant &V) const {
  std::string Key;
  llvm::raw_string_ostream Out(Key);
  Out << toString(V.Source->Class);
  for (const ChangedKernel &Kernel : V.Kernels) {
    Out << '|' << Kernel.Name << ':' << Kernel.CodeHash;
    for (const LaunchTransform *T : Kernel.Transforms)
      Out << ':' << T->str();
  }
  return Key;
}

/// The program's kernel against our own compilation of it.
std::string ReplayEngine::judgeOriginal(ReplayWorker &Worker,
                                        const std::string &Kernel) {
  CompiledVariant V;
  Candidate Unchanged;
  V.Source = &Unchanged;
  V.Image = OriginalImage;
  V.Contents = OriginalContents;
  for (size_t I = 0; I < Context->Original.Kernels.size(); ++I)
    if (Context->Original.Kernels[I].Name == Kernel)
      V.Kernels.push_back({Kernel,
                           OriginalContents.Kernels[I].Name,
                           OriginalContents.Kernels[I].CodeHash,
                           {}});
  Measurement M = Worker.judge(V);
  std::string Why = M.Evidence.empty() ? "" : M.Evidence.back();
  if (M.Outcome == Verdict::Unsupported)
    return Why;
  if (!isRight(M.Outcome))
    return "the program's kernel does not do what the unit's flags give: " +
           M.Evidence.front();
  if (M.SpeedupLow.value_or(1) > BaselineFactor ||
      M.SpeedupHigh.value_or(1) < 1 / BaselineFactor)
    return "the program's kernel is not as fast as what the unit's flags "
           "give: is it built with others?";
  return "";
}

std::string ReplayEngine::baselineProblem(ReplayWorker &Worker,
                                          const std::string &Kernel) {
  std::lock_guard<std::mutex> Lock(BaselineLock);
  auto Known = BaselineProblems.find(Kernel);
  if (Known != BaselineProblems.end())
    return Known->second;
  std::string Why = judgeOriginal(Worker, Kernel);
  if (!(Options.StopFlag && *Options.StopFlag))
    BaselineProblems[Kernel] = Why;
  return Why;
}

/// With \p IsLast, runs of the whole program would say no more.
Measurement ReplayEngine::judge(ReplayWorker &Worker, const Candidate &C,
                                bool &IsLast) {
  Measurement M;
  M.Engine = name().str();
  CompiledVariant V;
  if (std::optional<Verdict> Early = compile(C, V, M)) {
    M.Outcome = *Early;
    // Without any cases it is not known what is launched.
    IsLast = !V.NotLaunched.empty() && V.Kernels.empty() && !Cases.empty();
    return M;
  }
  for (const ChangedKernel &Kernel : V.Kernels)
    if (std::string Why = baselineProblem(Worker, Kernel.Name); !Why.empty()) {
      M.Evidence.push_back(Why);
      return M;
    }
  std::string Key = keyOf(V);
  {
    std::lock_guard<std::mutex> Lock(KnownLock);
    // The same candidate once more is to be measured once more, unless it
    // ended the process.
    if (auto It = Known.find(Key); It != Known.end()) {
      const auto &[Id, Result] = It->second;
      bool Lethal = Result.Outcome == Verdict::RunError ||
                    Result.Outcome == Verdict::Timeout;
      if (Id != C.Id || Lethal) {
        M = Result;
        M.Evidence.push_back("measured before: the compiler makes the same "
                             "kernels of it as of " +
                             Id);
        return M;
      }
    }
  }
  M = Worker.judge(V);
  if (!V.NotLaunched.empty() && M.Outcome != Verdict::Unsupported)
    M.Evidence.push_back(ofKernelNotLaunched(V));
  bool Stopped = Options.StopFlag && *Options.StopFlag;
  if (M.Outcome != Verdict::Unsupported && !Stopped) {
    std::lock_guard<std::mutex> Lock(KnownLock);
    Known[Key] = {C.Id, M};
  }
  return M;
}

Measurement ReplayEngine::measureWith(ReplayWorker &Worker,
                                      const Candidate &C) {
  std::string WhyNot;
  if (isReplayed(C)) {
    bool IsLast = false;
    Measurement M = judge(Worker, C, IsLast);
    bool Stopped = Options.StopFlag && *Options.StopFlag;
    if (M.Outcome != Verdict::Unsupported || IsLast || Stopped)
      return M;
    WhyNot = M.Evidence.empty() ? "" : M.Evidence.back();
  }
  Worker.closeAll();
  std::lock_guard<std::mutex> Lock(ProgramLock);
  // Nobody times beside the program, whichever GPU it takes.
  std::list<std::lock_guard<std::mutex>> Others;
  for (auto &[Gpu, OfGpu] : Turns)
    Others.emplace_back(OfGpu);
  Measurement M = Program->measure(C);
  if (!WhyNot.empty())
    M.Evidence.push_back("by a run of the whole program, since " + WhyNot);
  return M;
}

Measurement ReplayEngine::measure(const Candidate &C) {
  if (Workers.empty())
    return Program->measure(C);
  return measureWith(*Workers.front(), C);
}

std::vector<Measurement>
ReplayEngine::measureAll(llvm::ArrayRef<Candidate> Candidates) {
  if (Workers.size() < 2)
    return MeasureEngine::measureAll(Candidates);
  std::vector<Measurement> Results(Candidates.size());
  std::atomic<size_t> Next = 0;
  std::vector<std::thread> Threads;
  Threads.reserve(Workers.size());
  for (std::unique_ptr<ReplayWorker> &Worker : Workers)
    Threads.emplace_back([&, Self = Worker.get()] {
      for (size_t I; (I = Next++) < Candidates.size();)
        Results[I] = measureWith(*Self, Candidates[I]);
    });
  for (std::thread &Thread : Threads)
    Thread.join();
  return Results;
}

} // namespace

StoppingRule ReplayEngineOptions::replayStopping() {
  StoppingRule Rule;
  Rule.MinPairs = 10;
  Rule.MaxPairs = 200;
  return Rule;
}

std::unique_ptr<MeasureEngine>
cudal1::makeReplayEngine(ReplayEngineOptions Options,
                         std::unique_ptr<WholeProgramEngine> Program) {
  return std::make_unique<ReplayEngine>(std::move(Options), std::move(Program));
}

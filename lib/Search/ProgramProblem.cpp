//===- ProgramProblem.cpp - A program and an engine as a problem ----------===//

#include "cudal1/Search/ProgramProblem.h"
#include "cudal1/Support/KernelNames.h"
#include "llvm/ADT/StringSet.h"

using namespace cudal1;

KernelProfile::KernelProfile(const ProgramAnalysis &A,
                             const std::optional<RunTimes> &Times) {
  HasTimes = Times.has_value();
  double Total = 0;
  if (Times)
    for (const KernelTime &T : Times->Kernels)
      Total += T.TotalMs;
  for (const std::unique_ptr<Kernel> &K : A.kernels()) {
    Entry &E = Entries[K->DisplayName];
    llvm::StringSet<> Instances;
    for (const Kernel *Instance : A.instancesOf(*K))
      Instances.insert(displayKernelName(Instance->MangledName));
    if (!Times)
      continue;
    for (const KernelTime &T : Times->Kernels)
      if (Instances.contains(displayKernelName(T.Name)) &&
          !llvm::is_contained(E.Names, T.Name)) {
        E.Names.push_back(T.Name);
        E.Share += Total > 0 ? T.TotalMs / Total : 0;
      }
  }
}

std::optional<double> KernelProfile::share(llvm::StringRef DisplayName) const {
  if (!HasTimes)
    return std::nullopt;
  auto It = Entries.find(DisplayName);
  return It == Entries.end() ? 0 : It->second.Share;
}

llvm::ArrayRef<std::string>
KernelProfile::names(llvm::StringRef DisplayName) const {
  auto It = Entries.find(DisplayName);
  if (It == Entries.end())
    return {};
  return It->second.Names;
}

/// Features of group Gpu.
static NamedValues gpuFacts(const std::optional<GpuInfo> &Gpu) {
  NamedValues Out;
  if (!Gpu)
    return Out;
  Out["computeCapability"] = Gpu->ComputeMajor + Gpu->ComputeMinor / 10.0;
  Out["multiprocessors"] = Gpu->MultiprocessorCount;
  Out["coreClockMHz"] = Gpu->CoreClockMHz;
  Out["memoryBandwidthGBs"] = Gpu->MemoryBandwidthGBs;
  Out["l2Megabytes"] = double(Gpu->L2Bytes) / (1 << 20);
  Out["sharedKilobytesPerBlock"] =
      double(Gpu->SharedMemoryPerBlockBytes) / (1 << 10);
  return Out;
}

/// Features of group Profile for the kernel of these mangled names.
static void addProfileFacts(llvm::ArrayRef<std::string> Names,
                            const Baseline &B,
                            const std::optional<GpuInfo> &Gpu,
                            NamedValues &Out) {
  double LongestMs = 0;
  if (B.Times)
    for (const KernelTime &T : B.Times->Kernels)
      if (llvm::is_contained(Names, T.Name)) {
        Out["launches"] += double(T.Launches);
        LongestMs = std::max(LongestMs, T.MedianMs);
      }
  Out["kernelMicroseconds"] = 1000 * LongestMs;
  const KernelFacts *Largest = nullptr;
  for (const KernelFacts &K : B.Kernels)
    if (llvm::is_contained(Names, K.Name) &&
        (!Largest || K.threads() > Largest->threads()))
      Largest = &K;
  if (!Largest)
    return;
  Out["gridBlocks"] = double(Largest->GridBlocks);
  Out["launchedThreads"] = double(Largest->threads());
  Out["sharedBytes"] = double(Largest->DynamicSharedBytes);
  Out["footprintBytes"] = double(Largest->FootprintBytes);
  Out["registersPerThread"] = Largest->Registers;
  if (!Gpu)
    return;
  Out["occupancy"] = occupancyOf(*Largest, *Gpu);
  if (Gpu->MultiprocessorCount > 0)
    Out["blocksPerMultiprocessor"] =
        double(Largest->GridBlocks) / Gpu->MultiprocessorCount;
  if (LongestMs > 0 && Gpu->MemoryBandwidthGBs > 0)
    Out["bandwidthShare"] = double(Largest->FootprintBytes) /
                            (LongestMs * 1e-3 * Gpu->MemoryBandwidthGBs * 1e9);
}

ProgramProblem::ProgramProblem(RewriteSession &Session, MeasureEngine &Engine,
                               const Baseline &B,
                               const std::optional<GpuInfo> &Gpu)
    : Session(Session), Engine(Engine), Profile(Session.analysis(), B.Times),
      OriginalTexts(Session.current().Texts) {
  if (B.Times && B.Times->GpuSpanMs > 0)
    KernelShare = std::min(1.0, B.Times->KernelMs / B.Times->GpuSpanMs);
  NamedValues Common = gpuFacts(Gpu);
  if (B.Times)
    Common["kernelShare"] = KernelShare;
  Facts[""] = Common;
  for (const std::unique_ptr<Kernel> &K : Session.analysis().kernels()) {
    NamedValues &OfKernel = Facts[K->DisplayName];
    OfKernel = Common;
    addProfileFacts(Profile.names(K->DisplayName), B, Gpu, OfKernel);
  }
}

const NamedValues &ProgramProblem::facts(llvm::StringRef Kernel) const {
  auto It = Facts.find(Kernel);
  return It == Facts.end() ? SearchProblem::facts(Kernel) : It->second;
}

std::vector<std::string>
ProgramProblem::touchedKernels(const Variant &V) const {
  std::vector<std::string> Result;
  for (const Rewrite &R : V.Rewrites) {
    // Host code may change anything.
    if (R.Kernel.empty())
      return {};
    for (const std::string &Name : Profile.names(R.Kernel))
      if (!llvm::is_contained(Result, Name))
        Result.push_back(Name);
  }
  return Result;
}

Candidate ProgramProblem::candidateOf(const Variant &V) {
  Candidate C;
  std::string &Id = Ids[textKey(V)];
  if (Id.empty())
    Id = "v" + std::to_string(Ids.size());
  C.Id = Id;
  for (const auto &[Path, Text] : V.Texts) {
    auto Before = OriginalTexts.find(Path);
    if (Before == OriginalTexts.end() || Before->second != Text)
      C.Sources.push_back({Path, Text});
  }
  C.Class = V.fpClass();
  C.Kernels = touchedKernels(V);
  C.SpeedupToBeat = BestSpeedups[C.Kernels];
  for (const Rewrite &R : V.Rewrites) {
    if (R.Kernel.empty()) {
      C.ChangesHostCode = true;
      if (R.ReplacedKernels.empty() && R.Merges.empty())
        C.Part = TimedPart::GpuSpan;
    }
    llvm::append_range(C.ReplacedKernels, R.ReplacedKernels);
    for (const std::string &Library : R.Libraries)
      if (!llvm::is_contained(C.Libraries, Library))
        C.Libraries.push_back(Library);
    llvm::append_range(C.Merges, R.Merges);
    if (R.Launch)
      for (const std::string &Name : Profile.names(R.Kernel))
        C.Launches.push_back({Name, *R.Launch});
  }
  // Loading a library, once a run, would hide what its kernels gain.
  if (!C.ReplacedKernels.empty())
    C.Part = TimedPart::Kernels;
  return C;
}

void ProgramProblem::remember(const std::string &Key, const Candidate &C,
                              const Measurement &M) {
  if (M.Outcome == Verdict::Faster) {
    double &Best = BestSpeedups[C.Kernels];
    Best = std::max(Best, M.Speedup.value_or(0));
  }
  Known[Key] = M;
}

Measurement ProgramProblem::measure(const Variant &V) {
  std::string Key = textKey(V);
  if (auto It = Known.find(Key); It != Known.end())
    return It->second;
  Candidate C = candidateOf(V);
  Measurement M;
  if (auto It = Ahead.find(Key); It != Ahead.end()) {
    M = std::move(It->second);
    Ahead.erase(It);
  } else {
    M = Engine.measure(C);
  }
  remember(Key, C, M);
  return M;
}

void ProgramProblem::measureAhead(llvm::ArrayRef<Variant> Next) {
  std::vector<std::string> Keys;
  std::vector<Candidate> Candidates;
  for (const Variant &V : Next) {
    std::string Key = textKey(V);
    if (Known.contains(Key) || Ahead.contains(Key))
      continue;
    if (Candidates.size() == Engine.atOnce())
      break;
    Keys.push_back(Key);
    Candidates.push_back(candidateOf(V));
  }
  if (Candidates.size() < 2)
    return;
  std::vector<Measurement> Results = Engine.measureAll(Candidates);
  for (size_t I = 0; I < Results.size(); ++I)
    Ahead[Keys[I]] = std::move(Results[I]);
}

bool ProgramProblem::isMeasured(const Variant &V) const {
  return Known.contains(textKey(V));
}

Measurement ProgramProblem::confirm(const Variant &V) {
  Measurement M = Engine.confirm(candidateOf(V));
  Known[textKey(V)] = M;
  return M;
}

void ProgramProblem::compileAhead(llvm::ArrayRef<Variant> Variants) {
  std::vector<Candidate> Candidates;
  for (const Variant &V : Variants)
    if (!isMeasured(V))
      Candidates.push_back(candidateOf(V));
  Engine.compileAhead(Candidates);
}

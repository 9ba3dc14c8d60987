//===- HeldCase.cpp - A program held for one case of a kernel -------------===//

#include "HeldCase.h"
#include "../GpuLock.h"
#include "Refusal.h"
#include "cudal1/Measure/Statistics.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace cudal1;
using Milliseconds = std::chrono::milliseconds;

namespace {

/// The original's own launch, before anything is known of its time.
constexpr Milliseconds FirstLaunchLimit(120000);
/// Starts after the program has launched the kernel in another shape than
/// before: its threads launch in any order.
constexpr unsigned MaxRestarts = 2;
constexpr unsigned NoisePairs = 8;
constexpr double MinNoise = 0.001, MaxNoise = 0.05;
/// More than this is not the kernel's own doing.
constexpr double SuspectNoise = 0.03;

} // namespace

void HeldCase::close() {
  Timer.reset();
  State.reset();
  Device.reset();
}

llvm::Error HeldCase::open() {
  if (isOpen())
    return llvm::Error::success();
  while (Hopeless.empty()) {
    close();
    llvm::Error E = tryOpen();
    if (!E)
      return E;
    if (E.isA<SessionLost>() && Context.Options.StopFlag &&
        *Context.Options.StopFlag) {
      close();
      return E;
    }
    bool Reached = Device != nullptr;
    close();
    bool MayHelp = changeWay(E, Reached);
    std::string Why = llvm::toString(std::move(E));
    if (!MayHelp)
      Hopeless = Why;
  }
  return llvm::createStringError(Hopeless);
}

/// Chooses how to start the program next. False if no way is left.
bool HeldCase::changeWay(llvm::Error &E, bool Reached) {
  std::optional<ReplayRefusal::Cure> Cure;
  E = llvm::handleErrors(std::move(E),
                         [&](std::unique_ptr<ReplayRefusal> Refusal) {
                           Cure = Refusal->cure();
                           return llvm::Error(std::move(Refusal));
                         });
  if (Cure == ReplayRefusal::Cure::None)
    return false;
  if (Cure == ReplayRefusal::Cure::Restart)
    return ++Restarts <= MaxRestarts;
  if (Cure == ReplayRefusal::Cure::LessPoison)
    return std::exchange(Poison, false);
  // Whatever the original does not survive is left away, the riskier first.
  return Reached &&
         (std::exchange(Vary, false) || std::exchange(Poison, false));
}

llvm::Error HeldCase::checkHeld(const replay::Held &Held) const {
  if (Held.Captured)
    return refusal("the launch goes into a graph");
  if (!Held.UnsupportedAttribute.empty())
    return refusal("the launch has an attribute that is not repeated: " +
                   Held.UnsupportedAttribute);
  if (!Held.UnsavedMemory.empty())
    return refusal(Held.UnsavedMemory);
  if (Held.SurfaceArrays)
    return refusal("the program has arrays that surfaces may write to");
  bool SameShape = Held.Launch.SharedBytes == Case.Launch.SharedBytes;
  for (int I = 0; I < 3; ++I)
    SameShape &= Held.Launch.Grid[I] == Case.Launch.Grid[I] &&
                 Held.Launch.Block[I] == Case.Launch.Block[I];
  if (!SameShape)
    return llvm::make_error<ReplayRefusal>(
        ReplayRefusal::Cure::Restart,
        "the program launches it in another shape in each run");
  return llvm::Error::success();
}

llvm::Error HeldCase::tryOpen() {
  const ReplayEngineOptions &Options = Context.Options;
  SessionOptions Start;
  Start.Program = &Context.Program;
  Start.Run = Options.Run;
  if (!Gpu.empty())
    Start.Run.Environment.push_back("CUDA_VISIBLE_DEVICES=" + Gpu);
  Start.Injection = Options.Injection;
  Start.StartLimit = Options.StartLimit;
  Start.StopFlag = Options.StopFlag;
  llvm::Expected<std::unique_ptr<ReplaySession>> Session =
      ReplaySession::start(Start, Case.Where);
  if (!Session)
    return Session.takeError();
  if (llvm::Error E = checkHeld((*Session)->held()))
    return E;
  llvm::Expected<std::unique_ptr<ReplayDevice>> Made = ReplayDevice::make(
      std::move(*Session), Context.SupportImage, Options.ReadImage);
  if (!Made)
    return Made.takeError();
  Device = std::move(*Made);

  ReplayStateOptions Wanted;
  if (auto It = Options.Parameters.find(Case.Where.Kernel);
      It != Options.Parameters.end())
    Wanted.Parameters.Layouts = It->second;
  if (auto It = Options.Members.find(Case.Where.Kernel);
      It != Options.Members.end())
    Wanted.Parameters.Members = It->second;
  if (auto It = Options.WriteOnly.find(Case.Where.Kernel);
      It != Options.WriteOnly.end())
    Wanted.Parameters.WriteOnly = It->second;
  Wanted.Globals = Context.Original.Globals;
  Wanted.Seeds = Options.Seeds;
  Wanted.Vary = Vary;
  Wanted.Poison = Poison;
  Wanted.RelativeTolerance = Options.RelativeTolerance;
  Wanted.LaunchLimit = FirstLaunchLimit;
  llvm::Expected<std::unique_ptr<ReplayState>> Saved =
      ReplayState::make(*Device, std::move(Wanted));
  if (!Saved)
    return Saved.takeError();
  State = std::move(*Saved);
  llvm::Expected<std::unique_ptr<ReplayTimer>> Clock =
      ReplayTimer::make(*Device, *State);
  if (!Clock)
    return Clock.takeError();
  Timer = std::move(*Clock);
  if (llvm::Error E = learnOwnTime())
    return E;
  return learnNoise();
}

llvm::Error HeldCase::learnOwnTime() {
  auto Start = std::chrono::steady_clock::now();
  if (llvm::Error E = State
                          ->compare(State->original(), State->allSets(),
                                    FpClass::Exact, FirstLaunchLimit)
                          .takeError())
    return E;
  OwnMs = std::chrono::duration<double, std::milli>(
              std::chrono::steady_clock::now() - Start)
              .count();
  return llvm::Error::success();
}

llvm::Error HeldCase::learnNoise() {
  GpuLock Lock =
      GpuLock::take(Device->held().DeviceUuid, Context.Options.StopFlag);
  std::vector<double> Logs;
  while (Logs.size() < NoisePairs) {
    unsigned Count = std::min(Timer->maxPairs(), NoisePairs);
    llvm::Expected<TimedPairs> Pairs = Timer->time(
        State->original(), Count, /*Cold=*/true, launchLimit(2 * Count));
    if (!Pairs)
      return Pairs.takeError();
    for (const TimedPair &Pair : Pairs->Pairs)
      Logs.push_back(std::log(Pair.OriginalUs / Pair.VariantUs));
  }
  Noise = std::clamp(meanAndDeviation(Logs).Deviation, MinNoise, MaxNoise);
  return llvm::Error::success();
}

Milliseconds HeldCase::launchLimit(unsigned Launches) const {
  const ReplayEngineOptions &Options = Context.Options;
  double OriginalMs = 1e-3 * State->originalUs();
  double Ms = OwnMs + OriginalMs * double(std::max(1u, Launches));
  return Options.LaunchTimeConstant +
         Milliseconds(int64_t(Options.LaunchTimeFactor * Ms));
}

std::vector<std::string> HeldCase::notes() const {
  std::vector<std::string> Result;
  if (!Vary)
    Result.push_back("the original does not survive varied data: verified on "
                     "the program's own data only");
  if (!Poison)
    Result.push_back(
        "the original does not survive a poisoned output, or reads it");
  if (Noise >= SuspectNoise) {
    std::string Text;
    llvm::raw_string_ostream(Text) << "two launches of the original differ by "
                                   << llvm::format("%.0f", 100 * Noise)
                                   << " %: is another process using the GPU?";
    Result.push_back(Text);
  }
  if (State)
    Result.insert(Result.end(), State->notes().begin(), State->notes().end());
  return Result;
}

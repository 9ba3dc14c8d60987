//===- State.cpp - The memory of a held program ---------------------------===//

#include "State.h"
#include "Refusal.h"
#include <numeric>

using namespace cudal1;

namespace {

/// Device memory that is left for the references, scratch and the driver.
constexpr uint64_t ReservedBytes = uint64_t(512) << 20;
constexpr uint8_t PoisonByte = 0xFF; ///< a NaN in every floating-point type
/// Copies of everything over the host's bus, at 10 GB/s and more.
constexpr std::chrono::milliseconds CopyLimit(120000);
constexpr unsigned TimedLaunches = 4;

} // namespace

llvm::Expected<std::unique_ptr<ReplayState>>
ReplayState::make(ReplayDevice &Device, ReplayStateOptions Options) {
  std::unique_ptr<ReplayState> S(new ReplayState(Device, std::move(Options)));
  if (llvm::Error E = S->setUp())
    return std::move(E);
  return std::move(S);
}

llvm::Error ReplayState::setUp() {
  const replay::Held &Held = Device.held();
  Original.Function = Held.Function.Handle;
  Original.Config = Held.Launch;
  for (llvm::Error (ReplayState::*Step)() :
       {&ReplayState::listRegions, &ReplayState::fillSlack,
        &ReplayState::surroundAllocations, &ReplayState::save,
        &ReplayState::refusePointersToVariables, &ReplayState::findWrites,
        &ReplayState::learnRanges, &ReplayState::uploadVaryJobs})
    if (llvm::Error E = (this->*Step)())
      return E;
  for (bool Found = true; Found;)
    if (llvm::Error E = findWritesOnVariedData(Found))
      return E;
  for (llvm::Error (ReplayState::*Step)() :
       {&ReplayState::keepReferences, &ReplayState::learnScales,
        &ReplayState::learnNoise, &ReplayState::checkPoison,
        &ReplayState::releaseUnneeded, &ReplayState::timeOriginal})
    if (llvm::Error E = (this->*Step)())
      return E;
  return llvm::Error::success();
}

llvm::Expected<uint64_t> ReplayState::allocateSomewhere(uint64_t Bytes,
                                                        bool &OnHost) {
  llvm::Expected<uint64_t> Free = Device.freeMemory();
  if (!Free)
    return Free.takeError();
  OnHost = *Free < Bytes + ReservedBytes;
  if (!OnHost) {
    llvm::Expected<uint64_t> Address = Device.allocate(Bytes);
    if (!Address || *Address)
      return Address;
    OnHost = true;
  }
  llvm::Expected<uint64_t> Address = Device.allocate(Bytes, /*Host=*/true);
  if (Address && !*Address)
    return refusal(
        "the program's memory cannot be saved: neither the GPU nor the host "
        "has " +
        std::to_string(Bytes >> 20) + " MiB left for it");
  return Address;
}

llvm::Error ReplayState::save() {
  replay::Batch Work;
  for (Region &R : Regions) {
    if (R.Constant || R.Guard)
      continue;
    llvm::Expected<uint64_t> Copy =
        allocateSomewhere(R.Bytes, R.PristineOnHost);
    if (!Copy)
      return Copy.takeError();
    R.Pristine = *Copy;
    Work.copy(R.Pristine, R.Address, R.Bytes);
  }
  Work.synchronize();
  return Device.run(Work, CopyLimit).takeError();
}

llvm::Error ReplayState::bind(const Binding &B) {
  replay::Batch Work;
  for (const Region &R : Regions) {
    if (R.Global < 0 || !addressOf(R, B))
      continue;
    Work.copy(addressOf(R, B), R.Pristine ? R.Pristine : R.Address, R.Bytes);
  }
  Work.synchronize();
  return Device.run(Work, CopyLimit).takeError();
}

void ReplayState::prepare(replay::Batch &Work, const Binding &B, unsigned Set,
                          bool Poisoning) const {
  unsigned Job = 0;
  for (const Region &R : Regions) {
    uint64_t To = addressOf(R, B);
    if (!To)
      continue;
    if (R.Poisoned && Poisoning)
      Work.fill(To, R.Bytes, PoisonByte);
    else if (R.Varied)
      Work.copy(To, R.Pristine, R.Bytes);
    else if (R.written())
      Work.copy(To + R.Low, R.Pristine + R.Low, R.High - R.Low);
    if (!R.Varied)
      continue;
    for (const TypedField &F : R.Fields) {
      if (!F.Varies)
        continue;
      if (Set > 0)
        Device.launchState(Work, "cudal1_vary", F.Count,
                           {VaryJobs + sizeof(cudal1_state::VaryJob) *
                                           ((Set - 1) * VaryJobsPerSet + Job)});
      ++Job;
    }
  }
}

void ReplayState::restore(replay::Batch &Work, const Binding &B) const {
  for (const Region &R : Regions)
    if (uint64_t To = addressOf(R, B); To && R.written() && !R.Poisoned)
      Work.copy(To + R.Low, R.Pristine + R.Low, R.High - R.Low);
}

unsigned ReplayState::restoreOperations() const {
  return unsigned(llvm::count_if(
      Regions, [](const Region &R) { return R.written() && !R.Poisoned; }));
}

llvm::Error ReplayState::runOriginal(unsigned Set) {
  replay::Batch Work;
  prepare(Work, Original, Set);
  launch(Work, Original, /*Timed=*/false);
  Work.synchronize();
  llvm::Error E = Device.run(Work, Options.LaunchLimit).takeError();
  if (!E || E.isA<SessionLost>())
    return E;
  return llvm::createStringError("the original cannot be launched again: " +
                                 llvm::toString(std::move(E)));
}

llvm::Error ReplayState::releaseUnneeded() {
  for (Region &R : Regions) {
    bool Needed = R.Varied || (R.written() && !R.Poisoned) || R.Global >= 0;
    if (Needed || !R.Pristine)
      continue;
    if (llvm::Error E = Device.free(R.Pristine, R.PristineOnHost))
      return E;
    R.Pristine = 0;
  }
  return llvm::Error::success();
}

llvm::Error ReplayState::timeOriginal() {
  replay::Batch Work;
  prepare(Work, Original, 0);
  Work.dam();
  for (unsigned I = 0; I < TimedLaunches; ++I) {
    if (I < replay::MaxDammed / TimedLaunches / (restoreOperations() + 1))
      restore(Work, Original);
    launch(Work, Original, /*Timed=*/true);
  }
  Work.flow();
  llvm::Expected<BatchReply> Reply = Device.run(Work, Options.LaunchLimit);
  if (!Reply)
    return Reply.takeError();
  replay::Decoder Results = Reply->results();
  auto Count = Results.number<uint64_t>();
  for (uint64_t I = 0; I < Count; ++I) {
    auto Exact = Results.number<double>();
    auto ByEvents = Results.number<double>();
    double Us = Exact > 0 ? Exact : ByEvents;
    OriginalUs = I == 0 ? Us : std::min(OriginalUs, Us);
  }
  return llvm::Error::success();
}

std::vector<unsigned> ReplayState::allSets() const {
  std::vector<unsigned> Sets(DataSets);
  std::iota(Sets.begin(), Sets.end(), 0U);
  return Sets;
}

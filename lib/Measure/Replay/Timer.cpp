//===- Timer.cpp - Original and variant in turn, on the GPU ---------------===//

#include "Timer.h"

using namespace cudal1;

namespace {

/// Operations besides the restoring copies that one timed launch queues: the
/// flush, the launch, and an event on either side of it.
constexpr unsigned QueuedPerLaunch = 4;
constexpr unsigned MostPairs = 16;
constexpr uint8_t FlushByte = 0x5A;
/// cudal1_clock writes cycles and nanoseconds.
constexpr uint64_t ClockBytes = 2 * sizeof(uint64_t);
constexpr double NsPerUs = 1e3;

/// Launches go original, variant, variant, original, original, …
bool isOriginal(unsigned Launch) { return (Launch + 1) / 2 % 2 == 0; }

double microseconds(replay::Decoder &Results) {
  auto Exact = Results.number<double>();
  auto ByEvents = Results.number<double>();
  return Exact > 0 ? Exact : ByEvents;
}

} // namespace

llvm::Expected<std::unique_ptr<ReplayTimer>>
ReplayTimer::make(ReplayDevice &Device, const ReplayState &State) {
  std::unique_ptr<ReplayTimer> T(new ReplayTimer(Device, State));
  T->FlushBytes = Device.held().L2Bytes;
  if (T->FlushBytes == 0)
    return std::move(T);
  llvm::Expected<uint64_t> Buffer = Device.allocate(T->FlushBytes);
  if (!Buffer)
    return Buffer.takeError();
  if (!*Buffer)
    return llvm::createStringError(
        "the program leaves no device memory free to flush the L2 cache with");
  T->FlushBuffer = *Buffer;
  return std::move(T);
}

unsigned ReplayTimer::maxPairs() const {
  unsigned PerPair = 2 * (State.restoreOperations() + QueuedPerLaunch);
  return std::clamp(replay::MaxDammed / PerPair, 1u, MostPairs);
}

void ReplayTimer::queueLaunch(replay::Batch &Work, const Binding &B, bool Cold,
                              bool Alone) const {
  State.restore(Work, B);
  if (Alone)
    Work.dam();
  if (Cold && FlushBuffer)
    Work.fill(FlushBuffer, FlushBytes, FlushByte);
  State.launch(Work, B, /*Timed=*/true);
  if (Alone)
    Work.flow();
}

llvm::Expected<TimedPairs> ReplayTimer::time(const Binding &Variant,
                                             unsigned Count, bool Cold,
                                             std::chrono::milliseconds Limit) {
  const Binding &Original = State.original();
  llvm::Expected<uint64_t> Clock = Device.scratch(ClockBytes);
  if (!Clock)
    return Clock.takeError();
  replay::Batch Work;
  // The flush does not reach what the program, or a launch, made to persist.
  Work.resetPersistingL2();
  State.prepare(Work, Original, 0);
  State.prepare(Work, Variant, 0);
  Work.fill(*Clock, ClockBytes, 0);
  // Behind a dam there is room for a bounded number of operations.
  bool Fits = Count * 2 * (State.restoreOperations() + QueuedPerLaunch) <=
              replay::MaxDammed;
  if (Fits)
    Work.dam();
  for (unsigned I = 0; I < 2 * Count; ++I)
    queueLaunch(Work, isOriginal(I) ? Original : Variant, Cold, !Fits);
  if (Fits)
    Work.flow();
  Device.launchState(Work, "cudal1_clock", 1, {*Clock});
  Work.read(*Clock, ClockBytes);
  llvm::Expected<BatchReply> Reply = Device.run(Work, Limit);
  if (!Reply)
    return Reply.takeError();
  TimedPairs Result;
  replay::Decoder Results = Reply->results();
  Result.Pairs.resize(Count);
  for (unsigned I = 0; I < 2 * Count; ++I) {
    if ((!Fits || I == 0) &&
        Results.number<uint64_t>() != (Fits ? 2 * uint64_t(Count) : 1))
      return llvm::createStringError("not every launch was timed");
    double Us = microseconds(Results);
    if (Us <= 0)
      return llvm::createStringError("a launch could not be timed");
    TimedPair &Pair = Result.Pairs[I / 2];
    (isOriginal(I) ? Pair.OriginalUs : Pair.VariantUs) = Us;
  }
  std::string Bytes = Results.string();
  uint64_t Cycles = 0, Ns = 0;
  if (Bytes.size() == ClockBytes) {
    std::memcpy(&Cycles, Bytes.data(), sizeof(Cycles));
    std::memcpy(&Ns, Bytes.data() + sizeof(Cycles), sizeof(Ns));
  }
  Result.ClockMHz = Ns ? NsPerUs * double(Cycles) / double(Ns) : 0;
  return Result;
}

//===- ReplayTimer.cpp - The stream of replay, and its clocks -------------===//

#include "ReplayTimer.h"
#include <algorithm>

using namespace cudal1;
using namespace cudal1::runtime;

namespace {
/// Records of launches that nobody asks the time of are thrown away before
/// they fill many of CUPTI's buffers.
constexpr size_t MaxUnreadLaunches = 4096;
constexpr double NsPerMicrosecond = 1e3;
constexpr double MicrosecondsPerMs = 1e3;
} // namespace

CallResult ReplayTimer::start() {
  if (CUresult Code = D.StreamCreate(&Stream, CU_STREAM_NON_BLOCKING))
    return {Code, "cuStreamCreate"};
  void *Word = nullptr;
  if (CUresult Code =
          D.MemHostAlloc(&Word, sizeof(*Gate), CU_MEMHOSTALLOC_DEVICEMAP))
    return {Code, "cuMemHostAlloc"};
  Gate = static_cast<uint32_t *>(Word);
  if (CUresult Code = D.MemHostGetDevicePointer(&GateOnDevice, Word, 0))
    return {Code, "cuMemHostGetDevicePointer"};
  HasActivities = Activities.start({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL}) ==
                  CUPTI_SUCCESS;
  return {};
}

void ReplayTimer::stop() {
  if (HasActivities)
    Activities.stop({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
}

CallResult ReplayTimer::dam() {
  __atomic_store_n(Gate, 0, __ATOMIC_SEQ_CST);
  CUresult Code =
      D.StreamWaitValue32(Stream, GateOnDevice, 1, CU_STREAM_WAIT_VALUE_GEQ);
  if (Code != CUDA_SUCCESS && Code != CUDA_ERROR_NOT_SUPPORTED)
    return {Code, "cuStreamWaitValue32"};
  Dammed = true;
  Queued = 0;
  Timed.clear();
  UsedEvents = 0;
  LastWasTimed = false;
  return {};
}

bool ReplayTimer::admit(bool TimedLaunch) {
  if (!Dammed)
    return true;
  LastWasTimed &= TimedLaunch;
  return ++Queued <= replay::MaxDammed;
}

CallResult ReplayTimer::recordEvent() {
  if (UsedEvents == Events.size()) {
    CUevent Event = nullptr;
    if (CUresult Code = D.EventCreate(&Event, CU_EVENT_DEFAULT))
      return {Code, "cuEventCreate"};
    Events.push_back(Event);
  }
  return {D.EventRecord(Events[UsedEvents++], Stream), "cuEventRecord"};
}

CallResult ReplayTimer::beforeLaunch(bool IsTimed) {
  // The end of one timed launch is the beginning of the next right after it:
  // each event takes room in the driver's queue.
  if (!Dammed || !IsTimed || LastWasTimed)
    return {};
  return recordEvent();
}

CallResult ReplayTimer::afterLaunch(bool IsTimed) {
  size_t Launch = Launches++;
  LastWasTimed = Dammed && IsTimed;
  if (!LastWasTimed)
    return {};
  CallResult Result = recordEvent();
  Timed.push_back({Launch, UsedEvents - 2, UsedEvents - 1});
  return Result;
}

CallResult ReplayTimer::synchronize() {
  if (CUresult Code = D.StreamSynchronize(Stream))
    return {Code, "cuStreamSynchronize"};
  if (Launches > MaxUnreadLaunches)
    readIntervals();
  return {};
}

CallResult ReplayTimer::flow(replay::Encoder &To) {
  openGate();
  if (CallResult Result = synchronize(); Result.failed())
    return Result;
  std::vector<Interval> Known;
  if (!Timed.empty())
    Known = readIntervals();
  To.number(uint64_t(Timed.size()));
  for (const TimedLaunch &T : Timed) {
    double ByCupti = 0;
    if (T.Launch < Known.size())
      ByCupti = double(Known[T.Launch].End - Known[T.Launch].Start) /
                NsPerMicrosecond;
    float Ms = 0;
    if (CUresult Code =
            D.EventElapsedTime(&Ms, Events[T.FirstEvent], Events[T.LastEvent]))
      return {Code, "cuEventElapsedTime"};
    To.number(ByCupti);
    To.number(double(Ms) * MicrosecondsPerMs);
  }
  Timed.clear();
  return {};
}

void ReplayTimer::breakDam() {
  openGate();
  Timed.clear();
}

void ReplayTimer::openGate() {
  __atomic_store_n(Gate, 1, __ATOMIC_SEQ_CST);
  Dammed = false;
}

void ReplayTimer::record(const CUpti_Activity &Record) {
  if (Record.kind != CUPTI_ACTIVITY_KIND_KERNEL &&
      Record.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
    return;
  // Later versions of the record only append fields.
  const auto &Kernel = reinterpret_cast<const CUpti_ActivityKernel4 &>(Record);
  std::lock_guard<std::mutex> Lock(Mutex);
  Intervals.push_back({Kernel.start, Kernel.end});
}

std::vector<ReplayTimer::Interval> ReplayTimer::readIntervals() {
  size_t Expected = Launches;
  Launches = 0;
  if (!HasActivities)
    return {};
  auto Count = [&] {
    std::lock_guard<std::mutex> Lock(Mutex);
    return Intervals.size();
  };
  Activities.flush(/*Forced=*/false);
  if (Count() < Expected)
    Activities.flush(/*Forced=*/true);
  std::vector<Interval> Result;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Result.swap(Intervals);
  }
  bool Complete = Result.size() == Expected;
  for (const Interval &I : Result)
    Complete &= I.Start != 0 && I.End >= I.Start;
  if (!Complete)
    return {};
  std::sort(
      Result.begin(), Result.end(),
      [](const Interval &A, const Interval &B) { return A.Start < B.Start; });
  return Result;
}

//===- ReplayTimer.h - The stream of replay, and its clocks -----*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_REPLAYTIMER_H
#define CUDAL1_RUNTIME_REPLAYTIMER_H

#include "ActivitySource.h"
#include "ReplayDriver.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include <mutex>
#include <vector>

namespace cudal1::runtime {

/// The one stream to which replay queues its work, the dam before it, and the
/// times of the kernels that went through: by CUPTI's records, and by events.
class ReplayTimer {
public:
  ReplayTimer(const ReplayDriver &D, const Cupti &C)
      : D(D), Activities(C, [this](const CUpti_Activity &Record) {
          record(Record);
        }) {}

  /// Makes the stream and asks CUPTI for times; without these, events alone
  /// are reported.
  CallResult start();

  /// The program goes on: it is not timed.
  void stop();

  CUstream stream() const { return Stream; }
  bool isDammed() const { return Dammed; }

  /// Holds back what is queued from here on until flow(). Where the device
  /// cannot wait for a word of memory, nothing is held back.
  CallResult dam();
  /// To be called before each operation that is queued; false if the queue has
  /// no room for one more before flow().
  bool admit(bool TimedLaunch);
  /// Around each launch. \p Timed is of no effect without a dam.
  CallResult beforeLaunch(bool Timed);
  CallResult afterLaunch(bool Timed);

  CallResult synchronize();
  /// Lets the work run, waits for it, and appends what Op::Flow says.
  CallResult flow(replay::Encoder &To);
  /// Lets the work run and forgets its times: an operation failed.
  void breakDam();

private:
  struct Interval {
    uint64_t Start, End; ///< ns
  };
  struct TimedLaunch {
    size_t Launch; ///< index among those since the last reading
    size_t FirstEvent, LastEvent;
  };

  void openGate();
  void record(const CUpti_Activity &Record);
  /// The times of the launches since the last reading, in order; empty if
  /// CUPTI saw more or fewer.
  std::vector<Interval> readIntervals();
  CallResult recordEvent();

  const ReplayDriver &D;
  ActivitySource Activities;
  bool HasActivities = false;
  CUstream Stream = nullptr;
  uint32_t *Gate = nullptr; ///< page-locked: the stream waits until it is 1
  CUdeviceptr GateOnDevice = 0;

  bool Dammed = false;
  unsigned Queued = 0; ///< operations since dam()
  bool LastWasTimed = false;
  size_t Launches = 0; ///< since the last reading
  std::vector<TimedLaunch> Timed;
  std::vector<CUevent> Events; ///< made once, used again
  size_t UsedEvents = 0;

  std::mutex Mutex; ///< guards what follows: CUPTI has threads of its own
  std::vector<Interval> Intervals;
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_REPLAYTIMER_H

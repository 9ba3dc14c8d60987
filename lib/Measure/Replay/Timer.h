//===- Timer.h - Original and variant in turn, on the GPU -------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_TIMER_H
#define CUDAL1_LIB_MEASURE_REPLAY_TIMER_H

#include "State.h"

namespace cudal1 {

/// One launch of each, next to each other.
struct TimedPair {
  double OriginalUs = 0;
  double VariantUs = 0;
};

/// What one call of ReplayTimer::time gives.
struct TimedPairs {
  std::vector<TimedPair> Pairs;
  /// The SM clock right after, in MHz; 0: not known.
  double ClockMHz = 0;
};

/// Times launches in one held process. Before each one the memory is what it
/// was before the program's launch, and the L2 cache holds nothing of it. All
/// launches of a call are queued before the first one runs.
class ReplayTimer {
public:
  static llvm::Expected<std::unique_ptr<ReplayTimer>>
  make(ReplayDevice &Device, const ReplayState &State);

  /// \p Count pairs, in the order original-variant, variant-original, …
  /// With \p Cold, the L2 cache is flushed before each launch.
  llvm::Expected<TimedPairs> time(const Binding &Variant, unsigned Count,
                                  bool Cold, std::chrono::milliseconds Limit);

  /// The most pairs that one call can queue.
  unsigned maxPairs() const;

private:
  ReplayTimer(ReplayDevice &Device, const ReplayState &State)
      : Device(Device), State(State) {}
  void queueLaunch(replay::Batch &Work, const Binding &B, bool Cold,
                   bool Alone) const;

  ReplayDevice &Device;
  const ReplayState &State;
  uint64_t FlushBuffer = 0, FlushBytes = 0;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_TIMER_H

//===- ReplayHost.h - Holds the program at one launch -----------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_REPLAYHOST_H
#define CUDAL1_RUNTIME_REPLAYHOST_H

#include "Allocations.h"
#include "CallGate.h"
#include "LaunchCall.h"
#include "ReplayConnection.h"
#include "ReplayDriver.h"
#include "ReplayInterpreter.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include <atomic>

namespace cudal1::runtime {

/// Counts launches up to the one that the tool has named, and there does what
/// the tool says until it lets the program go on. One object a process; it is
/// never destroyed, since callbacks may come until the very end.
class ReplayHost {
public:
  /// Connects to the tool at \p Socket and waits for its Target. False: the
  /// process cannot be held; the program runs on, and \p Problem says why if
  /// there is no tool that could have been told.
  bool start(const char *Socket, std::string &Problem);

  /// In a child made by fork.
  void abandon() {
    Enabled = false;
    Tool.abandon();
  }

private:
  static void CUPTIAPI onCallback(void *Self, CUpti_CallbackDomain Domain,
                                  CUpti_CallbackId Id, const void *Data);
  void onCall(CUpti_CallbackId Id, const CUpti_CallbackData &Call);
  void onLaunch(const LaunchCall &Launch, const char *Name);
  void hold(const LaunchCall &Launch, uint64_t EarlierLaunches);
  std::string subscribe();

  replay::Held describe(const LaunchCall &Launch, uint64_t EarlierLaunches);
  void describeMemory(replay::Held &Of);
  std::string unsavedMemory(const replay::Held &Of) const;
  void describeDevice(replay::Held &Of);
  bool isCapturing(CUstream Stream) const;
  CUmodule moduleOf(const LaunchCall &Launch) const;

  Cupti C;
  ReplayDriver D;
  ReplayConnection Tool;
  CUpti_SubscriberHandle Subscriber = nullptr;
  CallGate Gate;
  AllocationMap Memory;
  replay::Target Wanted;
  std::atomic<bool> Enabled{false};

  std::mutex Mutex; ///< guards what follows
  uint64_t Launches = 0;
  uint64_t LaunchesOfWanted = 0;
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_REPLAYHOST_H

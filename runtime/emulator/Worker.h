//===- Worker.h - An OS thread that runs blocks -----------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_WORKER_H
#define CUDAL1_RUNTIME_EMULATOR_WORKER_H

#include "Block.h"
#include <chrono>
#include <csetjmp>

namespace cudal1::emulator {

/// What one OS thread needs to run blocks. Kept between launches.
class Worker {
public:
  Worker() = default;
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  /// Runs blocks of \p Run until there are no more. Called by one OS thread at
  /// a time.
  void work(Launch &Run);

  Launch &launch() const { return *Run; }

  /// Ends the launch from inside device code.
  [[noreturn]] void abandon(LaunchResult Reason);
  /// The same from a signal handler: \p Signal at \p Address.
  [[noreturn]] void fault(int Signal, uintptr_t Address);

  /// Where the worker goes on when no fiber of the running block can.
  void *Context = nullptr;

  /// The one whose launch this OS thread runs, or nullptr.
  static Worker *current();

private:
  using Clock = std::chrono::steady_clock;

  void runPlainBlocks();
  void runPlainBlock(uint64_t Index);
  void startPlainBlock(uint64_t Index);
  void callPlainThreads();
  void clearPlainShared();

  void runFiberBlocks();
  /// How far the resident blocks got, from least to most.
  enum class Poll : uint8_t {
    Vain,    ///< every thread looked again at what it waits for
    Working, ///< some are in loops that change something of their own
    Moved,   ///< a thread exited or a barrier let threads go
  };
  Poll pollResident();
  bool mayGrow() const;
  bool addResident();
  void retire(size_t Index);
  void dropIdle();
  void watch(Poll Result);
  void stopWatching();
  void reportDeadlock(const std::string &Waits, const SourceSite *Site);
  void reportFault();

  Launch *Run = nullptr;
  DeviceThread Plain;
  char *PlainSlot = nullptr;
  size_t PlainSharedUsed = 0; ///< bytes of the slot whose shadow may be set
  std::vector<std::unique_ptr<Block>> Resident;
  std::vector<std::unique_ptr<Block>> Idle;

  /// All resident blocks spin: not counted in Launch::Busy.
  bool Watching = false;
  Clock::time_point WatchingSince;
  Clock::time_point MovedLast;
  uint64_t ProgressSeen = 0;
  uint64_t IdleRounds = 0;

  sigjmp_buf Escape;
  int FaultSignal = 0;
  uintptr_t FaultAddress = 0;
};

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_WORKER_H

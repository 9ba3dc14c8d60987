//===- Block.h - A resident block and its fibers ----------------*- C++ -*-===//
///
/// \file
/// The threads of one block as fibers, and what they wait for. Only the OS
/// thread that runs the block touches it, so nothing here is atomic. A fiber
/// that has to wait picks the next one and jumps to it at once; only when none
/// is ready does it jump back to the worker.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_BLOCK_H
#define CUDAL1_RUNTIME_EMULATOR_BLOCK_H

#include "DeviceThread.h"
#include "Launch.h"
#include "RaceClocks.h"
#include "Stacks.h"
#include <memory>
#include <string>
#include <vector>

namespace cudal1::emulator {

class Worker;

/// Lanes of one warp that met for one operation, but not all of them yet.
struct Rendezvous {
  uint32_t Mask;
  uint32_t Arrived;
  WarpKind Kind;
};

/// Which lanes of a warp are in which state, as masks. A lane is in one of
/// Ready, Spinning, Lockstep, Converging, or it waits (in none of them).
struct Warp {
  uint32_t Alive = 0; ///< not exited
  uint32_t Ready = 0;
  uint32_t Spinning = 0;   ///< to be tried again when no other can run
  uint32_t Lockstep = 0;   ///< before a volatile access
  uint32_t Converging = 0; ///< at activemask
  uint32_t PendingCount = 0;
  Rendezvous Pending[WarpLanes];

  void reset(uint32_t Lanes) {
    Alive = Ready = Lanes;
    Spinning = Lockstep = Converging = PendingCount = 0;
  }
};

/// One of the barriers of a block.
struct Barrier {
  static constexpr uint32_t KeptResults = 4;
  uint32_t Arrived = 0;  ///< threads, of this generation
  uint32_t Expected = 0; ///< threads; 0: all that have not exited
  uint32_t WarpMask = 0; ///< warps with an entry in Came
  uint32_t Came[WarpLanes] = {};
  uint32_t Waiting[WarpLanes] = {};
  uint32_t Generation = 0;
  uint32_t Votes = 0; ///< true predicates of this generation
  /// Votes and arrivals of the last generations: those who waited read them.
  uint32_t PastVotes[KeptResults] = {};
  uint32_t PastArrived[KeptResults] = {};
  const SourceSite *Site = nullptr;
  const SourceSite *OtherSite = nullptr; ///< a different place, if any
};

/// One call of a barrier instruction.
struct BarrierCall {
  uint32_t Id = 0;
  uint32_t Count = 0; ///< 0: all threads
  bool Predicate = false;
  bool Waits = true;
};

struct BarrierVotes {
  uint32_t True = 0;
  uint32_t Threads = 0;
};

class Block {
public:
  static constexpr uint32_t BarrierCount = 17;
  /// The one behind the sixteen of PTX: for clusters.
  static constexpr uint32_t ClusterBarrier = 16;

  Block(Worker &Home, uint32_t Capacity) : Home(Home), Capacity(Capacity) {}
  ~Block();

  uint32_t capacity() const { return Capacity; }

  /// Gets stacks, and shared memory if \p NeedsShared; false if the system has
  /// no more.
  bool acquire(size_t StackBytes, bool NeedsShared);
  /// Sets what is the same for all blocks of the launch.
  void prepare(Launch &Run);
  /// Begins block \p Index of the launch: all its threads are ready.
  void start(uint64_t Index);

  enum class Outcome {
    Finished,
    Spinning, ///< every thread that could run waits for another block
    Stuck,    ///< the threads wait for each other
  };
  /// Runs until no thread can go on. Called by the worker.
  Outcome run();
  /// Changes whenever a thread exits or a barrier lets threads go.
  uint64_t progress() const { return BarriersPassed - AliveCount; }

  /// True if a thread that spun before the last run came out of it with other
  /// values in its registers or on its stack: then it may be at work, and its
  /// loop only looks like one that waits.
  bool spinnersWork() const { return SpinnersWork; }

  /// Where the threads wait: `12 threads at a barrier at FILE:LINE, ...`.
  std::string describeWaits() const;
  const SourceSite *firstWaitSite() const;

  // What the running thread asks for.
  BarrierVotes meetAtBarrier(DeviceThread &Self, const BarrierCall &Call);
  /// Meets the lanes of Self.Request.Mask, which then holds the result.
  void meetInWarp(DeviceThread &Self);
  /// The lanes of its warp that are at the same place.
  uint32_t converge(DeviceThread &Self);
  /// Lets all other lanes of the warp reach their next volatile access.
  void keepLockstep(DeviceThread &Self);
  /// Lets others run, since this thread waits for what they write.
  void spin(DeviceThread &Self);
  /// Makes the reserved shared memory of the block ready for use, once.
  void openReservedShared();
  /// The thread is done.
  [[noreturn]] void finish(DeviceThread &Self);

  bool isGuardPage(uintptr_t Address) const { return Stacks.isGuard(Address); }
  Launch &launch() const { return *Run; }
  uint64_t linearIndex() const { return Linear; }
  races::BlockClock &raceClock() { return *RaceClock; }
  uint32_t aliveLanes(uint32_t WarpIndex) const {
    return Warps[WarpIndex].Alive;
  }
  DeviceThread &lane(uint32_t WarpIndex, uint32_t Lane) {
    return Threads[WarpIndex * WarpLanes + Lane];
  }

private:
  void setReady(uint32_t WarpIndex, uint32_t Lanes);
  void pause(DeviceThread &Self);
  void leave(DeviceThread &Self);
  DeviceThread *pick();
  uint32_t pickWarp();
  uint32_t pickLane(uint32_t WarpIndex) const;
  uint32_t random() const;
  void settle(uint32_t WarpIndex);
  void releaseConverging(uint32_t WarpIndex);
  void wakeSpinners();
  static uint64_t digestOf(const DeviceThread &Thread);

  bool isComplete(const Barrier &Point) const;
  void release(Barrier &Point, uint32_t Id);
  void noteSite(Barrier &Point, const DeviceThread &Self, bool All);
  void checkBarriers();

  bool tryComplete(uint32_t WarpIndex, uint32_t Pending);
  void checkRendezvous(uint32_t WarpIndex);

  Worker &Home;
  const uint32_t Capacity;
  std::unique_ptr<DeviceThread[]> Threads;
  std::unique_ptr<races::BlockClock> RaceClock =
      std::make_unique<races::BlockClock>();
  StackSlab Stacks;
  char *SharedSlot = nullptr;
  bool ReservedOpen = false; ///< see openReservedShared
  size_t SharedUsed = 0;     ///< bytes of the slot whose shadow may be set
  Launch *Run = nullptr;
  uint64_t PreparedFor = 0; ///< Launch::Serial
  uint64_t Linear = 0;      ///< this block in its grid

  uint32_t WarpCount = 0;
  uint32_t AliveCount = 0;
  uint32_t ReadyWarps = 0;
  uint32_t SpinningWarps = 0;
  bool SpinnersWork = false;
  uint32_t ActiveBarriers = 0;
  uint64_t BarriersPassed = 0; ///< a sign of progress
  uint32_t CurrentWarp = 0;
  uint32_t CurrentLane = 0;
  mutable uint64_t RandomState = 1;
  Warp Warps[LargestBlock / WarpLanes];
  Barrier Barriers[BarrierCount];
};

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_BLOCK_H

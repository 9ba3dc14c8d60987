//===- RaceClocks.h - What a thread has seen of the others ------*- C++ -*-===//
///
/// \file
/// Time is one counter, the tick, that grows with every barrier, warp operation
/// and fence; it can be one since only one worker runs while races are looked
/// for. An access has the tick at which it was made. It happened before all
/// that a thread does now if the thread has since met the one that made it:
///
/// - in a barrier of the whole block (BlockClock::Barrier is later),
/// - in operations of their warp (ThreadClock::Seen, the lanes' vector clock),
/// - in barriers of some warps (ThreadClock::SeenAll, made when first needed),
/// - through memory: a thread of the accessing block made a fence after the
///   access (for other blocks: or an atomic update), and this thread (for other
///   blocks: its block) read something atomically or volatile after the access.
///   That is coarser than the memory model, so that it never calls a race what
///   is none.
///
/// The end of a launch orders everything.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_RACECLOCKS_H
#define CUDAL1_RUNTIME_EMULATOR_RACECLOCKS_H

#include "DeviceThread.h"
#include <vector>

namespace cudal1::emulator::races {

using Tick = uint32_t;

struct ThreadClock {
  Tick Seen[WarpLanes] = {}; ///< accesses of a lane before it are ordered
  Tick Acquired = 0;         ///< last atomic or volatile read
  std::vector<Tick>
      SeenAll; ///< the same for all threads of the block, or empty
};

/// What the threads that came to a barrier of some warps had seen.
struct Gathering {
  std::vector<Tick> Seen;
  Tick Acquired = 0;
  bool Used = false;
};

struct BlockClock {
  uint64_t Block = 0; ///< linear index in the grid
  Tick Barrier = 0;
  Tick Acquired = 0;
  Tick Fenced = 0;                  ///< last fence of a thread
  std::vector<ThreadClock> Threads; ///< empty for a block of plain calls
  std::vector<Gathering> Gatherings;
};

/// All that is known while a launch runs.
struct State {
  Tick Now = 1;
  Tick LaunchStart = 1;       ///< accesses at or before it are ordered
  std::vector<Tick> Released; ///< by block: its last fence or atomic update
  BlockClock Plain;           ///< of the block of plain calls that runs
};

State &state();
/// The same, for code that has no time to ask whether it is there already;
/// nullptr before the first call of state().
extern State *Clocks;

/// The clock of the running thread's block.
BlockClock &blockClock(const DeviceThread &Thread);

} // namespace cudal1::emulator::races

#endif // CUDAL1_RUNTIME_EMULATOR_RACECLOCKS_H

//===- Races.cpp - The clocks of the race detector ------------------------===//

#include "Races.h"
#include "Block.h"
#include "RaceCells.h"
#include "RaceClocks.h"
#include "Worker.h"
#include <algorithm>
#include <bit>

namespace cudal1::emulator::races {

namespace {

/// Ticks left when all is forgotten, between two launches.
constexpr Tick LatestLaunch = 0xf0000000;
/// Grids with more blocks than this do without Released.
constexpr uint64_t MostBlocks = uint64_t(1) << 26;

void join(std::vector<Tick> &Into, const std::vector<Tick> &From) {
  if (Into.size() < From.size())
    Into.resize(From.size());
  for (size_t I = 0; I < From.size(); ++I)
    Into[I] = std::max(Into[I], From[I]);
}

} // namespace

State *Clocks = nullptr;

State &state() {
  static State *Only = Clocks = new State;
  return *Only;
}

BlockClock &blockClock(const DeviceThread &Thread) {
  return Thread.Owner ? Thread.Owner->raceClock() : state().Plain;
}

void startLaunch(const Launch &Run) {
  State &All = state();
  if (All.Now > LatestLaunch) {
    forgetCells();
    All.Now = 1;
  }
  All.LaunchStart = All.Now++;
  All.Released.assign(std::min(Run.Blocks, MostBlocks), 0);
}

void startBlock(Block &Started) {
  BlockClock &Clock = Started.raceClock();
  Clock.Block = Started.linearIndex();
  Clock.Barrier = Clock.Acquired = Clock.Fenced = 0;
  Clock.Threads.assign(Started.launch().Threads, {});
  Clock.Gatherings.assign(Block::BarrierCount, {});
}

void startPlainBlock(uint64_t Index) {
  BlockClock &Clock = state().Plain;
  Clock.Block = Index;
  Clock.Barrier = Clock.Acquired = Clock.Fenced = 0;
}

void arriveAtBarrier(Block &Where, DeviceThread &Thread, uint32_t Id) {
  BlockClock &Clock = Where.raceClock();
  ThreadClock &Mine = Clock.Threads[Thread.Index];
  Gathering &Met = Clock.Gatherings[Id];
  Met.Used = true;
  Met.Acquired = std::max(Met.Acquired, Mine.Acquired);
  join(Met.Seen, Mine.SeenAll);
  Met.Seen.resize(Clock.Threads.size());
  size_t First = size_t(Thread.Warp) * WarpLanes;
  for (size_t I = First; I < std::min(First + WarpLanes, Met.Seen.size()); ++I)
    Met.Seen[I] = std::max(Met.Seen[I], Mine.Seen[I - First]);
  Met.Seen[Thread.Index] = ++state().Now;
}

void completeBarrier(Block &Where, bool All) {
  Tick Now = ++state().Now;
  if (All)
    Where.raceClock().Barrier = Now;
}

void leaveBarrier(Block &Where, DeviceThread &Thread, uint32_t Id) {
  BlockClock &Clock = Where.raceClock();
  Gathering &Met = Clock.Gatherings[Id];
  if (!Met.Used)
    return;
  ThreadClock &Mine = Clock.Threads[Thread.Index];
  join(Mine.SeenAll, Met.Seen);
  Mine.Acquired = std::max(Mine.Acquired, Met.Acquired);
}

void meetInWarp(Block &Where, uint32_t WarpIndex, uint32_t Lanes) {
  BlockClock &Clock = Where.raceClock();
  ThreadClock *Warp = &Clock.Threads[size_t(WarpIndex) * WarpLanes];
  ThreadClock Joint;
  for (uint32_t Left = Lanes; Left; Left &= Left - 1) {
    const ThreadClock &Lane = Warp[std::countr_zero(Left)];
    for (uint32_t I = 0; I < WarpLanes; ++I)
      Joint.Seen[I] = std::max(Joint.Seen[I], Lane.Seen[I]);
    Joint.Acquired = std::max(Joint.Acquired, Lane.Acquired);
    join(Joint.SeenAll, Lane.SeenAll);
  }
  Tick Now = ++state().Now;
  for (uint32_t Left = Lanes; Left; Left &= Left - 1)
    Joint.Seen[std::countr_zero(Left)] = Now;
  for (uint32_t Left = Lanes; Left; Left &= Left - 1)
    Warp[std::countr_zero(Left)] = Joint;
}

void noteAtomic() {
  State &All = state();
  uint64_t Index = blockClock(*currentThread()).Block;
  if (Index < All.Released.size())
    All.Released[Index] = ++All.Now;
}

void fence() {
  const DeviceThread *Thread = currentThread();
  if (!Thread || !Worker::current()->launch().Races)
    return;
  noteAtomic();
  blockClock(*Thread).Fenced = state().Now;
}

} // namespace cudal1::emulator::races

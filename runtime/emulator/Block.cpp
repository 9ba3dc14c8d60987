//===- Block.cpp - Which fiber runs next ----------------------------------===//

#include "Block.h"
#include "AddressSpace.h"
#include "Fiber.h"
#include "Races.h"
#include "Worker.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace cudal1::emulator {

namespace {

/// The next set bit after \p Bit in a circle, upwards or downwards.
uint32_t nextUp(uint32_t Mask, uint32_t Bit) {
  uint32_t Higher = Bit == 31 ? 0 : Mask & (~uint32_t(0) << (Bit + 1));
  return std::countr_zero(Higher ? Higher : Mask);
}
uint32_t nextDown(uint32_t Mask, uint32_t Bit) {
  uint32_t Lower = Mask & ((uint32_t(1) << Bit) - 1);
  return 31 - std::countl_zero(Lower ? Lower : Mask);
}

} // namespace

void fiber::enter() {
  DeviceThread &Self = *currentThread();
  Launch &Run = Self.Owner->launch();
  Run.Kernel.Entry(Run.Arguments);
  Self.Owner->finish(Self);
}

Block::~Block() {
  if (!SharedSlot)
    return;
  std::memset(space::shadowOf(SharedSlot), ShadowOutside, SharedUsed);
  space::giveSharedSlot(SharedSlot);
}

bool Block::acquire(size_t StackBytes, bool NeedsShared) {
  if (!SharedSlot && NeedsShared)
    SharedSlot = space::takeSharedSlot();
  if (!SharedSlot && NeedsShared)
    return false;
  if (Stacks.bytesEach() != StackBytes && !Stacks.reserve(Capacity, StackBytes))
    return false;
  if (!Threads)
    Threads = std::make_unique<DeviceThread[]>(Capacity);
  return true;
}

void Block::prepare(Launch &NewRun) {
  Run = &NewRun;
  if (PreparedFor == NewRun.Serial)
    return;
  PreparedFor = NewRun.Serial;
  WarpCount = NewRun.Warps;
  if (SharedSlot)
    std::memset(space::shadowOf(SharedSlot), ShadowOutside, SharedUsed);
  SharedUsed = SharedSlot ? SharedSlotMargin + NewRun.SharedShadow.size() : 0;
  const LaunchShape &Shape = NewRun.Shape;
  uint32_t Next[3] = {0, 0, 0};
  for (uint32_t I = 0; I < NewRun.Threads; ++I) {
    DeviceThread &Thread = Threads[I];
    std::memcpy(Thread.ThreadIdx, Next, sizeof Next);
    std::memcpy(Thread.BlockDim, Shape.Block, sizeof Next);
    std::memcpy(Thread.GridDim, Shape.Grid, sizeof Next);
    Thread.Lane = I % WarpLanes;
    Thread.Warp = I / WarpLanes;
    Thread.StaticSharedBytes = NewRun.Kernel.StaticSharedBytes;
    Thread.DynamicSharedBytes = Shape.DynamicSharedBytes;
    Thread.Shared = SharedSlot ? SharedSlot + SharedSlotMargin : nullptr;
    Thread.Owner = this;
    Thread.Index = I;
    Thread.StackLow = Stacks.low(I);
    Thread.StackHigh = Stacks.top(I);
    if (++Next[0] == Shape.Block[0]) {
      Next[0] = 0;
      if (++Next[1] == Shape.Block[1]) {
        Next[1] = 0;
        ++Next[2];
      }
    }
  }
}

void Block::openReservedShared() {
  if (ReservedOpen || !SharedSlot)
    return;
  ReservedOpen = true;
  char *Reserved = SharedSlot + SharedSlotMargin + ReservedSharedOffset;
  std::memset(Reserved, 0, ReservedSharedBytes);
  std::memset(space::shadowOf(Reserved), ShadowInitialized,
              ReservedSharedBytes);
}

void Block::start(uint64_t Index) {
  Linear = Index;
  uint32_t BlockIdx[3];
  Run->coordinates(Index, BlockIdx);
  for (uint32_t I = 0; I < Run->Threads; ++I) {
    DeviceThread &Thread = Threads[I];
    std::memcpy(Thread.BlockIdx, BlockIdx, sizeof BlockIdx);
    Thread.LinearBlock = static_cast<uint32_t>(Index);
    Thread.Site = nullptr;
    Thread.SpinHints = 0;
    Thread.SpinDigest = 0;
    Thread.Context = fiber::make(Stacks.top(I), Stacks.top(I) - Stacks.low(I));
  }
  AliveCount = Run->Threads;
  for (uint32_t I = 0; I < WarpCount; ++I) {
    uint32_t Lanes = std::min(WarpLanes, AliveCount - I * WarpLanes);
    Warps[I].reset(~uint32_t(0) >> (WarpLanes - Lanes));
  }
  ReadyWarps = ~uint32_t(0) >> (32 - WarpCount);
  SpinningWarps = 0;
  for (Barrier &Point : Barriers)
    if (Point.Generation || Point.Arrived)
      Point = Barrier{};
  ActiveBarriers = 0;
  bool Down = Run->Schedule.Kind == Order::Reverse;
  CurrentWarp = Down ? WarpCount - 1 : 0;
  CurrentLane = Down ? 0 : 31;
  RandomState = (Run->Schedule.Seed + 1) * 0x9e3779b97f4a7c15u + Index * 2 + 1;
  ReservedOpen = false;
  if (Run->SharedBytes) {
    char *Shared = SharedSlot + SharedSlotMargin;
    std::memset(Shared, FreshByte, Run->SharedBytes);
    std::memcpy(space::shadowOf(Shared), Run->SharedShadow.data(),
                Run->SharedShadow.size());
  }
  if (Run->Races)
    races::startBlock(*this);
}

Block::Outcome Block::run() {
  wakeSpinners();
  if (DeviceThread *First = pick()) {
    cudal1_emu_thread = First;
    fiber::cudal1_emu_jump(First->Context, &Home.Context);
    cudal1_emu_thread = nullptr;
  }
  if (!AliveCount)
    return Outcome::Finished;
  return SpinningWarps ? Outcome::Spinning : Outcome::Stuck;
}

void Block::setReady(uint32_t WarpIndex, uint32_t Lanes) {
  if (!Lanes)
    return;
  Warps[WarpIndex].Ready |= Lanes;
  ReadyWarps |= uint32_t(1) << WarpIndex;
}

void Block::pause(DeviceThread &Self) {
  Warp &Mine = Warps[Self.Warp];
  Mine.Ready &= ~Self.laneBit();
  if (Mine.Ready)
    return;
  ReadyWarps &= ~(uint32_t(1) << Self.Warp);
  if (Mine.Lockstep | Mine.Converging)
    settle(Self.Warp);
}

void Block::leave(DeviceThread &Self) {
  DeviceThread *Next = pick();
  if (Next == &Self)
    return;
  if (Next) {
    cudal1_emu_thread = Next;
    fiber::cudal1_emu_jump(Next->Context, &Self.Context);
  } else {
    fiber::cudal1_emu_jump(Home.Context, &Self.Context);
  }
}

void Block::finish(DeviceThread &Self) {
  Warp &Mine = Warps[Self.Warp];
  Mine.Alive &= ~Self.laneBit();
  --AliveCount;
  pause(Self);
  if (Mine.PendingCount)
    checkRendezvous(Self.Warp);
  if (ActiveBarriers)
    checkBarriers();
  DeviceThread *Next = pick();
  cudal1_emu_thread = Next;
  fiber::cudal1_emu_jump(Next ? Next->Context : Home.Context, &Self.Context);
  __builtin_unreachable(); // Nobody jumps back to a thread that has finished.
}

uint32_t Block::random() const {
  RandomState ^= RandomState << 13;
  RandomState ^= RandomState >> 7;
  RandomState ^= RandomState << 17;
  return static_cast<uint32_t>(RandomState >> 32);
}

/// A warp goes on as long as it has a lane that is ready: its stacks are in the
/// cache, and lanes that work together stay together. ReadyWarps is not 0.
uint32_t Block::pickWarp() {
  const Order &Schedule = Run->Schedule;
  switch (Schedule.Kind) {
  case Order::Forward:
    break;
  case Order::Reverse:
    if (ReadyWarps >> CurrentWarp & 1)
      return CurrentWarp;
    return nextDown(ReadyWarps, CurrentWarp);
  case Order::Random:
    return nextUp(ReadyWarps, random() % 32);
  case Order::Ahead:
    if (Schedule.Warp < 32 && (ReadyWarps >> Schedule.Warp & 1))
      return Schedule.Warp;
    break;
  }
  if (ReadyWarps >> CurrentWarp & 1)
    return CurrentWarp;
  return nextUp(ReadyWarps, CurrentWarp);
}

uint32_t Block::pickLane(uint32_t WarpIndex) const {
  uint32_t Ready = Warps[WarpIndex].Ready;
  switch (Run->Schedule.Kind) {
  case Order::Reverse:
    return nextDown(Ready, WarpIndex == CurrentWarp ? CurrentLane : 0);
  case Order::Random:
    return nextUp(Ready, random() % 32);
  case Order::Forward:
  case Order::Ahead:
    break;
  }
  return nextUp(Ready, WarpIndex == CurrentWarp ? CurrentLane : 31);
}

DeviceThread *Block::pick() {
  if (!ReadyWarps)
    return nullptr;
  uint32_t WarpIndex = pickWarp();
  CurrentLane = pickLane(WarpIndex);
  CurrentWarp = WarpIndex;
  return &Threads[WarpIndex * WarpLanes + CurrentLane];
}

void Block::settle(uint32_t WarpIndex) {
  Warp &Mine = Warps[WarpIndex];
  if (Mine.Lockstep) {
    setReady(WarpIndex, Mine.Lockstep);
    Mine.Lockstep = 0;
    return;
  }
  releaseConverging(WarpIndex);
}

/// Of the registers that calls keep, which the switch has put on the stack, and
/// of the innermost frames above them: there all is that a loop changes.
uint64_t Block::digestOf(const DeviceThread &Thread) {
  constexpr uintptr_t MostBytes = 1024;
  auto Low = reinterpret_cast<uintptr_t>(Thread.Context);
  uintptr_t High = std::min(Thread.StackHigh, Low + MostBytes);
  uint64_t Digest = 1;
  for (; Low + sizeof(uint64_t) <= High; Low += sizeof(uint64_t)) {
    uint64_t Word;
    std::memcpy(&Word, reinterpret_cast<const void *>(Low), sizeof Word);
    Digest = (Digest ^ Word) * 0x9e3779b97f4a7c15u;
    Digest ^= Digest >> 32;
  }
  return Digest;
}

void Block::wakeSpinners() {
  SpinnersWork = false;
  while (SpinningWarps) {
    uint32_t WarpIndex = std::countr_zero(SpinningWarps);
    SpinningWarps &= SpinningWarps - 1;
    Warp &Mine = Warps[WarpIndex];
    for (uint32_t Left = Mine.Spinning; Left; Left &= Left - 1) {
      DeviceThread &Thread = lane(WarpIndex, std::countr_zero(Left));
      uint64_t Digest = digestOf(Thread);
      SpinnersWork |= Thread.SpinDigest && Thread.SpinDigest != Digest;
      Thread.SpinDigest = Digest;
    }
    setReady(WarpIndex, Mine.Spinning);
    Mine.Spinning = 0;
  }
}

void Block::spin(DeviceThread &Self) {
  Warps[Self.Warp].Spinning |= Self.laneBit();
  SpinningWarps |= uint32_t(1) << Self.Warp;
  pause(Self);
  leave(Self);
}

/// Volatile accesses of old warp-synchronous code: such code counts on the
/// lanes of a warp running in lockstep. A lane that comes to a volatile access
/// stops before it; when every lane of the warp has stopped (there, or at
/// something else that it waits for), all are released, and each makes its
/// access and runs on to its next one. So all lanes have made their Nth access
/// before any makes its next, as long as they execute the same accesses; lanes
/// that branched away come to a stop of their own and take part with theirs.
void Block::keepLockstep(DeviceThread &Self) {
  Warp &Mine = Warps[Self.Warp];
  if (Mine.Alive == Self.laneBit())
    return;
  Mine.Lockstep |= Self.laneBit();
  pause(Self);
  leave(Self);
}

uint32_t Block::converge(DeviceThread &Self) {
  Warp &Mine = Warps[Self.Warp];
  if (Mine.Alive == Self.laneBit())
    return Self.laneBit();
  Mine.Converging |= Self.laneBit();
  pause(Self);
  leave(Self);
  return Self.Request.Mask;
}

/// No lane of the warp can run: those that stopped at activemask see each other
/// if they stopped at the same place.
void Block::releaseConverging(uint32_t WarpIndex) {
  Warp &Mine = Warps[WarpIndex];
  uint32_t All = Mine.Converging;
  for (uint32_t Left = All; Left; Left &= Left - 1) {
    DeviceThread &Thread = lane(WarpIndex, std::countr_zero(Left));
    uint32_t Together = 0;
    for (uint32_t Others = All; Others; Others &= Others - 1) {
      uint32_t Lane = std::countr_zero(Others);
      if (lane(WarpIndex, Lane).Site == Thread.Site)
        Together |= uint32_t(1) << Lane;
    }
    Thread.Request.Mask = Together;
  }
  Mine.Converging = 0;
  setReady(WarpIndex, All);
}

} // namespace cudal1::emulator

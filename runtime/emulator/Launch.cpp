//===- Launch.cpp ---------------------------------------------------------===//

#include "Launch.h"
#include "AddressSpace.h"
#include "DeviceThread.h"
#include <algorithm>
#include <numeric>

namespace cudal1::emulator {

namespace {

std::atomic<uint64_t> Launches{0};

uint64_t volume(const uint32_t (&Extent)[3]) {
  return uint64_t(Extent[0]) * Extent[1] * Extent[2];
}

/// A multiplier coprime to \p Count: multiplying by it permutes the blocks.
uint64_t coprime(uint64_t Count, uint64_t Seed) {
  uint64_t Candidate = (Seed * 0x9e3779b97f4a7c15u) % Count | 1;
  while (std::gcd(Candidate, Count) != 1)
    Candidate += 2;
  return Candidate;
}

} // namespace

Launch::Launch(const KernelInfo &Kernel, const LaunchShape &Shape,
               void **Arguments)
    : Kernel(Kernel), Shape(Shape), Arguments(Arguments),
      Schedule(settings().Schedule), Serial(++Launches),
      Blocks(volume(Shape.Grid)),
      Threads(static_cast<uint32_t>(volume(Shape.Block))),
      Warps((Threads + WarpLanes - 1) / WarpLanes),
      Fibers((Kernel.Flags & (KernelWaits | KernelSpins)) != 0),
      Races(settings().Races), SharedBytes(size_t(Kernel.DynamicSharedOffset) +
                                           Shape.DynamicSharedBytes) {
  planShared();
}

void Launch::planShared() {
  if (!SharedBytes)
    return;
  if (SharedBytes + SharedSlotMargin > ReservedSharedOffset)
    cudal1_emu_unsupported("a block with this much shared memory", nullptr);
  SharedShadow.assign(SharedBytes + SharedSlotMargin, ShadowOutside);
  auto Mark = [&](size_t Offset, size_t Bytes) {
    auto Start = SharedShadow.begin() +
                 static_cast<ptrdiff_t>(std::min(Offset, SharedBytes));
    std::fill(Start,
              SharedShadow.begin() +
                  static_cast<ptrdiff_t>(std::min(Offset + Bytes, SharedBytes)),
              ShadowUninitialized);
  };
  if (!Kernel.SharedVariableCount)
    Mark(0, Kernel.StaticSharedBytes);
  for (uint32_t I = 0; I < Kernel.SharedVariableCount; ++I)
    Mark(Kernel.SharedVariables[I].Offset, Kernel.SharedVariables[I].Bytes);
  Mark(Kernel.DynamicSharedOffset, Shape.DynamicSharedBytes);
}

uint64_t Launch::take(uint64_t Count, uint64_t &First) {
  if (!blocksLeft())
    return 0;
  First = Next.fetch_add(Count, std::memory_order_relaxed);
  return First < Blocks ? std::min(Count, Blocks - First) : 0;
}

uint64_t Launch::blockAt(uint64_t Place) const {
  switch (Schedule.Kind) {
  case Order::Reverse:
    return Blocks - 1 - Place;
  case Order::Random: {
    using Wide = unsigned __int128;
    uint64_t Seed = Schedule.Seed + Serial;
    return static_cast<uint64_t>((Wide(Place) * coprime(Blocks, Seed) + Seed) %
                                 Blocks);
  }
  case Order::Forward:
  case Order::Ahead:
    break;
  }
  return Place;
}

void Launch::coordinates(uint64_t Block, uint32_t (&Index)[3]) const {
  Index[0] = static_cast<uint32_t>(Block % Shape.Grid[0]);
  Block /= Shape.Grid[0];
  Index[1] = static_cast<uint32_t>(Block % Shape.Grid[1]);
  Index[2] = static_cast<uint32_t>(Block / Shape.Grid[1]);
}

void Launch::fail(LaunchResult Reason) {
  LaunchResult Fine = LaunchResult::Done;
  Result.compare_exchange_strong(Fine, Reason);
  Stop.store(true, std::memory_order_relaxed);
}

} // namespace cudal1::emulator

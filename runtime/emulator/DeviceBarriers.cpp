//===- DeviceBarriers.cpp - Barrier intrinsics ----------------------------===//

#include "Block.h"
#include "DeviceLibrary.h"

using namespace cudal1::emulator;

namespace {

BarrierVotes meet(const BarrierCall &Call) {
  DeviceThread &Self = *currentThread();
  if (!Self.Owner)
    cudal1_emu_unsupported("a barrier in a kernel that was compiled as one "
                           "without",
                           Self.Site);
  return Self.Owner->meetAtBarrier(Self, Call);
}

uint32_t all(BarrierVotes Votes) { return Votes.True == Votes.Threads; }
uint32_t any(BarrierVotes Votes) { return Votes.True != 0; }

} // namespace

#define BARRIER(Form)                                                          \
  void cudal1_nvvm_barrier_cta_sync_##Form##all(uint32_t Id) { meet({Id}); }   \
  void cudal1_nvvm_barrier_cta_sync_##Form##count(uint32_t Id,                 \
                                                  uint32_t Count) {            \
    meet({Id, Count});                                                         \
  }                                                                            \
  void cudal1_nvvm_barrier_cta_arrive_##Form##count(uint32_t Id,               \
                                                    uint32_t Count) {          \
    meet({Id, Count, false, false});                                           \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_popc_##Form##all(uint32_t Id,           \
                                                        uint32_t Predicate) {  \
    return meet({Id, 0, Predicate != 0}).True;                                 \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_and_##Form##all(uint32_t Id,            \
                                                       uint32_t Predicate) {   \
    return all(meet({Id, 0, Predicate != 0}));                                 \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_or_##Form##all(uint32_t Id,             \
                                                      uint32_t Predicate) {    \
    return any(meet({Id, 0, Predicate != 0}));                                 \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_popc_##Form##count(                     \
      uint32_t Id, uint32_t Count, uint32_t Predicate) {                       \
    return meet({Id, Count, Predicate != 0}).True;                             \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_and_##Form##count(                      \
      uint32_t Id, uint32_t Count, uint32_t Predicate) {                       \
    return all(meet({Id, Count, Predicate != 0}));                             \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_or_##Form##count(                       \
      uint32_t Id, uint32_t Count, uint32_t Predicate) {                       \
    return any(meet({Id, Count, Predicate != 0}));                             \
  }

BARRIER()
BARRIER(aligned_)

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

/// PTX has barriers 0 to 15.
BarrierVotes meetNamed(BarrierCall Call) {
  Call.Id %= Block::ClusterBarrier;
  return meet(Call);
}

uint32_t all(BarrierVotes Votes) { return Votes.True == Votes.Threads; }
uint32_t any(BarrierVotes Votes) { return Votes.True != 0; }

} // namespace

#define BARRIER(Form)                                                          \
  void cudal1_nvvm_barrier_cta_sync_##Form##all(uint32_t Id) {                 \
    meetNamed({Id});                                                           \
  }                                                                            \
  void cudal1_nvvm_barrier_cta_sync_##Form##count(uint32_t Id,                 \
                                                  uint32_t Count) {            \
    meetNamed({Id, Count});                                                    \
  }                                                                            \
  void cudal1_nvvm_barrier_cta_arrive_##Form##count(uint32_t Id,               \
                                                    uint32_t Count) {          \
    meetNamed({Id, Count, false, false});                                      \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_popc_##Form##all(uint32_t Id,           \
                                                        uint32_t Predicate) {  \
    return meetNamed({Id, 0, Predicate != 0}).True;                            \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_and_##Form##all(uint32_t Id,            \
                                                       uint32_t Predicate) {   \
    return all(meetNamed({Id, 0, Predicate != 0}));                            \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_or_##Form##all(uint32_t Id,             \
                                                      uint32_t Predicate) {    \
    return any(meetNamed({Id, 0, Predicate != 0}));                            \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_popc_##Form##count(                     \
      uint32_t Id, uint32_t Count, uint32_t Predicate) {                       \
    return meetNamed({Id, Count, Predicate != 0}).True;                        \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_and_##Form##count(                      \
      uint32_t Id, uint32_t Count, uint32_t Predicate) {                       \
    return all(meetNamed({Id, Count, Predicate != 0}));                        \
  }                                                                            \
  uint32_t cudal1_nvvm_barrier_cta_red_or_##Form##count(                       \
      uint32_t Id, uint32_t Count, uint32_t Predicate) {                       \
    return any(meetNamed({Id, Count, Predicate != 0}));                        \
  }

BARRIER()
BARRIER(aligned_)

// A cluster of one block. Arriving asks for nothing, and waiting is for all
// threads to come there.
void cudal1_nvvm_barrier_cluster_arrive() {}
void cudal1_nvvm_barrier_cluster_arrive_aligned() {}
void cudal1_nvvm_barrier_cluster_arrive_relaxed() {}
void cudal1_nvvm_barrier_cluster_arrive_relaxed_aligned() {}
void cudal1_nvvm_barrier_cluster_wait() { meet({Block::ClusterBarrier}); }
void cudal1_nvvm_barrier_cluster_wait_aligned() {
  meet({Block::ClusterBarrier});
}

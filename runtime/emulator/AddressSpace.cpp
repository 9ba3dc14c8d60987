//===- AddressSpace.cpp ---------------------------------------------------===//

#include "AddressSpace.h"
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>
#include <vector>

cudal1::emulator::CheckedRange cudal1_emu_memory;

namespace cudal1::emulator::space {

namespace {

constexpr uintptr_t LargestRange = uintptr_t(64) << 30;
constexpr uintptr_t SmallestRange = uintptr_t(1) << 30;
/// The part of the range that shared memory gets: 8192 slots of 64 GiB.
constexpr uintptr_t SharedShare = 16;

/// Bytes by which the shadow lies beside the start of a page. A power of two
/// between elements, as a column of a matrix has it, puts all of them in a few
/// sets of the cache; without this, their shadow would compete for the same.
constexpr uintptr_t ShadowSkew = 1024;

struct SlotPool {
  std::mutex Lock;
  std::vector<char *> Free;
  uintptr_t Used = 0; ///< bytes ever handed out
};

SlotPool &slots() {
  static SlotPool *Pool = new SlotPool;
  return *Pool;
}

void *reserveBytes(uintptr_t Bytes) {
  void *Address = ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Address == MAP_FAILED)
    return nullptr;
  ::madvise(Address, Bytes, MADV_DONTDUMP);
  // Huge pages would make the few bytes of a slot cost 2 MiB.
  ::madvise(Address, Bytes / SharedShare, MADV_NOHUGEPAGE);
  return Address;
}

} // namespace

void reserve() {
  if (cudal1_emu_memory.Base)
    return;
  for (uintptr_t Bytes = LargestRange; Bytes >= SmallestRange; Bytes /= 2) {
    void *Base = reserveBytes(Bytes);
    void *Shadow = Base ? reserveBytes(Bytes + ShadowSkew) : nullptr;
    if (Shadow) {
      cudal1_emu_memory = {reinterpret_cast<uintptr_t>(Base), Bytes,
                           static_cast<uint8_t *>(Shadow) + ShadowSkew};
      return;
    }
    if (Base)
      ::munmap(Base, Bytes);
  }
  std::fprintf(stderr, "cuda-l1-emu: cannot reserve 2 GiB of address space for "
                       "device memory: raise the limit (ulimit -v)\n");
  std::abort();
}

uintptr_t sharedBase() { return cudal1_emu_memory.Base; }
uintptr_t sharedBytes() { return cudal1_emu_memory.Bytes / SharedShare; }
uintptr_t heapBase() { return sharedBase() + sharedBytes(); }
uintptr_t heapBytes() { return cudal1_emu_memory.Bytes - sharedBytes(); }

char *takeSharedSlot() {
  SlotPool &Pool = slots();
  std::lock_guard<std::mutex> Guard(Pool.Lock);
  if (!Pool.Free.empty()) {
    char *Slot = Pool.Free.back();
    Pool.Free.pop_back();
    return Slot;
  }
  if (Pool.Used + SharedSlotBytes > sharedBytes())
    return nullptr;
  char *Slot = reinterpret_cast<char *>(sharedBase() + Pool.Used);
  Pool.Used += SharedSlotBytes;
  return Slot;
}

void giveSharedSlot(char *Slot) {
  SlotPool &Pool = slots();
  std::lock_guard<std::mutex> Guard(Pool.Lock);
  Pool.Free.push_back(Slot);
}

namespace {

/// Constructors of the emulated program may allocate: be there before them.
__attribute__((constructor(101))) void reserveEarly() { reserve(); }

} // namespace

} // namespace cudal1::emulator::space

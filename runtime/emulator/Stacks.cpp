//===- Stacks.cpp ---------------------------------------------------------===//

#include "Stacks.h"
#include <atomic>
#include <sys/mman.h>
#include <unistd.h>

namespace cudal1::emulator {

namespace {

/// A guard page splits a mapping in two, and the system allows a process about
/// 65,000 mappings: with very many resident blocks the later ones go without.
constexpr int64_t MostGuards = 12000;
std::atomic<int64_t> Guards{0};

size_t pageBytes() {
  static const size_t Bytes = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return Bytes;
}

} // namespace

bool StackSlab::reserve(uint32_t Wanted, size_t BytesEach) {
  release();
  void *Address = ::mmap(nullptr, Wanted * BytesEach, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Address == MAP_FAILED)
    return false;
  ::madvise(Address, Wanted * BytesEach, MADV_NOHUGEPAGE);
  Base = reinterpret_cast<uintptr_t>(Address);
  Each = BytesEach;
  Count = Wanted;
  Guarded = Guards.fetch_add(Wanted) + Wanted <= MostGuards;
  if (!Guarded) {
    Guards.fetch_sub(Wanted);
    return true;
  }
  for (uint32_t I = 0; I < Count; ++I)
    ::mprotect(reinterpret_cast<void *>(low(I)), pageBytes(), PROT_NONE);
  return true;
}

void StackSlab::release() {
  if (!Base)
    return;
  ::munmap(reinterpret_cast<void *>(Base), Count * Each);
  if (Guarded)
    Guards.fetch_sub(Count);
  Base = 0;
  Count = 0;
}

bool StackSlab::isGuard(uintptr_t Address) const {
  uintptr_t Offset = Address - Base;
  return Guarded && Offset < Count * Each && Offset % Each < pageBytes();
}

} // namespace cudal1::emulator

//===- DeviceMemory.cpp ---------------------------------------------------===//

#include "DeviceMemory.h"
#include "AddressSpace.h"
#include "Findings.h"
#include "HostMemory.h"
#include "Registry.h"
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace cudal1::emulator::memory {

namespace {

constexpr uint64_t AllocationAlignment = 512;
constexpr uint64_t SmallestRedzone = 256;
/// Untouched address space costs nothing: large allocations get a redzone that
/// an index wrong by a row does not jump over.
constexpr uint64_t LargestRedzone = uint64_t(1) << 20;
constexpr uint64_t DefaultTotalBytes = uint64_t(16) << 30;
/// Freed memory that is kept apart. Its shadow costs as much real memory.
constexpr uint64_t LargestQuarantine = uint64_t(512) << 20;
/// Freed memory from this size on gives its pages back to the system.
constexpr uint64_t ReturnedBytes = uint64_t(64) * 1024;

uint64_t alignUp(uint64_t Value, uint64_t Alignment) {
  return (Value + Alignment - 1) / Alignment * Alignment;
}

/// Bytes that an allocation takes of the range, the redzone behind it included.
uint64_t footprint(uint64_t Bytes) {
  return alignUp(Bytes + std::clamp(Bytes / 4, SmallestRedzone, LargestRedzone),
                 AllocationAlignment);
}

/// Drops the pages that lie wholly in [Start, Start+Bytes): they read as zero.
void returnPages(uintptr_t Start, uint64_t Bytes) {
  uintptr_t Page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  uintptr_t First = alignUp(Start, Page);
  uintptr_t Last = (Start + Bytes) / Page * Page;
  if (First < Last)
    ::madvise(reinterpret_cast<void *>(First), Last - First, MADV_DONTNEED);
}

/// The allocator: addresses are handed out upwards; what is freed waits in a
/// queue, so that late uses are seen, and then is used again.
class Heap {
public:
  void *allocate(uint64_t Bytes, MemoryKind Kind);
  bool release(void *Address);
  std::optional<Allocation> find(uintptr_t Address);
  uint64_t bytesInUse();
  uint64_t totalBytes() const { return Total; }

private:
  uintptr_t takeRange(uint64_t Bytes);
  uintptr_t takeFree(uint64_t Bytes);
  void retireOldest();

  std::mutex Lock;
  /// Live ones and those that were freed and not used again, by address.
  std::map<uintptr_t, Allocation> Known;
  std::map<uintptr_t, uint64_t> Free; ///< ranges to use again: start, bytes
  std::deque<uintptr_t> Quarantine;
  uint64_t QuarantineBytes = 0;
  uint64_t InUse = 0;
  uint64_t LastNumber = 0;
  /// A redzone lies before the first allocation as well.
  uintptr_t Next = space::heapBase() + HeapMargin;
  uint64_t Total =
      std::min(DefaultTotalBytes,
               // A byte of device memory costs a byte of shadow as well.
               static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                   static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) / 5 * 2);
};

uintptr_t Heap::takeFree(uint64_t Bytes) {
  for (auto Range = Free.begin(); Range != Free.end(); ++Range) {
    if (Range->second < Bytes)
      continue;
    auto [Start, Size] = *Range;
    Free.erase(Range);
    if (Size > Bytes)
      Free.emplace(Start + Bytes, Size - Bytes);
    return Start;
  }
  return 0;
}

void Heap::retireOldest() {
  auto Oldest = Known.find(Quarantine.front());
  Quarantine.pop_front();
  uintptr_t Start = Oldest->first;
  uint64_t Size = footprint(Oldest->second.Bytes);
  QuarantineBytes -= Size;
  uint8_t *Shadow = space::shadowOf(reinterpret_cast<void *>(Start));
  uint64_t Bytes = Oldest->second.Bytes;
  if (Bytes >= ReturnedBytes)
    returnPages(reinterpret_cast<uintptr_t>(Shadow), Bytes);
  uint64_t Edge = std::min<uint64_t>(Bytes, ReturnedBytes);
  std::memset(Shadow, ShadowOutside, Edge);
  std::memset(Shadow + Bytes - Edge, ShadowOutside, Edge);
  Known.erase(Oldest);
  auto After = Free.lower_bound(Start);
  if (After != Free.end() && Start + Size == After->first) {
    Size += After->second;
    After = Free.erase(After);
  }
  if (After != Free.begin()) {
    auto Before = std::prev(After);
    if (Before->first + Before->second == Start) {
      Before->second += Size;
      return;
    }
  }
  Free.emplace(Start, Size);
}

uintptr_t Heap::takeRange(uint64_t Bytes) {
  const uintptr_t End = space::heapBase() + space::heapBytes();
  while (QuarantineBytes > std::min(LargestQuarantine, space::heapBytes() / 4))
    retireOldest();
  while (true) {
    if (uintptr_t Start = takeFree(Bytes))
      return Start;
    if (End - Next >= Bytes) {
      uintptr_t Start = Next;
      Next += Bytes;
      return Start;
    }
    if (Quarantine.empty())
      return 0;
    retireOldest();
  }
}

void *Heap::allocate(uint64_t Bytes, MemoryKind Kind) {
  std::lock_guard<std::mutex> Guard(Lock);
  Bytes = std::max<uint64_t>(Bytes, 1);
  if (Bytes > Total || InUse + Bytes > Total)
    return nullptr;
  uintptr_t Start = takeRange(footprint(Bytes));
  if (!Start)
    return nullptr;
  InUse += Bytes;
  Known.emplace(Start, Allocation{Start, Bytes, Kind, ++LastNumber, true});
  void *Address = reinterpret_cast<void *>(Start);
  bool HostWrites = Kind == MemoryKind::Managed || Kind == MemoryKind::Pinned;
  if (!HostWrites)
    std::memset(Address, FreshByte, Bytes);
  std::memset(space::shadowOf(Address),
              HostWrites ? ShadowInitialized : ShadowUninitialized, Bytes);
  return Address;
}

bool Heap::release(void *Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Found = Known.find(reinterpret_cast<uintptr_t>(Address));
  if (Found == Known.end() || !Found->second.Live)
    return false;
  Allocation &Freed = Found->second;
  Freed.Live = false;
  InUse -= Freed.Bytes;
  std::memset(space::shadowOf(Address), ShadowFreed, Freed.Bytes);
  if (Freed.Bytes >= ReturnedBytes)
    returnPages(Freed.Address, Freed.Bytes);
  Quarantine.push_back(Freed.Address);
  QuarantineBytes += footprint(Freed.Bytes);
  return true;
}

std::optional<Allocation> Heap::find(uintptr_t Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto After = Known.upper_bound(Address);
  if (After == Known.begin())
    return After == Known.end() ? std::nullopt : std::optional(After->second);
  const Allocation &Before = std::prev(After)->second;
  if (Address < Before.Address + Before.Bytes || After == Known.end())
    return Before;
  // Between two: the closer one is what was meant.
  uint64_t PastBefore = Address - (Before.Address + Before.Bytes);
  uint64_t ToAfter = After->first - Address;
  return ToAfter < PastBefore ? After->second : Before;
}

uint64_t Heap::bytesInUse() {
  std::lock_guard<std::mutex> Guard(Lock);
  return InUse;
}

Heap &heap() {
  space::reserve();
  static Heap *Only = new Heap;
  return *Only;
}

} // namespace

void *allocate(uint64_t Bytes, MemoryKind Kind) {
  return heap().allocate(Bytes, Kind);
}

bool release(void *Address) { return heap().release(Address); }

std::optional<Allocation> find(const void *Address) {
  return heap().find(reinterpret_cast<uintptr_t>(Address));
}

void markInitialized(void *Address, uint64_t Bytes) {
  if (!isDevice(Address))
    return;
  uint8_t *Shadow = space::shadowOf(Address);
  uint64_t Room = cudal1_emu_memory.Shadow + cudal1_emu_memory.Bytes - Shadow;
  // Stores whatever is there, so that the compiler does many at once.
  for (uint64_t I = 0, End = std::min(Bytes, Room); I < End; ++I) {
    uint8_t Was = Shadow[I];
    Shadow[I] = Was == ShadowUninitialized ? uint8_t(ShadowInitialized) : Was;
  }
}

void copyShadow(void *To, const void *From, uint64_t Bytes) {
  if (!isDevice(To))
    return;
  if (!isDevice(From)) {
    markInitialized(To, Bytes);
    return;
  }
  uint8_t *Target = space::shadowOf(To);
  const uint8_t *Source = space::shadowOf(From);
  auto Addressable = [](uint8_t Shadow) {
    return Shadow == ShadowUninitialized || Shadow == ShadowInitialized;
  };
  auto Copy = [&](uint64_t I) {
    if (Addressable(Target[I]) && Addressable(Source[I]))
      Target[I] = Source[I];
  };
  if (Target <= Source)
    for (uint64_t I = 0; I < Bytes; ++I)
      Copy(I);
  else
    for (uint64_t I = Bytes; I-- > 0;)
      Copy(I);
}

bool isDevice(const void *Address) {
  space::reserve();
  return space::contains(Address);
}

bool isAccessible(const void *Address, uint64_t Bytes) {
  if (isDevice(Address)) {
    std::optional<Allocation> Holder = find(Address);
    uintptr_t Start = reinterpret_cast<uintptr_t>(Address);
    return Holder && Holder->Live && Start >= Holder->Address &&
           Start - Holder->Address <= Holder->Bytes &&
           Bytes <= Holder->Bytes - (Start - Holder->Address);
  }
  if (const VariableInfo *Variable = registry::variableAt(Address)) {
    uint64_t Offset = static_cast<const char *>(Address) -
                      static_cast<const char *>(Variable->Address);
    return Bytes <= Variable->Bytes - Offset;
  }
  return host::isMapped(Address, Bytes);
}

uint64_t bytesInUse() { return heap().bytesInUse(); }
uint64_t totalBytes() { return heap().totalBytes(); }

} // namespace cudal1::emulator::memory

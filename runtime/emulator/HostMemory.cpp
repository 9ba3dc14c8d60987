//===- HostMemory.cpp -----------------------------------------------------===//

#include "HostMemory.h"
#include <algorithm>
#include <link.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace cudal1::emulator::host {

namespace {

struct Segment {
  uintptr_t Low, High;
  bool Writable;
};

/// The loaded segments of the program and its libraries, sorted.
struct Images {
  std::mutex Lock;
  unsigned long long Loads = 0; ///< libraries ever loaded when this was made
  unsigned long long Unloads = 0;
  std::vector<Segment> Segments;
  std::vector<Segment> ReadOnly; ///< parts written by the loader only
};

Images &images() {
  static Images *Only = new Images;
  return *Only;
}

struct Registered {
  std::mutex Lock;
  std::map<uintptr_t, uint64_t> Ranges;
};

Registered &registered() {
  static Registered *Only = new Registered;
  return *Only;
}

int addSegments(dl_phdr_info *Info, size_t, void *Data) {
  Images &All = *static_cast<Images *>(Data);
  All.Loads = Info->dlpi_adds;
  All.Unloads = Info->dlpi_subs;
  for (unsigned I = 0; I < Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) &Header = Info->dlpi_phdr[I];
    uintptr_t Low = Info->dlpi_addr + Header.p_vaddr;
    Segment Piece{Low, Low + Header.p_memsz, (Header.p_flags & PF_W) != 0};
    if (Header.p_type == PT_LOAD)
      All.Segments.push_back(Piece);
    else if (Header.p_type == PT_GNU_RELRO)
      All.ReadOnly.push_back(Piece);
  }
  return 0;
}

int readCounts(dl_phdr_info *Info, size_t, void *Data) {
  auto *Counts = static_cast<unsigned long long *>(Data);
  Counts[0] = Info->dlpi_adds;
  Counts[1] = Info->dlpi_subs;
  return 1;
}

} // namespace

void registerRange(const void *Address, uint64_t Bytes) {
  Registered &All = registered();
  std::lock_guard<std::mutex> Guard(All.Lock);
  All.Ranges[reinterpret_cast<uintptr_t>(Address)] = Bytes;
}

bool unregisterRange(const void *Address) {
  Registered &All = registered();
  std::lock_guard<std::mutex> Guard(All.Lock);
  return All.Ranges.erase(reinterpret_cast<uintptr_t>(Address)) != 0;
}

bool isRegistered(const void *Address) {
  Registered &All = registered();
  std::lock_guard<std::mutex> Guard(All.Lock);
  uintptr_t Where = reinterpret_cast<uintptr_t>(Address);
  auto After = All.Ranges.upper_bound(Where);
  if (After == All.Ranges.begin())
    return false;
  --After;
  return Where - After->first < After->second;
}

Image imageAt(const void *Address, uint64_t Bytes) {
  Images &All = images();
  std::lock_guard<std::mutex> Guard(All.Lock);
  unsigned long long Counts[2] = {0, 0};
  ::dl_iterate_phdr(readCounts, Counts);
  if (All.Segments.empty() || Counts[0] != All.Loads ||
      Counts[1] != All.Unloads) {
    All.Segments.clear();
    All.ReadOnly.clear();
    ::dl_iterate_phdr(addSegments, &All);
    std::sort(All.Segments.begin(), All.Segments.end(),
              [](Segment A, Segment B) { return A.Low < B.Low; });
  }
  uintptr_t Where = reinterpret_cast<uintptr_t>(Address);
  auto After = std::upper_bound(
      All.Segments.begin(), All.Segments.end(), Where,
      [](uintptr_t Value, Segment S) { return Value < S.Low; });
  if (After == All.Segments.begin())
    return Image::None;
  --After;
  if (Where >= After->High || Bytes > After->High - Where)
    return Image::None;
  for (const Segment &Part : All.ReadOnly)
    if (Where - Part.Low < Part.High - Part.Low)
      return Image::Constant;
  return After->Writable ? Image::Writable : Image::Constant;
}

bool isMapped(const void *Address, uint64_t Bytes) {
  uintptr_t Page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  uintptr_t First = reinterpret_cast<uintptr_t>(Address) / Page * Page;
  uintptr_t Last =
      reinterpret_cast<uintptr_t>(Address) + std::max<uint64_t>(Bytes, 1);
  if (Last < First)
    return false;
  // mincore fails with ENOMEM where nothing is mapped; a piece at a time.
  constexpr uintptr_t PiecePages = 4096;
  std::vector<unsigned char> Resident(PiecePages);
  for (uintptr_t At = First; At < Last; At += PiecePages * Page) {
    uintptr_t Length = std::min<uintptr_t>(Last - At, PiecePages * Page);
    if (::mincore(reinterpret_cast<void *>(At), Length, Resident.data()) != 0)
      return false;
  }
  return true;
}

void stackBounds(uintptr_t &Low, uintptr_t &High) {
  // Asking costs a read of /proc for the main thread.
  static __thread uintptr_t KnownLow = 0, KnownHigh = 0;
  pthread_attr_t Attributes;
  if (!KnownHigh && ::pthread_getattr_np(::pthread_self(), &Attributes) == 0) {
    void *Start = nullptr;
    size_t Bytes = 0;
    ::pthread_attr_getstack(&Attributes, &Start, &Bytes);
    ::pthread_attr_destroy(&Attributes);
    KnownLow = reinterpret_cast<uintptr_t>(Start);
    KnownHigh = KnownLow + Bytes;
  }
  Low = KnownLow;
  High = KnownHigh;
}

} // namespace cudal1::emulator::host

//===- RaceCells.cpp ------------------------------------------------------===//

#include "RaceCells.h"
#include "AddressSpace.h"
#include "Registry.h"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sys/mman.h>

namespace cudal1::emulator::races {

Cell *DeviceCells = nullptr;
Tick *DeviceReadKnown = nullptr;

namespace {

constexpr uintptr_t WordBytes = 4;
/// Bytes by which DeviceReadKnown lies beside the start of a page: neither
/// where the data nor where their shadow does (AddressSpace.cpp says why).
constexpr uintptr_t KnownSkew = 512;

/// Zero pages that cost nothing until they are touched.
template <typename T> T *reserveForWords(uint64_t Bytes) {
  uint64_t Size = (Bytes / WordBytes + 1) * sizeof(T);
  void *Address = ::mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Address == MAP_FAILED) {
    std::fprintf(stderr,
                 "cuda-l1-emu: cannot reserve address space to look for "
                 "races: raise the limit (ulimit -v)\n");
    std::abort();
  }
  ::madvise(Address, Size, MADV_NOHUGEPAGE);
  return static_cast<T *>(Address);
}

struct Cells {
  Cells() {
    DeviceReadKnown =
        reserveForWords<Tick>(cudal1_emu_memory.Bytes + KnownSkew) +
        KnownSkew / sizeof(Tick);
    DeviceCells = reserveForWords<Cell>(cudal1_emu_memory.Bytes);
  }
  std::map<const VariableInfo *, Cell *> Variables;
};

Cells &cells() {
  static Cells *Only = new Cells;
  return *Only;
}

} // namespace

Cell *findCell(uintptr_t Address) {
  uintptr_t Offset = Address - cudal1_emu_memory.Base;
  if (Offset < cudal1_emu_memory.Bytes)
    return (cells(), DeviceCells + Offset / WordBytes);
  const VariableInfo *Variable =
      registry::variableAt(reinterpret_cast<const void *>(Address));
  if (!Variable)
    return nullptr;
  Cell *&First = cells().Variables[Variable];
  if (!First)
    First = reserveForWords<Cell>(Variable->Bytes + WordBytes);
  uintptr_t Start =
      reinterpret_cast<uintptr_t>(Variable->Address) / WordBytes * WordBytes;
  return First + (Address - Start) / WordBytes;
}

void forgetCells() {
  Cells &All = cells();
  uint64_t Words = cudal1_emu_memory.Bytes / WordBytes + 1;
  ::madvise(DeviceCells, Words * sizeof(Cell), MADV_DONTNEED);
  ::madvise(DeviceReadKnown - KnownSkew / sizeof(Tick),
            Words * sizeof(Tick) + KnownSkew, MADV_DONTNEED);
  for (auto &[Variable, First] : All.Variables)
    ::madvise(First, (Variable->Bytes / WordBytes + 2) * sizeof(Cell),
              MADV_DONTNEED);
}

} // namespace cudal1::emulator::races

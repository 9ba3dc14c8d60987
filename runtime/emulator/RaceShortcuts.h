//===- RaceShortcuts.h - Accesses that tell nothing new ---------*- C++ -*-===//
///
/// \file
/// Most accesses change nothing that later ones are compared with. A few
/// comparisons tell them, without a record being written.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_RACESHORTCUTS_H
#define CUDAL1_RUNTIME_EMULATOR_RACESHORTCUTS_H

#include "AddressSpace.h"
#include "RaceCells.h"

namespace cudal1::emulator::races {

/// What the records of one word are compared with.
struct Moment {
  uint32_t Block;
  uint32_t Thread;
  Tick Now;
  Tick LaunchStart;
  bool Plain; ///< of a block of plain calls

  bool made(const Record &Past, uint32_t Mask) const {
    return Past.When == Now && Past.Block == Block && Past.Thread == Thread &&
           holds(Past, Mask);
  }
  /// \p Past was neither atomic nor volatile and of all bytes of \p Mask.
  static bool holds(const Record &Past, uint32_t Mask) {
    return (Past.Bytes & Mask) == Mask && !Past.Strong;
  }
  /// A thread of this one's warp made it, and no two threads have met since.
  bool madeInWarp(const Record &Past, uint32_t Mask) const {
    return Past.When == Now && Past.Block == Block &&
           Past.Thread / WarpLanes == Thread / WarpLanes && holds(Past, Mask);
  }
};

/// True if two threads have read the word and nothing has ordered threads in
/// this launch: whoever writes to it next, one of the two is another thread.
[[gnu::always_inline]] inline bool
twoStandForAll(const Cell &Word, uint32_t Mask, const Moment &M, bool Shared) {
  const Record &First = Word.Readers[0], &Second = Word.Readers[1];
  return M.Plain && !Shared && M.Now == M.LaunchStart + 1 &&
         First.When == M.Now && Second.When == M.Now &&
         Moment::holds(First, Mask) && Moment::holds(Second, Mask) &&
         Word.Writer.When <= M.LaunchStart;
}

/// True if a read by the running thread would change nothing that a later write
/// is compared with: the thread has accessed the word since threads last met,
/// or two other threads have read it that stand for it.
[[gnu::always_inline]] inline bool readIsKnown(const Cell &Word, uint32_t Mask,
                                               const Moment &M, bool Shared) {
  if (M.made(Word.Writer, Mask))
    return true;
  if (Word.Writer.When > M.LaunchStart)
    return false;
  const Record &First = Word.Readers[0], &Second = Word.Readers[1];
  if (M.made(First, Mask) || M.made(Second, Mask))
    return true;
  if (!M.Plain)
    return First.When && M.madeInWarp(Second, Mask);
  return twoStandForAll(Word, Mask, M, Shared);
}

/// The same for a write: the thread itself wrote last, and nobody read since.
[[gnu::always_inline]] inline bool writeIsKnown(const Cell &Word, uint32_t Mask,
                                                const Moment &M) {
  return M.made(Word.Writer, Mask) && !Word.Writer.SameValue &&
         !Word.Readers[0].When && !Word.Readers[1].When;
}

/// A write to \p Word has to be compared with all later reads.
inline void forgetReadKnown(const Cell &Word) {
  auto Index = static_cast<uint64_t>(&Word - DeviceCells);
  if (Index < cudal1_emu_memory.Bytes / 4)
    DeviceReadKnown[Index] = 0;
}

/// True if the access is to device memory and known for all of its words.
template <bool Writes>
[[gnu::always_inline]] inline bool isKnown(uintptr_t Address, uint64_t Bytes,
                                           const SourceSite *Site) {
  uintptr_t Offset = Address - cudal1_emu_memory.Base;
  const DeviceThread *Self = currentThread();
  if (Offset >= cudal1_emu_memory.Bytes || !DeviceCells || !Self ||
      (Site && Site->Flags))
    return false;
  const Moment M{Self->LinearBlock, Self->Index, Clocks->Now,
                 Clocks->LaunchStart, !Self->Owner};
  auto Slot = reinterpret_cast<uintptr_t>(Self->Shared) - SharedSlotMargin;
  const bool Shared = Address - Slot < SharedSlotBytes;
  const Cell *Word = DeviceCells + Offset / 4;
  Tick *ReadKnown = DeviceReadKnown + Offset / 4;
  if (!Writes && Bytes == 4 && Offset % 4 == 0 && *ReadKnown == M.Now)
    return true;
  if (Offset % 4 || Bytes % 4) { // in one word, or else the long way
    uint64_t Head = Offset % 4;
    uint32_t Mask = ((1u << (Bytes & 7)) - 1) << Head;
    return Head + Bytes <= 4 && (Writes ? writeIsKnown(*Word, Mask, M)
                                        : readIsKnown(*Word, Mask, M, Shared));
  }
  for (; Bytes; Bytes -= 4, ++Word, ++ReadKnown) {
    if (!Writes && *ReadKnown == M.Now)
      continue;
    if (!(Writes ? writeIsKnown(*Word, 15, M)
                 : readIsKnown(*Word, 15, M, Shared)))
      return false;
    if (!Writes && twoStandForAll(*Word, 15, M, Shared))
      *ReadKnown = M.Now;
  }
  return true;
}

} // namespace cudal1::emulator::races

#endif // CUDAL1_RUNTIME_EMULATOR_RACESHORTCUTS_H

//===- RaceAccesses.cpp - Does this access race with an earlier one? ------===//

#include "AddressSpace.h"
#include "Describe.h"
#include "Findings.h"
#include "RaceCells.h"
#include "RaceShortcuts.h"
#include "Races.h"
#include "Text.h"
#include "Worker.h"
#include <algorithm>
#include <cstring>

using namespace cudal1::emulator;
using namespace cudal1::emulator::races;

namespace {

enum class Use : uint8_t { Read, Write, Atomic };

/// An access under way, as the running thread makes it.
struct Access {
  uintptr_t Address;
  uint64_t Bytes;
  const SourceSite *Site;
  Use How;
  bool SameValue; ///< a write of what is there already

  const DeviceThread &Thread = *currentThread();
  BlockClock &Block = blockClock(Thread);
  State &Time = state();
  bool Strong = How == Use::Atomic ||
                (Site && (Site->Flags & (SiteVolatile | SiteAtomic)));
  bool Shared = space::isShared(reinterpret_cast<const void *>(Address));
};

/// Sites lie in the program's image, so the distance from a variable of it says
/// which one it is; 0 if not.
int32_t packSite(const SourceSite *Site) {
  intptr_t Distance = reinterpret_cast<intptr_t>(Site) -
                      reinterpret_cast<intptr_t>(&cudal1_emu_memory);
  auto Packed = static_cast<int32_t>(Distance);
  return Site && Packed == Distance ? Packed : 0;
}

const SourceSite *unpackSite(int32_t Packed) {
  if (!Packed)
    return nullptr;
  return reinterpret_cast<const SourceSite *>(
      reinterpret_cast<intptr_t>(&cudal1_emu_memory) + Packed);
}

/// True if what \p Past tells of has happened before what the thread does now.
bool isOrdered(const Access &Now, const Record &Past) {
  if (Past.When <= Now.Time.LaunchStart)
    return true;
  bool SameBlock = Past.Block == static_cast<uint32_t>(Now.Block.Block);
  if (!SameBlock && Now.Shared)
    return true; // A block that had this shared memory before.
  if (!SameBlock)
    return Past.Block < Now.Time.Released.size() &&
           Now.Time.Released[Past.Block] > Past.When &&
           Now.Block.Acquired > Past.When;
  bool Fenced = Now.Block.Fenced > Past.When;
  if (Past.Thread == Now.Thread.Index || Past.When < Now.Block.Barrier)
    return true;
  if (Now.Block.Threads.empty())
    return Fenced && Now.Block.Acquired > Past.When;
  const ThreadClock &Mine = Now.Block.Threads[Now.Thread.Index];
  if (Past.Thread / WarpLanes == Now.Thread.Warp &&
      Past.When < Mine.Seen[Past.Thread % WarpLanes])
    return true;
  if (Past.Thread < Mine.SeenAll.size() &&
      Past.When < Mine.SeenAll[Past.Thread])
    return true;
  return Fenced && Mine.Acquired > Past.When;
}

const char *spell(Use How) {
  switch (How) {
  case Use::Read:
    return "read";
  case Use::Write:
    return "write";
  case Use::Atomic:
    return "atomic update";
  }
  return "access";
}

std::string describeThread(const Access &Now, const Record &Past) {
  const ThreadState &S = Now.Thread;
  uint32_t T = Past.Thread, B = Past.Block;
  std::string Result = format("thread (%u,%u,%u)", T % S.BlockDim[0],
                              T / S.BlockDim[0] % S.BlockDim[1],
                              T / S.BlockDim[0] / S.BlockDim[1]);
  if (B == static_cast<uint32_t>(Now.Block.Block))
    return Result + ": no barrier between them";
  return Result + format(" of block (%u,%u,%u): nothing orders them",
                         B % S.GridDim[0], B / S.GridDim[0] % S.GridDim[1],
                         B / S.GridDim[0] / S.GridDim[1]);
}

__attribute__((noinline)) void report(const Access &Now, const Record &Past,
                                      bool PastWrote) {
  if (!wantsFinding(FindingKind::Race, Now.Site))
    return;
  const SourceSite *Site = unpackSite(Past.Site);
  std::string Place = Site && Site->File
                          ? format("%s:%u", Site->File, Site->Line)
                          : "an unknown place";
  const char *PastUse = spell(Past.Atomic ? Use::Atomic
                              : PastWrote ? Use::Write
                                          : Use::Read);
  reportFinding(
      FindingKind::Race, Now.Site,
      format("%s of %llu bytes %s %s races with the %s at %s by %s",
             spell(Now.How), static_cast<unsigned long long>(Now.Bytes),
             Now.How == Use::Read ? "from" : "to",
             shortName(reinterpret_cast<const void *>(Now.Address)).c_str(),
             PastUse, Place.c_str(), describeThread(Now, Past).c_str()));
}

/// Two accesses of which one writes, neither before the other, to a common
/// byte; atomics and volatiles are meant to do that among themselves.
bool races(const Access &Now, const Record &Past, uint32_t Mask) {
  return Past.When && (Past.Bytes & Mask) && !(Past.Strong && Now.Strong) &&
         !isOrdered(Now, Past);
}

Record recordOf(const Access &Now, uint32_t Mask) {
  Record Result;
  Result.Block = static_cast<uint32_t>(Now.Block.Block);
  Result.Thread = Now.Thread.Index & 1023;
  Result.Bytes = Mask & 15;
  Result.Strong = Now.Strong;
  Result.Atomic = Now.How == Use::Atomic;
  Result.When = Now.Time.Now;
  Result.Site = packSite(Now.Site);
  return Result;
}

/// Keeps two readers: the new one in the place of one that can race with
/// nothing that the new one cannot, else of the later one, so that the two that
/// stay are of different threads.
void addReader(const Access &Now, Cell &Word, uint32_t Mask) {
  Record New = recordOf(Now, Mask);
  for (Record &Old : Word.Readers)
    if (!Old.When || isOrdered(Now, Old)) {
      bool SameThread = Old.Thread == New.Thread && Old.Block == New.Block &&
                        Old.When == New.When;
      uint32_t Both = SameThread ? Old.Bytes | New.Bytes : New.Bytes;
      Old = New;
      Old.Bytes = Both & 15;
      return;
    }
  Word.Readers[1] = New;
}

void read(const Access &Now, Cell &Word, uint32_t Mask) {
  if (!Word.Writer.SameValue && races(Now, Word.Writer, Mask))
    report(Now, Word.Writer, true);
  addReader(Now, Word, Mask);
}

void write(const Access &Now, Cell &Word, uint32_t Mask) {
  bool Harmless = false;
  if (races(Now, Word.Writer, Mask)) {
    Harmless = Now.SameValue;
    if (!Harmless)
      report(Now, Word.Writer, true);
  }
  for (const Record &Reader : Word.Readers)
    if (races(Now, Reader, Mask)) {
      // Those who wrote the value, as this thread does, read their own.
      Harmless |= Now.SameValue && Word.Writer.When;
      if (!Harmless)
        report(Now, Reader, false);
      break;
    }
  Word.Writer = recordOf(Now, Mask);
  Word.Writer.SameValue = Harmless;
  Word.Readers[0] = Word.Readers[1] = Record{};
}

void visit(const Access &Now) {
  if (Now.How != Use::Read && Now.Site && (Now.Site->Flags & SiteRelease))
    fence();
  else if (Now.How == Use::Atomic)
    noteAtomic();
  if (Now.Strong && Now.How != Use::Write) {
    Now.Block.Acquired = Now.Time.Now;
    if (!Now.Block.Threads.empty())
      Now.Block.Threads[Now.Thread.Index].Acquired = Now.Time.Now;
  }
  uintptr_t End = Now.Address + Now.Bytes;
  for (uintptr_t At = Now.Address; At < End;) {
    uintptr_t Next = std::min(End, (At | 3) + 1);
    uint32_t Mask = ((1u << (Next - At)) - 1) << (At & 3);
    Cell *Word = findCell(At);
    if (!Word)
      return;
    if (Now.How == Use::Read) {
      read(Now, *Word, Mask);
    } else {
      write(Now, *Word, Mask);
      forgetReadKnown(*Word);
    }
    At = Next;
  }
}

__attribute__((constructor(101))) void noteCompiledForRaces() {
  CompiledForRaces = true;
}

/// True where no other thread can be: the thread's own stack, host code. Also
/// when races are not looked for after all.
bool isPrivate(const void *Address) {
  const DeviceThread *Self = currentThread();
  uintptr_t Where = reinterpret_cast<uintptr_t>(Address);
  return !Self || !Worker::current()->launch().Races ||
         Where - Self->StackLow < Self->StackHigh - Self->StackLow;
}

[[gnu::noinline]] void loadSlowly(const void *Address, uint64_t Bytes,
                                  const SourceSite *Site) {
  if (!isPrivate(Address))
    visit(
        {reinterpret_cast<uintptr_t>(Address), Bytes, Site, Use::Read, false});
}

[[gnu::noinline]] void storeSlowly(const void *Address, uint64_t Bytes,
                                   uint64_t Value, const SourceSite *Site) {
  if (isPrivate(Address))
    return;
  auto Where = reinterpret_cast<uintptr_t>(Address);
  bool Same = false;
  if (Bytes <= sizeof Value && (space::contains(Address) || findCell(Where)))
    Same = std::memcmp(Address, &Value, Bytes) == 0;
  visit({Where, Bytes, Site, Use::Write, Same});
}

} // namespace

void cudal1_emu_race_load(const void *Address, uint64_t Bytes,
                          const SourceSite *Site) {
  if (!isKnown</*Writes=*/false>(reinterpret_cast<uintptr_t>(Address), Bytes,
                                 Site))
    loadSlowly(Address, Bytes, Site);
}

void cudal1_emu_race_store(void *Address, uint64_t Bytes, uint64_t Value,
                           const SourceSite *Site) {
  if (!isKnown</*Writes=*/true>(reinterpret_cast<uintptr_t>(Address), Bytes,
                                Site))
    storeSlowly(Address, Bytes, Value, Site);
}

void cudal1_emu_race_atomic(void *Address, uint64_t Bytes,
                            const SourceSite *Site) {
  if (!isPrivate(Address))
    visit({reinterpret_cast<uintptr_t>(Address), Bytes, Site, Use::Atomic,
           false});
}

//===- Checks.cpp - Is this access right? ---------------------------------===//

#include "AddressSpace.h"
#include "Describe.h"
#include "DeviceMemory.h"
#include "DeviceThread.h"
#include "Findings.h"
#include "HostMemory.h"
#include "Registry.h"
#include "Text.h"
#include "Worker.h"
#include <algorithm>
#include <bit>
#include <cstring>

using namespace cudal1::emulator;

// Weak: only code compiled to look for races brings these into the program.
extern "C" {
__attribute__((weak)) void cudal1_emu_race_load(const void *, uint64_t,
                                                const SourceSite *);
__attribute__((weak)) void cudal1_emu_race_store(void *, uint64_t, uint64_t,
                                                 const SourceSite *);
}

namespace {

enum class Use : uint8_t {
  Load,
  Store,
  Atomic,
  Copy, ///< read by memcpy: uninitialised bytes may travel
};

struct Access {
  const void *Address;
  uint64_t Bytes;
  const SourceSite *Site;
  Use How;

  uintptr_t start() const { return reinterpret_cast<uintptr_t>(Address); }
  const char *verb() const {
    switch (How) {
    case Use::Load:
    case Use::Copy:
      return "read";
    case Use::Store:
      return "written";
    case Use::Atomic:
      return "changed atomically";
    }
    return "accessed";
  }
  /// Of the largest vector that the GPU reads at once, in bytes.
  static constexpr uint32_t MostAlignment = 16;
  /// What the type that the source accesses demands. It may be more than the
  /// access's size: Clang splits a float4 that nvcc keeps whole.
  uint64_t alignment() const {
    return Site && Site->Alignment ? std::min(Site->Alignment, MostAlignment)
                                   : 1;
  }
  bool isAligned() const { return (start() & (alignment() - 1)) == 0; }
  std::string subject() const {
    return format("%llu %s %s", static_cast<unsigned long long>(Bytes),
                  Bytes == 1 ? "byte" : "bytes", verb());
  }
};

bool inRange(const Access &A) {
  return A.start() - cudal1_emu_memory.Base < cudal1_emu_memory.Bytes;
}

/// True if all shadow bytes are \p Wanted. Accesses are a few bytes long.
bool allAre(const uint8_t *Shadow, uint64_t Bytes, ShadowByte Wanted) {
  while (Bytes >= 8) {
    uint64_t Piece;
    std::memcpy(&Piece, Shadow, 8);
    if (Piece != 0x0101010101010101u * Wanted)
      return false;
    Shadow += 8;
    Bytes -= 8;
  }
  for (; Bytes; --Bytes)
    if (*Shadow++ != Wanted)
      return false;
  return true;
}

__attribute__((noinline)) void reportMisaligned(const Access &A) {
  if (!wantsFinding(FindingKind::Misaligned, A.Site))
    return;
  NearbyObject Object = findObject(A.Address);
  std::string Where =
      Object.Found ? describePlace(Object, A.Address, A.Bytes)
                   : format("at address %p", const_cast<void *>(A.Address));
  reportFinding(FindingKind::Misaligned, A.Site,
                format("%s %s: the address must be a multiple of %llu",
                       A.subject().c_str(), Where.c_str(),
                       static_cast<unsigned long long>(A.alignment())));
}

__attribute__((noinline)) void reportBadByte(const Access &A, uint8_t Shadow) {
  FindingKind Kind = FindingKind::OutOfBounds;
  if (Shadow == ShadowFreed)
    Kind = FindingKind::UseAfterFree;
  else if (Shadow == ShadowUninitialized)
    Kind = FindingKind::Uninitialized;
  if (!wantsFinding(Kind, A.Site))
    return;
  std::string Text = A.subject() + " " +
                     describePlace(findObject(A.Address), A.Address, A.Bytes);
  if (Shadow == ShadowFreed)
    Text += ", which was freed";
  else if (Shadow == ShadowUninitialized)
    Text += ": never written before";
  reportFinding(Kind, A.Site, Text);
}

void checkDevice(const Access &A) {
  uint8_t *Shadow = space::shadowOf(A.Address);
  uint64_t Room =
      cudal1_emu_memory.Bytes - (A.start() - cudal1_emu_memory.Base);
  uint64_t Bytes = std::min(A.Bytes, Room);
  bool Reads = A.How == Use::Load || A.How == Use::Atomic;
  bool Reported = false;
  for (uint64_t I = 0; I < Bytes; ++I) {
    bool Bad = Shadow[I] == ShadowOutside || Shadow[I] == ShadowFreed ||
               (Reads && Shadow[I] == ShadowUninitialized);
    if (Bad && !Reported) {
      reportBadByte(A, Shadow[I]);
      Reported = true;
    }
    if (A.How != Use::Load && A.How != Use::Copy &&
        Shadow[I] == ShadowUninitialized)
      Shadow[I] = ShadowInitialized;
  }
}

/// True if the bytes belong to the arguments of the running kernel.
bool isArgument(const Access &A) {
  const Launch &Run = Worker::current()->launch();
  for (uint32_t I = 0; I < Run.Kernel.ParameterCount; ++I) {
    uintptr_t Start = reinterpret_cast<uintptr_t>(Run.Arguments[I]);
    if (A.start() - Start < Run.Kernel.ParameterBytes[I])
      return true;
  }
  return false;
}

[[noreturn]] void endIllegal(const Access &A) {
  std::string Where =
      A.Address ? format("at address %p, which is not memory of the device",
                         const_cast<void *>(A.Address))
                : "through a null pointer";
  if (A.Address && host::isMapped(A.Address, 1))
    Where = format("at address %p, which is memory of the host",
                   const_cast<void *>(A.Address));
  reportFinding(FindingKind::IllegalAddress, A.Site, A.subject() + " " + Where);
  Worker::current()->abandon(LaunchResult::IllegalAddress);
}

/// Outside of the range: device variables, and what of the host's memory
/// device code may use.
__attribute__((noinline)) void checkHost(const Access &A) {
  if (const VariableInfo *Variable = registry::variableAt(A.Address)) {
    uint64_t Offset =
        A.start() - reinterpret_cast<uintptr_t>(Variable->Address);
    if (A.Bytes > Variable->Bytes - Offset &&
        wantsFinding(FindingKind::OutOfBounds, A.Site))
      reportFinding(
          FindingKind::OutOfBounds, A.Site,
          A.subject() + " " +
              describePlace(findObject(A.Address), A.Address, A.Bytes));
    return;
  }
  if (isArgument(A) || host::isRegistered(A.Address))
    return;
  switch (host::imageAt(A.Address, A.Bytes)) {
  case host::Image::Constant: // literals, tables, functions
    return;
  case host::Image::Writable: {
    NearbyObject Object = findObject(A.Address);
    if (Object.Found && wantsFinding(FindingKind::OutOfBounds, A.Site))
      reportFinding(FindingKind::OutOfBounds, A.Site,
                    A.subject() + " " +
                        describePlace(Object, A.Address, A.Bytes));
    return;
  }
  case host::Image::None:
    break;
  }
  endIllegal(A);
}

/// Reads of the thread's state by emitted code. The checking pass leaves them
/// out where it knows them; the optimiser may hide where an address is from.
bool isOwn(const Access &A, const DeviceThread &Self) {
  return A.start() - reinterpret_cast<uintptr_t>(&cudal1_emu_thread) <
             sizeof cudal1_emu_thread ||
         A.start() - reinterpret_cast<uintptr_t>(&Self) < sizeof Self;
}

void check(const Access &A) {
  if (!A.isAligned())
    reportMisaligned(A);
  if (inRange(A))
    return checkDevice(A);
  const DeviceThread *Self = currentThread();
  if (!Self)
    return; // host code: constructors that call __host__ __device__ functions
  if (A.start() - Self->StackLow < Self->StackHigh - Self->StackLow ||
      isOwn(A, *Self))
    return;
  checkHost(A);
}

bool looksForRaces() {
  const Worker *Here = Worker::current();
  return Here && Here->launch().Races && cudal1_emu_race_load;
}

} // namespace

void cudal1_emu_check_load(const void *Address, uint64_t Bytes,
                           const SourceSite *Site) {
  Access A{Address, Bytes, Site, Use::Load};
  if (inRange(A) && A.isAligned() &&
      allAre(space::shadowOf(Address), Bytes, ShadowInitialized))
    return;
  check(A);
}

void cudal1_emu_check_store(void *Address, uint64_t Bytes,
                            const SourceSite *Site) {
  Access A{Address, Bytes, Site, Use::Store};
  if (inRange(A) && A.isAligned()) {
    uint8_t *Shadow = space::shadowOf(Address);
    if (allAre(Shadow, Bytes, ShadowInitialized))
      return;
    if (allAre(Shadow, Bytes, ShadowUninitialized)) {
      std::memset(Shadow, ShadowInitialized, Bytes);
      return;
    }
  }
  check(A);
}

void cudal1_emu_check_atomic(void *Address, uint64_t Bytes,
                             const SourceSite *Site) {
  Access A{Address, Bytes, Site, Use::Atomic};
  if (inRange(A) && A.isAligned() &&
      allAre(space::shadowOf(Address), Bytes, ShadowInitialized))
    return;
  check(A);
}

void cudal1_emu_memcpy(void *To, const void *From, uint64_t Bytes,
                       const SourceSite *Site) {
  cudal1_emu_memmove(To, From, Bytes, Site);
}

void cudal1_emu_memmove(void *To, const void *From, uint64_t Bytes,
                        const SourceSite *Site) {
  if (!Bytes)
    return;
  check({From, Bytes, Site, Use::Copy});
  // Uninitialised bytes travel: the shadow of the source is what counts.
  check({To, Bytes, Site, Use::Store});
  if (looksForRaces()) {
    uint64_t Value = 0;
    std::memcpy(&Value, From, std::min<uint64_t>(Bytes, sizeof Value));
    cudal1_emu_race_load(From, Bytes, Site);
    cudal1_emu_race_store(To, Bytes, Value, Site);
  }
  std::memmove(To, From, Bytes);
  memory::copyShadow(To, From, Bytes);
}

void cudal1_emu_memset(void *To, int Value, uint64_t Bytes,
                       const SourceSite *Site) {
  if (!Bytes)
    return;
  check({To, Bytes, Site, Use::Store});
  if (looksForRaces())
    cudal1_emu_race_store(To, Bytes, 0x0101010101010101u * uint8_t(Value),
                          Site);
  std::memset(To, Value, Bytes);
}

void cudal1_emu_outside_array(const char *Array, int64_t Offset, uint64_t Bytes,
                              uint64_t ArrayBytes, const SourceSite *Site) {
  if (!wantsFinding(FindingKind::OutOfBounds, Site))
    return;
  auto Wide = [](uint64_t Value) {
    return static_cast<unsigned long long>(Value);
  };
  auto Past = Offset - static_cast<int64_t>(ArrayBytes);
  std::string Where = format("at byte %lld, reaching past the end",
                             static_cast<long long>(Offset));
  if (Offset < 0)
    Where = format("%llu bytes before the start",
                   Wide(0 - static_cast<uint64_t>(Offset)));
  else if (Past == 0)
    Where = "directly past the end";
  else if (Past > 0)
    Where =
        format("%llu bytes past the end", Wide(static_cast<uint64_t>(Past)));
  reportFinding(FindingKind::OutOfBounds, Site,
                format("%llu bytes accessed %s of array '%s' (%llu bytes)",
                       Wide(Bytes), Where.c_str(), plainName(Array).c_str(),
                       Wide(ArrayBytes)));
}

void cudal1_emu_division_by_zero(const SourceSite *Site) {
  if (wantsFinding(FindingKind::DivisionByZero, Site))
    reportFinding(FindingKind::DivisionByZero, Site,
                  "an integer is divided by zero: the result is undefined");
}

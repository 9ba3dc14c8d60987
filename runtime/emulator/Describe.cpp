//===- Describe.cpp -------------------------------------------------------===//

#include "Describe.h"
#include "AddressSpace.h"
#include "DeviceMemory.h"
#include "Launcher.h"
#include "Registry.h"
#include "Text.h"
#include <cstdlib>
#include <cxxabi.h>
#include <limits>

namespace cudal1::emulator {

namespace {

/// How far from a variable an address can be and still be meant for it.
constexpr uint64_t NearVariableBytes = 4096;

unsigned long long wide(uint64_t Value) { return Value; }

const char *spell(MemoryKind Kind) {
  switch (Kind) {
  case MemoryKind::Device:
    return "allocation";
  case MemoryKind::Managed:
    return "managed allocation";
  case MemoryKind::Pinned:
    return "pinned host allocation";
  case MemoryKind::Array:
    return "array";
  case MemoryKind::Heap:
    return "device-heap allocation";
  }
  return "allocation";
}

/// Bytes between the address and [Start, Start+Bytes); 0 inside.
uint64_t distance(uintptr_t Address, uintptr_t Start, uint64_t Bytes) {
  if (Address < Start)
    return Start - Address;
  return Address - Start < Bytes ? 0 : Address - Start - Bytes + 1;
}

NearbyObject findShared(uintptr_t Address) {
  const ThreadState *Thread = cudal1_emu_thread;
  const KernelInfo *Kernel = currentKernel();
  NearbyObject Result;
  if (!Thread || !Kernel || !Thread->Shared)
    return Result;
  auto Base = reinterpret_cast<uintptr_t>(Thread->Shared);
  if (Address - (Base - SharedSlotMargin) >= SharedSlotBytes)
    return Result;
  uint64_t Best = std::numeric_limits<uint64_t>::max();
  auto Consider = [&](uintptr_t Start, uint64_t Bytes, std::string Name) {
    uint64_t Away = distance(Address, Start, Bytes);
    if (Away >= Best)
      return;
    Best = Away;
    Result = {true, false, Start, Bytes, std::move(Name)};
  };
  for (uint32_t I = 0; I < Kernel->SharedVariableCount; ++I) {
    const SharedVariable &Variable = Kernel->SharedVariables[I];
    Consider(Base + Variable.Offset, Variable.Bytes,
             format("shared array '%s' (%u bytes)",
                    plainName(Variable.Name).c_str(), Variable.Bytes));
  }
  if (Thread->DynamicSharedBytes || !Kernel->SharedVariableCount)
    Consider(Base + Kernel->DynamicSharedOffset, Thread->DynamicSharedBytes,
             format("the dynamic shared memory (%u bytes)",
                    Thread->DynamicSharedBytes));
  return Result;
}

} // namespace

std::string demangled(const char *Name) {
  // Others are names as they are: `f` would be the type `float` to the library.
  if (Name[0] != '_' || Name[1] != 'Z')
    return Name;
  int Status = 0;
  char *Text = abi::__cxa_demangle(Name, nullptr, nullptr, &Status);
  std::string Result = Text ? Text : Name;
  std::free(Text);
  return Result;
}

std::string plainName(const char *Name) {
  std::string Full = demangled(Name);
  // What a compiler appended: `tile [clone .1]`.
  Full = Full.substr(0, Full.find(" [clone"));
  // The last `::` that is not one of a template's argument.
  int Depth = 0;
  for (size_t At = Full.size(); At > 1; --At) {
    char C = Full[At - 1];
    Depth += C == '>' || C == ')' || C == '}';
    Depth -= C == '<' || C == '(' || C == '{';
    if (!Depth && C == ':' && Full[At - 2] == ':')
      return Full.substr(At);
  }
  return Full;
}

NearbyObject findObject(const void *Address) {
  auto Where = reinterpret_cast<uintptr_t>(Address);
  if (space::contains(Address) && space::isShared(Address))
    return findShared(Where);
  if (space::contains(Address)) {
    std::optional<Allocation> Near = memory::find(Address);
    if (!Near)
      return {};
    return {true, !Near->Live, Near->Address, Near->Bytes,
            format("a %llu-byte %s (number %llu)", wide(Near->Bytes),
                   spell(Near->Kind), wide(Near->Number))};
  }
  const VariableInfo *Near = registry::variableNear(Address, NearVariableBytes);
  if (!Near)
    return {};
  return {true, false, reinterpret_cast<uintptr_t>(Near->Address), Near->Bytes,
          format("device variable '%s' (%llu bytes)",
                 demangled(Near->Name).c_str(), wide(Near->Bytes))};
}

std::string describePlace(const NearbyObject &Object, const void *Address,
                          uint64_t Bytes) {
  if (!Object.Found)
    return space::contains(Address) && space::isShared(Address)
               ? "in shared memory of another block"
               : "in device memory that was never allocated";
  auto Where = reinterpret_cast<uintptr_t>(Address);
  uintptr_t End = Object.Address + Object.Bytes;
  const char *Name = Object.Name.c_str();
  if (Where < Object.Address)
    return format("%llu bytes before the start of %s",
                  wide(Object.Address - Where), Name);
  if (Where == End)
    return format("directly past the end of %s", Name);
  if (Where > End)
    return format("%llu bytes past the end of %s", wide(Where - End), Name);
  if (Bytes > End - Where)
    return format("at byte %llu of %s, %llu bytes past its end",
                  wide(Where - Object.Address), Name,
                  wide(Bytes - (End - Where)));
  return format("at byte %llu of %s", wide(Where - Object.Address), Name);
}

std::string shortName(const void *Address) {
  NearbyObject Object = findObject(Address);
  if (!Object.Found)
    return "device memory";
  size_t Size = Object.Name.find("' (");
  return Size == std::string::npos ? Object.Name
                                   : Object.Name.substr(0, Size + 1);
}

} // namespace cudal1::emulator

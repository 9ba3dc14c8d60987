//===- ApiPlaces.cpp - What kind of memory an address is in ---------------===//

#include "ApiPlaces.h"
#include "DeviceMemory.h"
#include "Findings.h"
#include "HostMemory.h"
#include "Registry.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

uintptr_t number(const void *Address) {
  return reinterpret_cast<uintptr_t>(Address);
}

std::string plural(uint64_t Bytes) {
  return std::to_string(Bytes) + (Bytes == 1 ? " byte" : " bytes");
}

} // namespace

Place api::placeOf(const void *Address) {
  if (memory::isDevice(Address)) {
    std::optional<Allocation> A = memory::find(Address);
    if (!A || !A->Live || number(Address) - A->Address >= A->Bytes)
      return Place::Device;
    if (A->Kind == MemoryKind::Pinned)
      return Place::Pinned;
    return A->Kind == MemoryKind::Managed ? Place::Managed : Place::Device;
  }
  if (host::isRegistered(Address))
    return Place::Registered;
  return registry::variableAt(Address) ? Place::Device : Place::Pageable;
}

bool api::checkAccess(const char *Call, const char *Action, const void *Address,
                      uint64_t Bytes) {
  if (Bytes == 0 || !memory::isDevice(Address) ||
      memory::isAccessible(Address, Bytes))
    return true;
  std::string Message = std::string(Call) + " " + Action + " " + plural(Bytes);
  std::optional<Allocation> A = memory::find(Address);
  if (!A) {
    reportFinding(FindingKind::OutOfBounds, nullptr,
                  Message + " where nothing is allocated");
    return false;
  }
  auto Offset = static_cast<int64_t>(number(Address) - A->Address);
  Message += " at offset " + std::to_string(Offset) + " of allocation " +
             std::to_string(A->Number) + ", which " +
             (A->Live ? "has " + plural(A->Bytes) : "was freed");
  reportFinding(A->Live ? FindingKind::OutOfBounds : FindingKind::UseAfterFree,
                nullptr, Message);
  return false;
}

//===- ApiPlaces.cpp - What kind of memory an address is in ---------------===//

#include "ApiPlaces.h"
#include "ApiState.h"
#include "DeviceMemory.h"
#include "Findings.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

uintptr_t number(const void *Address) {
  return reinterpret_cast<uintptr_t>(Address);
}

/// A registered variable that holds \p Address. Device variables need not lie
/// in the range of device allocations.
bool isInVariable(const void *Address) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  for (auto &[Symbol, V] : R.Variables) {
    if (!V.Info)
      V.Info = findVariable(V.Name.c_str());
    if (V.Info && number(Address) - number(V.Info->Address) < V.Info->Bytes)
      return true;
  }
  return false;
}

bool isRegistered(const void *Address) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  auto Above = R.Registered.upper_bound(number(Address));
  if (Above == R.Registered.begin())
    return false;
  auto &[Begin, Range] = *std::prev(Above);
  return number(Address) - Begin < Range.Bytes;
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
  if (isRegistered(Address))
    return Place::Registered;
  return isInVariable(Address) ? Place::Device : Place::Pageable;
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

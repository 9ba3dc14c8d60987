//===- ApiPlaces.h - What kind of memory an address is in -------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APIPLACES_H
#define CUDAL1_RUNTIME_EMULATOR_APIPLACES_H

#include "ApiWork.h"

namespace cudal1::emulator::api {

enum class Place {
  Pageable,   ///< of the host only
  Registered, ///< of the host, made known by cudaHostRegister
  Pinned,     ///< cudaMallocHost
  Managed,
  Device, ///< also device variables and what was freed
};

Place placeOf(const void *Address);

/// The GPU can get at it.
inline bool isOnDevice(Place P) { return P != Place::Pageable; }
/// A copy from there is one from device to host.
inline bool isOnlyDevice(Place P) {
  return P == Place::Device || P == Place::Managed;
}

/// False, with a finding that names \p Call and \p Action ("reads"), if the
/// bytes are device memory that may not be accessed.
bool checkAccess(const char *Call, const char *Action, const void *Address,
                 uint64_t Bytes);

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APIPLACES_H

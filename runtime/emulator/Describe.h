//===- Describe.h - What an address is, in words ----------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_DESCRIBE_H
#define CUDAL1_RUNTIME_EMULATOR_DESCRIBE_H

#include "Abi.h"
#include <string>

namespace cudal1::emulator {

/// The object an address belongs to, or the one that it most likely was meant
/// to belong to.
struct NearbyObject {
  bool Found = false;
  bool Freed = false;
  uintptr_t Address = 0;
  uint64_t Bytes = 0;
  /// With size: `a 4096-byte allocation (number 3)`, `shared array 'tile' (128
  /// bytes)`.
  std::string Name;
};

/// For addresses of device memory, shared memory and device variables.
NearbyObject findObject(const void *Address);

/// `12 bytes past the end of NAME`, `4 bytes before the start of NAME`, `at
/// byte 8 of NAME`, or what is known where there is no object.
std::string describePlace(const NearbyObject &Object, const void *Address,
                          uint64_t Bytes);

/// `matmul(float*)` of `_Z6matmulPf`; what is no mangled name as it is.
std::string demangled(const char *Name);

/// The variable alone: `_ZZ6matmulPfE4tile`, the array `tile` of a kernel, is
/// `tile`.
std::string plainName(const char *Name);

/// For messages that name memory by its object only: `shared array 'tile'`
/// without the size where it has a name, else as in NearbyObject.
std::string shortName(const void *Address);

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_DESCRIBE_H

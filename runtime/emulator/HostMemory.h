//===- HostMemory.h - What lies outside of device memory --------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_HOSTMEMORY_H
#define CUDAL1_RUNTIME_EMULATOR_HOSTMEMORY_H

#include <cstdint>

namespace cudal1::emulator::host {

/// Host memory that device code may use (cudaHostRegister).
void registerRange(const void *Address, uint64_t Bytes);
/// False if no registered range starts at \p Address.
bool unregisterRange(const void *Address);
bool isRegistered(const void *Address);

enum class Image {
  None,
  Constant, ///< code, literals, constant tables
  Writable, ///< variables
};

/// Whether the bytes belong to the image of the program or of a library.
Image imageAt(const void *Address, uint64_t Bytes);

/// True if the bytes can be read by this process at all.
bool isMapped(const void *Address, uint64_t Bytes);

/// Bounds of the calling OS thread's own stack.
void stackBounds(uintptr_t &Low, uintptr_t &High);

} // namespace cudal1::emulator::host

#endif // CUDAL1_RUNTIME_EMULATOR_HOSTMEMORY_H

//===- DeviceMemory.h - The allocations of an emulated GPU ------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_DEVICEMEMORY_H
#define CUDAL1_RUNTIME_EMULATOR_DEVICEMEMORY_H

#include "Abi.h"
#include <optional>
#include <string>

namespace cudal1::emulator {

enum class MemoryKind : uint8_t {
  Device,  ///< cudaMalloc and its relatives
  Managed, ///< cudaMallocManaged: the host reads and writes it too
  Pinned,  ///< cudaMallocHost: host memory that the GPU sees
  Array,   ///< behind a cudaArray
  Heap,    ///< malloc in device code
};

/// One allocation, live or freed.
struct Allocation {
  uintptr_t Address;
  uint64_t Bytes;
  MemoryKind Kind;
  uint64_t Number; ///< counts up from 1 in order of allocation
  bool Live;
};

/// The one address range of all device memory, with redzones between
/// allocations and a shadow byte for each byte. Safe for several threads.
namespace memory {

/// Fresh memory of \p Bytes bytes, aligned to 512 bytes, filled with a pattern
/// that is a NaN as a float. Host-visible kinds count as initialised, since the
/// host's writes are not seen. nullptr when the emulated GPU has no room.
void *allocate(uint64_t Bytes, MemoryKind Kind);

/// False if \p Address is not the start of a live allocation.
bool release(void *Address);

/// The live allocation that holds \p Address, or else one close to it that
/// explains what an access there meant (the one before it, or a freed one).
std::optional<Allocation> find(const void *Address);

/// The host wrote to device memory (copies, memsets).
void markInitialized(void *Address, uint64_t Bytes);
/// Copies the shadow of device memory along with its bytes.
void copyShadow(void *To, const void *From, uint64_t Bytes);

/// True if all of [Address, Address+Bytes) lies in one live allocation, in a
/// device variable or in host memory outside of the device's range.
bool isAccessible(const void *Address, uint64_t Bytes);
bool isDevice(const void *Address); ///< inside the device's range

uint64_t bytesInUse();
uint64_t totalBytes(); ///< what cudaMemGetInfo calls total

} // namespace memory

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_DEVICEMEMORY_H

//===- AddressSpace.h - The emulated GPU's range of addresses ---*- C++ -*-===//
///
/// \file
/// One reserved range holds everything that device code may point to and that
/// has a shadow: first the slots of blocks' shared memory, then allocations.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_ADDRESSSPACE_H
#define CUDAL1_RUNTIME_EMULATOR_ADDRESSSPACE_H

#include "Abi.h"

namespace cudal1::emulator {

/// One block's shared memory, its redzones included. A GPU has at most 227 KiB;
/// the layout's redzones between variables can double that.
inline constexpr size_t SharedSlotBytes = size_t(1) << 19;
/// Kept free at both ends of a slot.
inline constexpr size_t SharedSlotMargin = 4096;
/// CUDA's driver reserves 1 KiB of each block's shared memory. Cooperative
/// groups keep the barriers of tiles of several warps there.
inline constexpr size_t ReservedSharedBytes = 1024;
/// From ThreadState::Shared to the reserved bytes: behind all others.
inline constexpr size_t ReservedSharedOffset =
    SharedSlotBytes - 2 * SharedSlotMargin - ReservedSharedBytes;

/// What fresh memory is filled with: a NaN in every floating-point format, and
/// -1 as an integer.
inline constexpr int FreshByte = 0xff;

/// Kept free ahead of the first allocation.
inline constexpr size_t HeapMargin = size_t(1) << 20;

namespace space {

/// Reserves the range and describes it in cudal1_emu_memory; done before any
/// constructor of default priority. Safe to call again.
void reserve();

uintptr_t sharedBase();
uintptr_t sharedBytes(); ///< of all slots together
uintptr_t heapBase();    ///< of allocations
uintptr_t heapBytes();

/// A slot of SharedSlotBytes for one resident block; nullptr if all are taken.
char *takeSharedSlot();
void giveSharedSlot(char *Slot);

inline bool contains(const void *Address) {
  return reinterpret_cast<uintptr_t>(Address) - cudal1_emu_memory.Base <
         cudal1_emu_memory.Bytes;
}

/// Address must lie inside the range.
inline uint8_t *shadowOf(const void *Address) {
  return cudal1_emu_memory.Shadow +
         (reinterpret_cast<uintptr_t>(Address) - cudal1_emu_memory.Base);
}

inline bool isShared(const void *Address) {
  return reinterpret_cast<uintptr_t>(Address) - sharedBase() < sharedBytes();
}

} // namespace space

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_ADDRESSSPACE_H

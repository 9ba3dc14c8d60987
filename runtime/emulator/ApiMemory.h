//===- ApiMemory.h - Allocations of the CUDA runtime ------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APIMEMORY_H
#define CUDAL1_RUNTIME_EMULATOR_APIMEMORY_H

#include "DeviceMemory.h"
#include <cuda_runtime_api.h>

namespace cudal1::emulator::api {

/// Memory of \p Bytes bytes (null for none), which the trace sees too.
cudaError_t allocate(void **Result, uint64_t Bytes, MemoryKind Kind);

/// Ends an allocation of host memory, or of any other. A null \p Address is
/// no error; what is no such allocation becomes a finding.
cudaError_t release(void *Address, bool HostMemory, const char *Name);

/// Bytes from row to row that a GPU chooses for rows of \p Width bytes.
inline uint64_t pitchFor(uint64_t Width) {
  constexpr uint64_t Alignment = 512;
  return (Width + Alignment - 1) / Alignment * Alignment;
}

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APIMEMORY_H

//===- ApiMemory.cpp - Allocations of the CUDA runtime --------------------===//

#include "ApiMemory.h"
#include "ApiPlaces.h"
#include "ApiState.h"
#include "ApiTrace.h"
#include "Findings.h"
#include "HostMemory.h"
#include <cstring>

using namespace cudal1;
using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

trace::AllocationKind traceKind(MemoryKind Kind) {
  switch (Kind) {
  case MemoryKind::Managed:
    return trace::AllocationKind::Managed;
  case MemoryKind::Pinned:
    return trace::AllocationKind::Host;
  default:
    return trace::AllocationKind::Device;
  }
}

bool isHostKind(MemoryKind Kind) { return Kind == MemoryKind::Pinned; }

/// Says what \p Address is, for a release of something else.
std::string describe(const void *Address) {
  if (!memory::isDevice(Address))
    return "an address that is no memory of the GPU";
  std::optional<Allocation> A = memory::find(Address);
  if (!A)
    return "an address where nothing is allocated";
  auto Offset =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(Address) - A->Address);
  std::string Which = "allocation " + std::to_string(A->Number);
  if (!A->Live)
    return Which + ", which was freed before";
  if (Offset != 0)
    return "offset " + std::to_string(Offset) + " of " + Which;
  return Which + (isHostKind(A->Kind) ? ", which is host memory"
                                      : ", which is device memory");
}

} // namespace

cudaError_t api::allocate(void **Result, uint64_t Bytes, MemoryKind Kind) {
  if (!Result)
    return cudaErrorInvalidValue;
  if (Bytes == 0) {
    *Result = nullptr;
    return cudaSuccess;
  }
  void *Address = memory::allocate(Bytes, Kind);
  if (!Address)
    return cudaErrorMemoryAllocation;
  *Result = Address;
  if (ApiTracer *T = tracer(); T && Kind != MemoryKind::Array)
    T->allocated(traceKind(Kind), Address, Bytes);
  return cudaSuccess;
}

cudaError_t api::release(void *Address, bool HostMemory, const char *Name) {
  if (!Address || GraphMemory::give(Address))
    return cudaSuccess;
  std::optional<Allocation> A;
  if (memory::isDevice(Address))
    A = memory::find(Address);
  bool Fits = A && A->Live && isHostKind(A->Kind) == HostMemory &&
              A->Address == reinterpret_cast<uintptr_t>(Address);
  if (Fits) {
    if (ApiTracer *T = tracer())
      T->freeing(Address);
    if (memory::release(Address))
      return cudaSuccess;
  }
  reportFinding(FindingKind::InvalidFree, nullptr,
                std::string(Name) + " of " + describe(Address));
  return cudaErrorInvalidValue;
}

extern "C" {

cudaError_t cudaMalloc(void **Result, size_t Bytes) {
  return apiCall(__func__,
                 [&] { return allocate(Result, Bytes, MemoryKind::Device); });
}

cudaError_t cudaMallocManaged(void **Result, size_t Bytes, unsigned Flags) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (Bytes == 0 ||
        (Flags != cudaMemAttachGlobal && Flags != cudaMemAttachHost))
      return cudaErrorInvalidValue;
    return allocate(Result, Bytes, MemoryKind::Managed);
  });
}

cudaError_t cudaFree(void *Address) {
  return apiCall(__func__, [&] { return release(Address, false, "cudaFree"); });
}

cudaError_t cudaHostAlloc(void **Result, size_t Bytes, unsigned Flags) {
  return apiCall(__func__, [&]() -> cudaError_t {
    constexpr unsigned Known = cudaHostAllocPortable | cudaHostAllocMapped |
                               cudaHostAllocWriteCombined;
    if (Flags & ~Known)
      return cudaErrorInvalidValue;
    cudaError_t Error = allocate(Result, Bytes, MemoryKind::Pinned);
    if (Error != cudaSuccess || Bytes == 0)
      return Error;
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    R.PinnedFlags[*Result] = Flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void **Result, size_t Bytes) {
  return apiCall(__func__,
                 [&] { return allocate(Result, Bytes, MemoryKind::Pinned); });
}

cudaError_t cudaFreeHost(void *Address) {
  return apiCall(__func__, [&] {
    Runtime &R = runtime();
    {
      std::lock_guard<std::mutex> Lock(R.Mutex);
      R.PinnedFlags.erase(Address);
    }
    return release(Address, true, "cudaFreeHost");
  });
}

cudaError_t cudaMallocPitch(void **Result, size_t *Pitch, size_t Width,
                            size_t Height) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Pitch)
      return cudaErrorInvalidValue;
    *Pitch = pitchFor(Width);
    return allocate(Result, *Pitch * Height, MemoryKind::Device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *Result, cudaExtent Extent) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result)
      return cudaErrorInvalidValue;
    uint64_t Pitch = pitchFor(Extent.width);
    *Result = {nullptr, Pitch, Extent.width, Extent.height};
    return allocate(&Result->ptr, Pitch * Extent.height * Extent.depth,
                    MemoryKind::Device);
  });
}

cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Free || !Total)
      return cudaErrorInvalidValue;
    *Total = memory::totalBytes();
    *Free = *Total - std::min(*Total, memory::bytesInUse());
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void *Address, size_t Bytes, unsigned) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Address || Bytes == 0)
      return cudaErrorInvalidValue;
    Runtime &R = runtime();
    {
      std::lock_guard<std::mutex> Lock(R.Mutex);
      auto Begin = reinterpret_cast<uintptr_t>(Address);
      auto Above = R.Registered.lower_bound(Begin + Bytes);
      if (Above != R.Registered.begin()) {
        auto &[Before, Length] = *std::prev(Above);
        if (Before + Length > Begin)
          return cudaErrorHostMemoryAlreadyRegistered;
      }
      R.Registered[Begin] = Bytes;
    }
    host::registerRange(Address, Bytes);
    if (ApiTracer *T = tracer())
      T->allocated(trace::AllocationKind::Host, Address, Bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void *Address) {
  return apiCall(__func__, [&]() -> cudaError_t {
    Runtime &R = runtime();
    {
      std::lock_guard<std::mutex> Lock(R.Mutex);
      if (!R.Registered.erase(reinterpret_cast<uintptr_t>(Address)))
        return cudaErrorHostMemoryNotRegistered;
    }
    host::unregisterRange(Address);
    if (ApiTracer *T = tracer())
      T->freeing(Address);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void **Result, void *Host,
                                     unsigned Flags) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result || Flags != 0)
      return cudaErrorInvalidValue;
    Place P = placeOf(Host);
    if (P == Place::Pageable || P == Place::Device)
      return cudaErrorInvalidValue;
    *Result = Host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned *Flags, void *Host) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Flags || placeOf(Host) != Place::Pinned)
      return cudaErrorInvalidValue;
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    auto Known = R.PinnedFlags.find(Host);
    *Flags = Known == R.PinnedFlags.end() ? cudaHostAllocMapped : Known->second;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *Result,
                                     const void *Address) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result)
      return cudaErrorInvalidValue;
    *Result = {};
    auto *Pointer = const_cast<void *>(Address);
    Place P = placeOf(Address);
    Result->device = P == Place::Pageable ? cudaInvalidDeviceId : 0;
    switch (P) {
    case Place::Pageable:
      Result->type = cudaMemoryTypeUnregistered;
      Result->hostPointer = Pointer;
      break;
    case Place::Registered:
    case Place::Pinned:
      Result->type = cudaMemoryTypeHost;
      Result->devicePointer = Result->hostPointer = Pointer;
      break;
    case Place::Managed:
      Result->type = cudaMemoryTypeManaged;
      Result->devicePointer = Result->hostPointer = Pointer;
      break;
    case Place::Device:
      Result->type = cudaMemoryTypeDevice;
      Result->devicePointer = Pointer;
      break;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolAddress(void **Result, const void *Symbol) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result)
      return cudaErrorInvalidValue;
    const VariableInfo *V = lookupVariable(Symbol);
    if (!V)
      return cudaErrorInvalidSymbol;
    *Result = V->Address;
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t *Result, const void *Symbol) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result)
      return cudaErrorInvalidValue;
    const VariableInfo *V = lookupVariable(Symbol);
    if (!V)
      return cudaErrorInvalidSymbol;
    *Result = V->Bytes;
    return cudaSuccess;
  });
}
}

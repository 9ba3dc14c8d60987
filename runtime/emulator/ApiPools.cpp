//===- ApiPools.cpp - Allocations in a stream's order ---------------------===//
//
// All pools take from the same memory, and what is freed is free at once.
//
//===----------------------------------------------------------------------===//

#include "ApiCapture.h"
#include "ApiGraphs.h"
#include "ApiMemory.h"
#include "ApiState.h"
#include <cstring>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

bool isPool(cudaMemPool_t Pool) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  return Pool == &R.DefaultPool || R.Pools.count(Pool) != 0;
}

template <typename Body>
cudaError_t poolCall(const char *Name, cudaMemPool_t Pool, Body &&Do) {
  return apiCall(Name, [&]() -> cudaError_t {
    return isPool(Pool) ? Do(*Pool) : cudaErrorInvalidValue;
  });
}

cudaError_t allocateIn(cudaStream_t Handle, void **Result, uint64_t Bytes) {
  CUstream_st *Stream = lookupStream(Handle);
  if (!Stream)
    return cudaErrorInvalidResourceHandle;
  if (!isCapturing(*Stream) || Bytes == 0 || !Result)
    return allocate(Result, Bytes, MemoryKind::Device);
  std::shared_ptr<GraphMemory> Memory = GraphMemory::make(Bytes);
  if (!Memory)
    return cudaErrorMemoryAllocation;
  *Result = Memory->address();
  return submit(AllocationWork{std::move(Memory)}, Handle, "cudaMallocAsync");
}

cudaError_t freeIn(cudaStream_t Handle, void *Address) {
  CUstream_st *Stream = lookupStream(Handle);
  if (!Stream)
    return cudaErrorInvalidResourceHandle;
  if (isCapturing(*Stream))
    return submit(FreeWork{Address}, Handle, "cudaFreeAsync");
  return release(Address, false, "cudaFreeAsync");
}

/// Copies a pool's attribute of the type that it has.
template <typename T> void get(void *Value, T From) {
  std::memcpy(Value, &From, sizeof(From));
}

} // namespace

extern "C" {

cudaError_t cudaMallocAsync(void **Result, size_t Bytes, cudaStream_t Stream) {
  return apiCall(__func__, [&] { return allocateIn(Stream, Result, Bytes); });
}

cudaError_t cudaMallocFromPoolAsync(void **Result, size_t Bytes,
                                    cudaMemPool_t Pool, cudaStream_t Stream) {
  return poolCall(__func__, Pool, [&](CUmemPoolHandle_st &) {
    return allocateIn(Stream, Result, Bytes);
  });
}

cudaError_t cudaFreeAsync(void *Address, cudaStream_t Stream) {
  return apiCall(__func__, [&]() -> cudaError_t {
    return Address ? freeIn(Stream, Address) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *Result,
                              const cudaMemPoolProps *Properties) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result || !Properties)
      return cudaErrorInvalidValue;
    if (Properties->location.type == cudaMemLocationTypeDevice &&
        Properties->location.id != 0)
      return cudaErrorInvalidDevice;
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    *Result = new CUmemPoolHandle_st;
    R.Pools.insert(*Result);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t Pool) {
  return apiCall(__func__, [&]() -> cudaError_t {
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    if (!R.Pools.erase(Pool))
      return cudaErrorInvalidValue;
    if (R.CurrentPool == Pool)
      R.CurrentPool = &R.DefaultPool;
    delete Pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t Pool, size_t) {
  return poolCall(__func__, Pool,
                  [](CUmemPoolHandle_st &) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t Pool, cudaMemPoolAttr Which,
                                    void *Value) {
  return poolCall(__func__, Pool, [&](CUmemPoolHandle_st &P) -> cudaError_t {
    if (!Value)
      return cudaErrorInvalidValue;
    switch (Which) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      P.Reuse[Which - cudaMemPoolReuseFollowEventDependencies] =
          *static_cast<int *>(Value);
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      P.ReleaseThreshold = *static_cast<uint64_t *>(Value);
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t Pool, cudaMemPoolAttr Which,
                                    void *Value) {
  return poolCall(__func__, Pool, [&](CUmemPoolHandle_st &P) -> cudaError_t {
    if (!Value)
      return cudaErrorInvalidValue;
    switch (Which) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      get(Value, P.Reuse[Which - cudaMemPoolReuseFollowEventDependencies]);
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      get(Value, P.ReleaseThreshold);
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrUsedMemHigh:
      // Not kept by pool: what all of them have in use.
      get(Value, memory::bytesInUse());
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
    }
  });
}

/// There is no other device that could be given access.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t Pool, const cudaMemAccessDesc *,
                                 size_t) {
  return poolCall(__func__, Pool,
                  [](CUmemPoolHandle_st &) { return cudaSuccess; });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *Flags, cudaMemPool_t Pool,
                                 cudaMemLocation *Location) {
  return poolCall(__func__, Pool, [&](CUmemPoolHandle_st &) -> cudaError_t {
    if (!Flags || !Location)
      return cudaErrorInvalidValue;
    bool Here = Location->type == cudaMemLocationTypeDevice && !Location->id;
    *Flags =
        Here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *Pool, int Device) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Pool || Device != 0)
      return Pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *Pool = &runtime().DefaultPool;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *Pool, int Device) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Pool || Device != 0)
      return Pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    *Pool = R.CurrentPool;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int Device, cudaMemPool_t Pool) {
  return poolCall(__func__, Pool, [&](CUmemPoolHandle_st &P) -> cudaError_t {
    if (Device != 0)
      return cudaErrorInvalidDevice;
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    R.CurrentPool = &P;
    return cudaSuccess;
  });
}
}

CUDAL1_PER_THREAD_NAME(cudaMallocAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaMallocFromPoolAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaFreeAsync, _ptsz)

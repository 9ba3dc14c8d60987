//===- ApiHints.cpp - Calls that say where managed memory is wanted -------===//
//
// Memory is in one place here. What is checked is that the addresses are of
// managed memory, since that is an error on a GPU.
//
//===----------------------------------------------------------------------===//

#include "ApiPlaces.h"
#include "ApiState.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

cudaError_t checkManaged(const void *Address, uint64_t Bytes,
                         const char *Name) {
  if (Bytes == 0 || placeOf(Address) != Place::Managed)
    return cudaErrorInvalidValue;
  return checkAccess(Name, "names", Address, Bytes) ? cudaSuccess
                                                    : cudaErrorInvalidValue;
}

bool isDevice(int Device) { return Device == 0 || Device == cudaCpuDeviceId; }

cudaError_t prefetch(const void *Address, uint64_t Bytes, int Device,
                     cudaStream_t Stream) {
  if (!lookupStream(Stream))
    return cudaErrorInvalidResourceHandle;
  if (!isDevice(Device))
    return cudaErrorInvalidDevice;
  if (cudaError_t Error = checkManaged(Address, Bytes, "cudaMemPrefetchAsync"))
    return Error;
  return submit(EmptyWork(), Stream, "cudaMemPrefetchAsync");
}

cudaError_t advise(const void *Address, uint64_t Bytes, int Device) {
  if (!isDevice(Device))
    return cudaErrorInvalidDevice;
  return checkManaged(Address, Bytes, "cudaMemAdvise");
}

#if CUDART_VERSION >= 12020
int deviceOf(const cudaMemLocation &Location) {
  return Location.type == cudaMemLocationTypeDevice ? Location.id
                                                    : cudaCpuDeviceId;
}
#endif

} // namespace

extern "C" {

#if CUDART_VERSION >= 13000

cudaError_t cudaMemPrefetchAsync(const void *Address, size_t Bytes,
                                 cudaMemLocation Location, unsigned Flags,
                                 cudaStream_t Stream) {
  return apiCall(__func__, [&] {
    return Flags ? cudaErrorInvalidValue
                 : prefetch(Address, Bytes, deviceOf(Location), Stream);
  });
}

cudaError_t cudaMemAdvise(const void *Address, size_t Bytes, cudaMemoryAdvise,
                          cudaMemLocation Location) {
  return apiCall(__func__,
                 [&] { return advise(Address, Bytes, deviceOf(Location)); });
}

#else

cudaError_t cudaMemPrefetchAsync(const void *Address, size_t Bytes, int Device,
                                 cudaStream_t Stream) {
  return apiCall(__func__,
                 [&] { return prefetch(Address, Bytes, Device, Stream); });
}

cudaError_t cudaMemAdvise(const void *Address, size_t Bytes, cudaMemoryAdvise,
                          int Device) {
  return apiCall(__func__, [&] { return advise(Address, Bytes, Device); });
}

#if CUDART_VERSION >= 12020
cudaError_t cudaMemPrefetchAsync_v2(const void *Address, size_t Bytes,
                                    cudaMemLocation Location, unsigned Flags,
                                    cudaStream_t Stream) {
  return apiCall(__func__, [&] {
    return Flags ? cudaErrorInvalidValue
                 : prefetch(Address, Bytes, deviceOf(Location), Stream);
  });
}

cudaError_t cudaMemAdvise_v2(const void *Address, size_t Bytes,
                             cudaMemoryAdvise, cudaMemLocation Location) {
  return apiCall(__func__,
                 [&] { return advise(Address, Bytes, deviceOf(Location)); });
}
#endif

#endif
}

CUDAL1_PER_THREAD_NAME(cudaMemPrefetchAsync, _ptsz)

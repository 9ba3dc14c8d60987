//===- ApiDevice.cpp - The one device there is ----------------------------===//

#include "ApiCapture.h"
#include "ApiDeviceProperties.h"
#include "ApiState.h"
#include "ApiTrace.h"
#include <cstdio>
#include <cstring>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

constexpr char BusId[] = "0000:00:00.0";

/// Calls \p Do if \p Device is the one there is and \p Result is not null.
template <typename T, typename Body>
cudaError_t deviceCall(const char *Name, T *Result, int Device, Body &&Do) {
  return apiCall(Name, [&]() -> cudaError_t {
    if (!Result)
      return cudaErrorInvalidValue;
    if (Device != 0)
      return cudaErrorInvalidDevice;
    Do(*Result);
    return cudaSuccess;
  });
}

cudaError_t synchronize() {
  if (cudaError_t Error = checkImplicitSync())
    return Error == cudaErrorStreamCaptureImplicit
               ? cudaErrorStreamCaptureUnsupported
               : Error;
  if (ApiTracer *T = tracer())
    T->synchronized();
  return cudaSuccess;
}

/// What a device allows before anything is set.
std::optional<size_t> defaultLimit(cudaLimit Which) {
  switch (Which) {
  case cudaLimitStackSize:
    return 1024;
  case cudaLimitPrintfFifoSize:
    return 1 << 20;
  case cudaLimitMallocHeapSize:
    return 8 << 20;
  case cudaLimitDevRuntimeSyncDepth:
    return 2;
  case cudaLimitDevRuntimePendingLaunchCount:
    return 2048;
  case cudaLimitMaxL2FetchGranularity:
    return 64;
  case cudaLimitPersistingL2CacheSize:
    return 0;
  default:
    return std::nullopt;
  }
}

} // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int *Count) {
  return deviceCall(__func__, Count, 0, [](int &N) { N = 1; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *Result, int Device) {
  return deviceCall(__func__, Result, Device,
                    [](cudaDeviceProp &P) { P = deviceProperties(); });
}

cudaError_t cudaDeviceGetAttribute(int *Result, cudaDeviceAttr Which,
                                   int Device) {
  return apiCall(__func__, [&]() -> cudaError_t {
    std::optional<int> Value = deviceAttribute(Which);
    if (!Result || !Value)
      return cudaErrorInvalidValue;
    if (Device != 0)
      return cudaErrorInvalidDevice;
    *Result = *Value;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int *Device) {
  return deviceCall(__func__, Device, 0, [](int &D) { D = 0; });
}

cudaError_t cudaSetDevice(int Device) {
  return apiCall(__func__, [&] {
    return Device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaInitDevice(int Device, unsigned, unsigned) {
  return apiCall(__func__, [&] {
    return Device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaSetValidDevices(int *Devices, int Count) {
  return apiCall(__func__, [&]() -> cudaError_t {
    for (int I = 0; I < Count; ++I)
      if (Devices[I] != 0)
        return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int *Device, const cudaDeviceProp *) {
  return deviceCall(__func__, Device, 0, [](int &D) { D = 0; });
}

cudaError_t cudaSetDeviceFlags(unsigned Flags) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (Flags & ~unsigned(cudaDeviceMask))
      return cudaErrorInvalidValue;
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    R.DeviceFlags = Flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned *Flags) {
  return deviceCall(__func__, Flags, 0, [](unsigned &F) {
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    F = R.DeviceFlags | cudaDeviceMapHost;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return apiCall(__func__, [] { return synchronize(); });
}

/// Ends the state that a kernel's error left behind, as it does on a GPU.
/// Allocations stay: what a program forgot to free does it no harm.
cudaError_t cudaDeviceReset() {
  if (ApiTracer *T = tracer())
    T->synchronized();
  runtime().Sticky = cudaSuccess;
  takeLastError();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit Which, size_t Value) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!defaultLimit(Which))
      return cudaErrorUnsupportedLimit;
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    R.Limits[Which] = Value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t *Value, cudaLimit Which) {
  return apiCall(__func__, [&]() -> cudaError_t {
    std::optional<size_t> Default = defaultLimit(Which);
    if (!Value || !Default)
      return Value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    auto Known = R.Limits.find(Which);
    *Value = Known == R.Limits.end() ? *Default : Known->second;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *Config) {
  return deviceCall(__func__, Config, 0, [](cudaFuncCache &C) {
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    C = R.CacheConfig;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache Config) {
  return apiCall(__func__, [&] {
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    R.CacheConfig = Config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *Config) {
  return deviceCall(__func__, Config, 0, [](cudaSharedMemConfig &C) {
    C = cudaSharedMemBankSizeFourByte;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return apiCall(__func__, [] { return cudaSuccess; });
}

cudaError_t cudaDeviceCanAccessPeer(int *Can, int Device, int Peer) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Can)
      return cudaErrorInvalidValue;
    if (Device != 0 || Peer != 0)
      return cudaErrorInvalidDevice;
    *Can = 0;
    return cudaSuccess;
  });
}

/// There is no other device, and none is its own peer.
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return apiCall(__func__, [] { return cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  return apiCall(__func__, [] { return cudaErrorPeerAccessNotEnabled; });
}

cudaError_t cudaDeviceGetP2PAttribute(int *, cudaDeviceP2PAttr, int, int) {
  return apiCall(__func__, [] { return cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetPCIBusId(char *Text, int Bytes, int Device) {
  return deviceCall(__func__, Text, Device, [&](char &) {
    std::snprintf(Text, static_cast<size_t>(Bytes), "%s", BusId);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int *Device, const char *Text) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Device || !Text)
      return cudaErrorInvalidValue;
    if (std::strcmp(Text, BusId) != 0)
      return cudaErrorInvalidDevice;
    *Device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int *Version) {
  return deviceCall(__func__, Version, 0, [](int &V) { V = CUDART_VERSION; });
}

cudaError_t cudaRuntimeGetVersion(int *Version) {
  return deviceCall(__func__, Version, 0, [](int &V) { V = CUDART_VERSION; });
}

cudaError_t cudaProfilerStart() {
  return apiCall("cudaProfilerStart", [] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  return apiCall("cudaProfilerStop", [] { return cudaSuccess; });
}

// CUDA 13 took these away from its headers; older code still declares them.
#if CUDART_VERSION >= 13000
cudaError_t cudaThreadSynchronize();
cudaError_t cudaThreadExit();
#endif
cudaError_t cudaThreadSynchronize() {
  return apiCall(__func__, [] { return synchronize(); });
}
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
}

//===- ApiDeviceProperties.cpp - What the emulated GPU is like ------------===//

#include "ApiDeviceProperties.h"
#include "ApiLaunch.h"
#include "DeviceMemory.h"
#include <climits>
#include <cstring>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

constexpr char DeviceName[] = "cuda-l1 emulator (sm_90 on the CPU)";

constexpr int ConstantBytes = 64 << 10;
constexpr int ClockKilohertz = 1980000;
constexpr int MemoryClockKilohertz = 3201000;
constexpr int MemoryBusBits = 6144;
constexpr int L2Bytes = 60 << 20;
constexpr int PersistingL2Bytes = 38400 << 10;
constexpr int AccessWindowBytes = 128 << 20;
constexpr int CopyEngines = 3;

template <size_t N> void copyTo(int (&To)[N], const uint32_t (&From)[N]) {
  for (size_t I = 0; I < N; ++I)
    To[I] = static_cast<int>(From[I]);
}

/// Members that CUDA 13 took away.
template <typename Properties> void setOldMembers(Properties &P) {
  if constexpr (requires { P.clockRate; }) {
    P.clockRate = ClockKilohertz;
    P.memoryClockRate = MemoryClockKilohertz;
    P.deviceOverlap = 1;
    P.computeMode = cudaComputeModeDefault;
  }
}

std::optional<int> computeAttribute(cudaDeviceAttr Which) {
  switch (Which) {
  case cudaDevAttrMaxThreadsPerBlock:
    return limits::BlockThreads;
  case cudaDevAttrMaxBlockDimX:
  case cudaDevAttrMaxBlockDimY:
  case cudaDevAttrMaxBlockDimZ:
    return limits::BlockDim[Which - cudaDevAttrMaxBlockDimX];
  case cudaDevAttrMaxGridDimX:
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    return limits::GridDim[Which - cudaDevAttrMaxGridDimX];
  case cudaDevAttrMaxSharedMemoryPerBlock:
    return limits::SharedPerBlock;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    return limits::SharedPerBlockOptIn;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    return limits::SharedPerMultiprocessor;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    return limits::ReservedSharedPerBlock;
  case cudaDevAttrWarpSize:
    return limits::WarpThreads;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    return limits::RegistersPerMultiprocessor;
  case cudaDevAttrMultiProcessorCount:
    return limits::Multiprocessors;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    return limits::ThreadsPerMultiprocessor;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    return limits::BlocksPerMultiprocessor;
  case cudaDevAttrComputeCapabilityMajor:
    return 9;
  case cudaDevAttrComputeCapabilityMinor:
    return 0;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    return 2;
  default:
    return std::nullopt;
  }
}

std::optional<int> memoryAttribute(cudaDeviceAttr Which) {
  switch (Which) {
  case cudaDevAttrTotalConstantMemory:
    return ConstantBytes;
  case cudaDevAttrMaxPitch:
    return INT_MAX;
  case cudaDevAttrClockRate:
    return ClockKilohertz;
  case cudaDevAttrMemoryClockRate:
    return MemoryClockKilohertz;
  case cudaDevAttrGlobalMemoryBusWidth:
    return MemoryBusBits;
  case cudaDevAttrL2CacheSize:
    return L2Bytes;
  case cudaDevAttrMaxPersistingL2CacheSize:
    return PersistingL2Bytes;
  case cudaDevAttrMaxAccessPolicyWindowSize:
    return AccessWindowBytes;
  case cudaDevAttrAsyncEngineCount:
    return CopyEngines;
  case cudaDevAttrTextureAlignment:
  case cudaDevAttrSurfaceAlignment:
    return 512;
  case cudaDevAttrTexturePitchAlignment:
    return 32;
#if CUDART_VERSION >= 12020
  case cudaDevAttrNumaId:
  case cudaDevAttrHostNumaId:
    return -1;
#endif
  default:
    return std::nullopt;
  }
}

/// What the emulator can do, as yes.
bool isSupported(cudaDeviceAttr Which) {
  switch (Which) {
  case cudaDevAttrGpuOverlap:
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrStreamPrioritiesSupported:
  case cudaDevAttrGlobalL1CacheSupported:
  case cudaDevAttrLocalL1CacheSupported:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrComputePreemptionSupported:
  case cudaDevAttrCanUseHostPointerForRegisteredMem:
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrHostRegisterSupported:
  case cudaDevAttrMemoryPoolsSupported:
    return true;
  default:
    return false;
  }
}

} // namespace

std::optional<int> api::deviceAttribute(cudaDeviceAttr Which) {
  constexpr int First = cudaDevAttrMaxThreadsPerBlock;
  constexpr int Last = 150;
  if (Which < First || Which > Last)
    return std::nullopt;
  if (std::optional<int> Value = computeAttribute(Which))
    return Value;
  if (std::optional<int> Value = memoryAttribute(Which))
    return Value;
  return isSupported(Which);
}

cudaDeviceProp api::deviceProperties() {
  cudaDeviceProp P = {};
  std::strncpy(P.name, DeviceName, sizeof(P.name) - 1);
  std::strncpy(P.uuid.bytes, "cuda-l1-emulator", sizeof(P.uuid.bytes));
  P.major = 9;
  P.minor = 0;
  P.totalGlobalMem = memory::totalBytes();
  P.sharedMemPerBlock = limits::SharedPerBlock;
  P.sharedMemPerBlockOptin = limits::SharedPerBlockOptIn;
  P.sharedMemPerMultiprocessor = limits::SharedPerMultiprocessor;
  P.reservedSharedMemPerBlock = limits::ReservedSharedPerBlock;
  P.regsPerBlock = P.regsPerMultiprocessor = limits::RegistersPerMultiprocessor;
  P.warpSize = limits::WarpThreads;
  P.memPitch = INT_MAX;
  P.maxThreadsPerBlock = limits::BlockThreads;
  copyTo(P.maxThreadsDim, limits::BlockDim);
  copyTo(P.maxGridSize, limits::GridDim);
  P.totalConstMem = ConstantBytes;
  P.textureAlignment = P.surfaceAlignment = 512;
  P.texturePitchAlignment = 32;
  P.multiProcessorCount = limits::Multiprocessors;
  P.maxThreadsPerMultiProcessor = limits::ThreadsPerMultiprocessor;
  P.maxBlocksPerMultiProcessor = limits::BlocksPerMultiprocessor;
  P.canMapHostMemory = P.concurrentKernels = P.unifiedAddressing = 1;
  P.asyncEngineCount = CopyEngines;
  P.memoryBusWidth = MemoryBusBits;
  P.l2CacheSize = L2Bytes;
  P.persistingL2CacheMaxSize = PersistingL2Bytes;
  P.accessPolicyMaxWindowSize = AccessWindowBytes;
  P.streamPrioritiesSupported = 1;
  P.globalL1CacheSupported = P.localL1CacheSupported = 1;
  P.managedMemory = P.concurrentManagedAccess = 1;
  P.computePreemptionSupported = 1;
  P.canUseHostPointerForRegisteredMem = P.hostRegisterSupported = 1;
  P.cooperativeLaunch = P.memoryPoolsSupported = 1;
  setOldMembers(P);
  return P;
}

//===- ApiOccupancy.cpp - What fits on a multiprocessor -------------------===//

#include "ApiLaunch.h"
#include <algorithm>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

uint64_t roundUp(uint64_t Value, uint64_t To) {
  return (Value + To - 1) / To * To;
}

int compiledFor() {
  constexpr int Assumed = 90;
  const uint32_t *Given = &cudal1_emu_compute_capability;
  return Given ? static_cast<int>(*Given) : Assumed;
}

uint32_t maxThreads(const Kernel &K) {
  return K.Info->MaxThreadsPerBlock ? K.Info->MaxThreadsPerBlock
                                    : limits::BlockThreads;
}

/// Calls \p Do with the kernel of \p Function.
template <typename Body>
cudaError_t kernelCall(const char *Name, const void *Function, Body &&Do) {
  return apiCall(Name, [&]() -> cudaError_t {
    Kernel *K = lookupKernel(Function);
    return K ? Do(*K) : cudaErrorInvalidDeviceFunction;
  });
}

cudaError_t occupancy(const char *Name, int *Blocks, const void *Function,
                      int BlockThreads, size_t DynamicShared) {
  return kernelCall(Name, Function, [&](const Kernel &K) -> cudaError_t {
    if (!Blocks || BlockThreads <= 0)
      return cudaErrorInvalidValue;
    *Blocks = static_cast<int>(blocksPerMultiprocessor(
        K, static_cast<uint32_t>(BlockThreads), DynamicShared));
    return cudaSuccess;
  });
}

} // namespace

uint32_t api::maxDynamicShared(const Kernel &K) {
  if (K.MaxDynamicShared >= 0)
    return static_cast<uint32_t>(K.MaxDynamicShared);
  uint32_t Static = K.Info->StaticSharedBytes;
  return limits::SharedPerBlock - std::min(Static, limits::SharedPerBlock);
}

uint32_t api::blocksPerMultiprocessor(const Kernel &K, uint32_t BlockThreads,
                                      uint64_t DynamicShared) {
  constexpr uint64_t SharedGranularity = 128;
  if (BlockThreads > maxThreads(K))
    return 0;
  uint64_t Threads = roundUp(BlockThreads, limits::WarpThreads);
  uint64_t Wanted = K.Info->StaticSharedBytes + DynamicShared;
  if (Wanted > limits::SharedPerBlockOptIn)
    return 0;
  uint64_t Shared =
      roundUp(Wanted + limits::ReservedSharedPerBlock, SharedGranularity);
  uint64_t Fitting =
      std::min<uint64_t>({limits::BlocksPerMultiprocessor,
                          limits::ThreadsPerMultiprocessor / Threads,
                          limits::RegistersPerMultiprocessor /
                              (limits::AssumedRegisters * Threads),
                          limits::SharedPerMultiprocessor / Shared});
  return static_cast<uint32_t>(Fitting);
}

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks,
                                                          const void *Function,
                                                          int BlockThreads,
                                                          size_t Shared) {
  return occupancy(__func__, Blocks, Function, BlockThreads, Shared);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, const void *Function, int BlockThreads, size_t Shared,
    unsigned) {
  return occupancy(__func__, Blocks, Function, BlockThreads, Shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Shared,
                                                      const void *Function,
                                                      int Blocks,
                                                      int BlockThreads) {
  return kernelCall(__func__, Function, [&](const Kernel &K) -> cudaError_t {
    if (!Shared || Blocks <= 0 || BlockThreads <= 0)
      return cudaErrorInvalidValue;
    uint64_t Share = limits::SharedPerMultiprocessor / uint64_t(Blocks);
    uint64_t Taken = K.Info->StaticSharedBytes + limits::ReservedSharedPerBlock;
    uint64_t Free = Share > Taken ? Share - Taken : 0;
    *Shared = std::min<uint64_t>(Free, limits::SharedPerBlockOptIn -
                                           K.Info->StaticSharedBytes);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Result,
                                  const void *Function) {
  return kernelCall(__func__, Function, [&](const Kernel &K) -> cudaError_t {
    if (!Result)
      return cudaErrorInvalidValue;
    *Result = {};
    Result->sharedSizeBytes = K.Info->StaticSharedBytes;
    Result->maxThreadsPerBlock = static_cast<int>(maxThreads(K));
    Result->numRegs = limits::AssumedRegisters;
    // What libraries choose their kernels' parameters by: it must be what the
    // device code itself saw.
    Result->ptxVersion = Result->binaryVersion = compiledFor();
    Result->maxDynamicSharedSizeBytes = static_cast<int>(maxDynamicShared(K));
    Result->preferredShmemCarveout = K.SharedCarveout;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *Function, cudaFuncAttribute Which,
                                 int Value) {
  return kernelCall(__func__, Function, [&](Kernel &K) -> cudaError_t {
    uint32_t Most = limits::SharedPerBlockOptIn - K.Info->StaticSharedBytes;
    switch (Which) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (Value < 0 || static_cast<uint32_t>(Value) > Most)
        return cudaErrorInvalidValue;
      K.MaxDynamicShared = Value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (Value < cudaSharedmemCarveoutDefault ||
          Value > cudaSharedmemCarveoutMaxShared)
        return cudaErrorInvalidValue;
      K.SharedCarveout = Value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void *Function, cudaFuncCache) {
  return kernelCall(__func__, Function,
                    [](const Kernel &) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *Function,
                                       cudaSharedMemConfig) {
  return kernelCall(__func__, Function,
                    [](const Kernel &) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char **Name, const void *Function) {
  return kernelCall(__func__, Function, [&](const Kernel &K) -> cudaError_t {
    if (!Name)
      return cudaErrorInvalidValue;
    *Name = K.Name.c_str();
    return cudaSuccess;
  });
}
}

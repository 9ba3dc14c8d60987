//===- ApiLaunch.h - Kernel launches and their limits -----------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APILAUNCH_H
#define CUDAL1_RUNTIME_EMULATOR_APILAUNCH_H

#include "ApiState.h"

namespace cudal1::emulator::api {

/// What a GPU of compute capability 9.0 has.
namespace limits {
inline constexpr uint32_t WarpThreads = 32;
inline constexpr uint32_t BlockThreads = 1024;
inline constexpr uint32_t BlockDim[3] = {1024, 1024, 64};
inline constexpr uint32_t GridDim[3] = {2147483647, 65535, 65535};
inline constexpr uint32_t SharedPerBlock = 48 << 10;
inline constexpr uint32_t SharedPerBlockOptIn = 227 << 10;
inline constexpr uint32_t SharedPerMultiprocessor = 228 << 10;
inline constexpr uint32_t ReservedSharedPerBlock = 1 << 10;
inline constexpr uint32_t ThreadsPerMultiprocessor = 2048;
inline constexpr uint32_t BlocksPerMultiprocessor = 32;
inline constexpr uint32_t RegistersPerMultiprocessor = 65536;
inline constexpr uint32_t Multiprocessors = 132;
/// Registers are not counted here. So many fit a full multiprocessor.
inline constexpr uint32_t AssumedRegisters = 32;
} // namespace limits

/// Dynamic shared memory, in bytes, that a launch of \p K may ask for.
uint32_t maxDynamicShared(const Kernel &K);

/// Blocks of this size that one multiprocessor holds; 0 if none.
uint32_t blocksPerMultiprocessor(const Kernel &K, uint32_t BlockThreads,
                                 uint64_t DynamicShared);

/// cudaSuccess if a GPU would start this launch.
cudaError_t checkLaunch(const Kernel &K, const LaunchShape &Shape,
                        uint64_t DynamicShared);

/// What cudaGraphAddKernelNode and captures keep of a launch.
cudaError_t makeKernelWork(const void *Function, dim3 Grid, dim3 Block,
                           void **Arguments, uint64_t DynamicShared,
                           bool Cooperative, KernelWork &Result);

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APILAUNCH_H

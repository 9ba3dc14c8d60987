//===- ApiState.h - What the CUDA runtime knows of a process ----*- C++ -*-===//
///
/// \file
/// The one place that holds the state of the emulated CUDA runtime. The API
/// that it implements has no handle to pass such state around in, so it is a
/// global of the process here as it is in CUDA's own library; everything else
/// in Api*.cpp gets at it by runtime().
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APISTATE_H
#define CUDAL1_RUNTIME_EMULATOR_APISTATE_H

#include "ApiGraphMemory.h"
#include "ApiObjects.h"
#include "Launcher.h"
#include <atomic>
#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

/// Also defines the symbol by which code built for a per-thread default stream
/// calls \p Name. Work runs at once in every stream, so both do the same.
#define CUDAL1_PER_THREAD_NAME(Name, Suffix)                                   \
  extern "C" __attribute__((alias(#Name))) __typeof__(Name) Name##Suffix;

namespace cudal1::emulator::api {

class ApiTracer;

/// `1`: device memory that is not freed when the process ends is a finding.
inline constexpr char LeaksVariable[] = "CUDAL1_EMU_LEAKS";

/// A `__global__` function that host code registered.
struct Kernel {
  std::string Name;                 ///< mangled
  const KernelInfo *Info = nullptr; ///< found at first use
  /// Of cudaFuncAttributeMaxDynamicSharedMemorySize; -1: never set.
  int MaxDynamicShared = -1;
  int SharedCarveout = cudaSharedmemCarveoutDefault;
};

/// A device variable that host code registered.
struct Variable {
  std::string Name;                   ///< mangled
  const VariableInfo *Info = nullptr; ///< found at first use
};

struct Runtime {
  /// Guards all below but the atomics. Not held while a kernel or a function
  /// of the program runs.
  std::mutex Mutex;
  std::unordered_map<const void *, Kernel> Kernels;
  std::unordered_map<const void *, Variable> Variables;
  /// Bytes of the host that cudaHostRegister named, by their address.
  std::map<uintptr_t, uint64_t> Registered;
  std::unordered_map<const void *, unsigned> PinnedFlags;

  CUstream_st NullStream;
  CUstream_st PerThreadStream;
  std::unordered_set<cudaStream_t> Streams;
  std::unordered_set<cudaEvent_t> Events;
  std::unordered_set<cudaGraph_t> Graphs;
  std::unordered_set<cudaGraphExec_t> GraphExecs;
  GraphMemoryTable GraphMemories; ///< has a lock of its own
  std::unordered_set<cudaArray_const_t> Arrays;
  std::unordered_set<cudaMemPool_t> Pools;
  CUmemPoolHandle_st DefaultPool;
  cudaMemPool_t CurrentPool = &DefaultPool;
  uint64_t NextStreamId = 2;
  uint64_t NextCaptureId = 1;

  std::unordered_map<int, size_t> Limits; ///< by cudaLimit
  unsigned DeviceFlags = 0;
  cudaFuncCache CacheConfig = cudaFuncCachePreferNone;

  /// The error that a kernel ended with: every later call returns it.
  std::atomic<int> Sticky{cudaSuccess};
  /// Some call of the program is not emulated.
  std::atomic<bool> Unsupported{false};
  /// Null when no trace is written.
  std::unique_ptr<ApiTracer> Tracer;
};

Runtime &runtime();

/// Sets this thread's last error and traces it. Returns \p Result.
cudaError_t finishCall(const char *Name, cudaError_t Result);

/// Runs one call of the API, unless a kernel's error has ended all work.
template <typename Body> cudaError_t apiCall(const char *Name, Body &&Do) {
  auto Result = static_cast<cudaError_t>(runtime().Sticky.load());
  if (Result == cudaSuccess)
    Result = Do();
  return finishCall(Name, Result);
}

/// Forgets this thread's last error; returns what it was.
cudaError_t takeLastError();
cudaError_t lastError();

/// Reports that \p What is not emulated. Returns cudaErrorNotSupported.
cudaError_t unsupported(const std::string &What);

/// Null if host code registered no such kernel or its code is not there.
Kernel *lookupKernel(const void *Function);
const VariableInfo *lookupVariable(const void *Symbol);

/// The stream of a handle, or null if there is none.
CUstream_st *lookupStream(cudaStream_t Handle);

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APISTATE_H

//===- ReplayDriver.h - What replay needs of the driver ---------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_REPLAYDRIVER_H
#define CUDAL1_RUNTIME_REPLAYDRIVER_H

#include "Cupti.h"

namespace cudal1::runtime {

/// How a call of the driver ended, and which it was.
struct [[nodiscard]] CallResult {
  CUresult Code = CUDA_SUCCESS;
  const char *Call = "";

  bool failed() const { return Code != CUDA_SUCCESS; }
};

/// All entry points are set, or load() returned false; but see the last ones.
struct ReplayDriver : Driver {
  decltype(&cuGetErrorName) GetErrorName = nullptr;
  decltype(&cuDeviceGetName) DeviceGetName = nullptr;
  decltype(&cuModuleLoadData) ModuleLoadData = nullptr;
  decltype(&cuModuleUnload) ModuleUnload = nullptr;
  decltype(&cuModuleGetFunction) ModuleGetFunction = nullptr;
  decltype(&cuModuleGetGlobal) ModuleGetGlobal = nullptr;
  decltype(&cuFuncGetModule) FuncGetModule = nullptr;
  decltype(&cuFuncGetAttribute) FuncGetAttribute = nullptr;
  decltype(&cuFuncSetAttribute) FuncSetAttribute = nullptr;
  decltype(&cuMemAlloc) MemAlloc = nullptr;
  decltype(&cuMemFree) MemFree = nullptr;
  decltype(&cuMemHostAlloc) MemHostAlloc = nullptr;
  decltype(&cuMemFreeHost) MemFreeHost = nullptr;
  decltype(&cuMemHostGetDevicePointer) MemHostGetDevicePointer = nullptr;
  decltype(&cuMemGetInfo) MemGetInfo = nullptr;
  decltype(&cuMemcpyAsync) MemcpyAsync = nullptr;
  decltype(&cuMemsetD8Async) MemsetD8Async = nullptr;
  decltype(&cuStreamCreate) StreamCreate = nullptr;
  decltype(&cuStreamWaitValue32) StreamWaitValue32 = nullptr;
  decltype(&cuEventCreate) EventCreate = nullptr;
  decltype(&cuEventRecord) EventRecord = nullptr;
  decltype(&cuEventElapsedTime) EventElapsedTime = nullptr;
  decltype(&cuLaunchKernelEx) LaunchKernelEx = nullptr;

  /// Null in older drivers; replay does without.
  decltype(&cuFuncLoad) FuncLoad = nullptr;
  decltype(&cuDeviceGetUuid_v2) DeviceGetUuid = nullptr;
  decltype(&cuCtxResetPersistingL2Cache) CtxResetPersistingL2 = nullptr;
  decltype(&cuKernelGetLibrary) KernelGetLibrary = nullptr;
  decltype(&cuLibraryGetModule) LibraryGetModule = nullptr;

  /// On failure \p Problem says what is missing.
  bool load(std::string &Problem);

  /// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"
  std::string describe(CallResult Result) const;
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_REPLAYDRIVER_H

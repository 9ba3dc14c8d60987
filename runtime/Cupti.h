//===- Cupti.h - CUPTI and the driver, found at run time --------*- C++ -*-===//
///
/// \file
/// The entry points of CUPTI and of the CUDA driver that the injection library
/// uses, resolved in the running process: the library links to neither, so one
/// build serves machines that keep CUPTI in different places.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_CUPTI_H
#define CUDAL1_RUNTIME_CUPTI_H

#include <cuda.h>
#include <cupti.h>
#if __has_include(<cupti_activity_deprecated.h>)
#include <cupti_activity_deprecated.h>
#endif
#include <string>

namespace cudal1::runtime {

/// CUPTI's entry points. All are set, or load() returned false.
struct Cupti {
  decltype(&cuptiSubscribe) Subscribe = nullptr;
  decltype(&cuptiEnableCallback) EnableCallback = nullptr;
  decltype(&cuptiEnableDomain) EnableDomain = nullptr;
  decltype(&cuptiGetTimestamp) GetTimestamp = nullptr;
  decltype(&cuptiGetResultString) GetResultString = nullptr;
  decltype(&cuptiActivityEnable) ActivityEnable = nullptr;
  decltype(&cuptiActivityDisable) ActivityDisable = nullptr;
  decltype(&cuptiActivityFlushAll) ActivityFlushAll = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) ActivityRegisterCallbacks = nullptr;
  decltype(&cuptiActivityGetNextRecord) ActivityGetNextRecord = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) ActivityGetNumDroppedRecords =
      nullptr;

  /// Looks for libcupti in $CUDAL1_CUPTI, beside a loaded libcudart, in the
  /// toolkits named by $CUDA_PATH and $CUDA_HOME, in /usr/local/cuda and where
  /// the dynamic linker looks. On failure \p Problem says what was tried.
  bool load(std::string &Problem);
};

/// The driver's entry points. A null one is missing in this driver.
struct Driver {
  decltype(&cuKernelGetFunction) KernelGetFunction = nullptr;
  decltype(&cuFuncGetParamInfo) FuncGetParamInfo = nullptr;
  decltype(&cuStreamSynchronize) StreamSynchronize = nullptr;
  decltype(&cuStreamIsCapturing) StreamIsCapturing = nullptr;
  decltype(&cuThreadExchangeStreamCaptureMode) ExchangeCaptureMode = nullptr;
  decltype(&cuCtxSynchronize) CtxSynchronize = nullptr;
  decltype(&cuPointerGetAttribute) PointerGetAttribute = nullptr;
  decltype(&cuMemcpyDtoH) MemcpyDtoH = nullptr;
  decltype(&cuCtxGetDevice) CtxGetDevice = nullptr;
  decltype(&cuDeviceGetAttribute) DeviceGetAttribute = nullptr;

  /// False if the process has no driver loaded.
  bool load();
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_CUPTI_H

//===- ApiStreams.cpp - Streams -------------------------------------------===//
//
// Work given to a stream is done before the call returns, so the order in which
// it is issued is the order in which it happens and nothing is ever waited for.
//
//===----------------------------------------------------------------------===//

#include "ApiCapture.h"
#include "ApiState.h"
#include "ApiTrace.h"

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

/// What a device of today offers, least first: lower numbers go first.
constexpr int LeastPriority = 0, GreatestPriority = -5;

cudaError_t create(cudaStream_t *Result, unsigned Flags, int Priority) {
  if (!Result || (Flags & ~unsigned(cudaStreamNonBlocking)))
    return cudaErrorInvalidValue;
  auto *Stream = new CUstream_st;
  Stream->Flags = Flags;
  Stream->Priority =
      std::max(GreatestPriority, std::min(LeastPriority, Priority));
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  Stream->Id = R.NextStreamId++;
  R.Streams.insert(Stream);
  *Result = Stream;
  return cudaSuccess;
}

/// Calls \p Do with the stream of \p Handle.
template <typename Body>
cudaError_t streamCall(const char *Name, cudaStream_t Handle, Body &&Do) {
  return apiCall(Name, [&]() -> cudaError_t {
    CUstream_st *Stream = lookupStream(Handle);
    return Stream ? Do(*Stream) : cudaErrorInvalidResourceHandle;
  });
}

} // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *Result) {
  return apiCall(__func__,
                 [&] { return create(Result, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *Result, unsigned Flags) {
  return apiCall(__func__, [&] { return create(Result, Flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *Result, unsigned Flags,
                                         int Priority) {
  return apiCall(__func__, [&] { return create(Result, Flags, Priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t Stream) {
  return apiCall(__func__, [&]() -> cudaError_t {
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    if (!R.Streams.erase(Stream))
      return cudaErrorInvalidResourceHandle;
    delete Stream;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t Stream) {
  return streamCall(__func__, Stream, [](CUstream_st &S) -> cudaError_t {
    if (isCapturing(S)) {
      invalidateCapture(S);
      return cudaErrorStreamCaptureUnsupported;
    }
    if (ApiTracer *T = tracer())
      T->synchronized();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t Stream) {
  return streamCall(__func__, Stream, [](CUstream_st &S) -> cudaError_t {
    if (!isCapturing(S))
      return cudaSuccess;
    invalidateCapture(S);
    return cudaErrorStreamCaptureUnsupported;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t Stream, unsigned *Flags) {
  return streamCall(__func__, Stream, [&](CUstream_st &S) -> cudaError_t {
    if (!Flags)
      return cudaErrorInvalidValue;
    *Flags = S.Flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t Stream, int *Priority) {
  return streamCall(__func__, Stream, [&](CUstream_st &S) -> cudaError_t {
    if (!Priority)
      return cudaErrorInvalidValue;
    *Priority = S.Priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t Stream, unsigned long long *Id) {
  return streamCall(__func__, Stream, [&](CUstream_st &S) -> cudaError_t {
    if (!Id)
      return cudaErrorInvalidValue;
    *Id = S.Id;
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 12080
cudaError_t cudaStreamGetDevice(cudaStream_t Stream, int *Device) {
  return streamCall(__func__, Stream, [&](CUstream_st &) -> cudaError_t {
    if (!Device)
      return cudaErrorInvalidValue;
    *Device = 0;
    return cudaSuccess;
  });
}
CUDAL1_PER_THREAD_NAME(cudaStreamGetDevice, _ptsz)
#endif

cudaError_t cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  return apiCall(__func__, [&] {
    if (Least)
      *Least = LeastPriority;
    if (Greatest)
      *Greatest = GreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t Stream, cudaHostFn_t Function,
                               void *Data) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Function)
      return cudaErrorInvalidValue;
    return submit(HostWork{[=] { Function(Data); }, {Function, Data}}, Stream,
                  "cudaLaunchHostFunc");
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t Stream,
                                  cudaStreamCallback_t Function, void *Data,
                                  unsigned Flags) {
  return streamCall(__func__, Stream, [&](CUstream_st &S) -> cudaError_t {
    if (!Function || Flags != 0)
      return cudaErrorInvalidValue;
    if (isCapturing(S)) {
      invalidateCapture(S);
      return cudaErrorStreamCaptureUnsupported;
    }
    Function(Stream, cudaSuccess, Data);
    return cudaSuccess;
  });
}

/// Memory is where it is: a hint has no effect.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t Stream, void *, size_t,
                                     unsigned) {
  return streamCall(__func__, Stream,
                    [](CUstream_st &) { return cudaSuccess; });
}

/// Attributes of a stream are hints about caches and waiting.
cudaError_t cudaStreamSetAttribute(cudaStream_t Stream, cudaLaunchAttributeID,
                                   const cudaLaunchAttributeValue *Value) {
  return streamCall(__func__, Stream, [&](CUstream_st &) {
    return Value ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t Stream, cudaLaunchAttributeID,
                                   cudaLaunchAttributeValue *Value) {
  return streamCall(__func__, Stream, [&](CUstream_st &) -> cudaError_t {
    if (!Value)
      return cudaErrorInvalidValue;
    *Value = {};
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t To, cudaStream_t From) {
  return streamCall(__func__, To, [&](CUstream_st &) {
    return lookupStream(From) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return apiCall(__func__, [] { return cudaSuccess; });
}
}

CUDAL1_PER_THREAD_NAME(cudaStreamSynchronize, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamQuery, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamGetFlags, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamGetPriority, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamGetId, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaLaunchHostFunc, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamAddCallback, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamAttachMemAsync, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamSetAttribute, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamGetAttribute, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamCopyAttributes, _ptsz)

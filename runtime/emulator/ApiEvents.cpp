//===- ApiEvents.cpp - Events ---------------------------------------------===//

#include "ApiCapture.h"
#include "ApiState.h"
#include "ApiTrace.h"
#include "cudal1/Measure/TraceFormat.h"

using namespace cudal1;
using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

constexpr unsigned KnownFlags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

cudaError_t create(cudaEvent_t *Result, unsigned Flags) {
  if (!Result || (Flags & ~KnownFlags) || (Flags & cudaEventInterprocess))
    return cudaErrorInvalidValue;
  auto *Event = new CUevent_st;
  Event->Flags = Flags;
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  R.Events.insert(Event);
  *Result = Event;
  return cudaSuccess;
}

bool isEvent(cudaEvent_t Event) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  return R.Events.count(Event) != 0;
}

template <typename Body>
cudaError_t eventCall(const char *Name, cudaEvent_t Event, Body &&Do) {
  return apiCall(Name, [&]() -> cudaError_t {
    return isEvent(Event) ? Do() : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t record(cudaEvent_t Event, cudaStream_t Stream, unsigned Flags) {
  if (Flags == cudaEventRecordExternal)
    return submit(EventWork{Event, false}, Stream, "cudaEventRecord");
  CUstream_st *S = lookupStream(Stream);
  if (!S)
    return cudaErrorInvalidResourceHandle;
  if (!captureEvent(*S, *Event))
    recordNow(*Event);
  return cudaSuccess;
}

cudaError_t wait(cudaEvent_t Event) {
  if (isCaptured(*Event))
    return cudaErrorCapturedEvent;
  if (ApiTracer *T = tracer())
    T->synchronized();
  return cudaSuccess;
}

} // namespace

void api::recordNow(CUevent_st &Event) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  Event.Recorded = true;
  Event.TimeNs = trace::monotonicNs();
  Event.Captured = nullptr;
  Event.CapturedAfter.clear();
}

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t *Result) {
  return apiCall(__func__, [&] { return create(Result, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *Result, unsigned Flags) {
  return apiCall(__func__, [&] { return create(Result, Flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t Event) {
  return apiCall(__func__, [&]() -> cudaError_t {
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    if (!R.Events.erase(Event))
      return cudaErrorInvalidResourceHandle;
    delete Event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t Event, cudaStream_t Stream) {
  return eventCall(__func__, Event, [&] {
    return record(Event, Stream, cudaEventRecordDefault);
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t Event, cudaStream_t Stream,
                                     unsigned Flags) {
  return eventCall(__func__, Event,
                   [&] { return record(Event, Stream, Flags); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t Stream, cudaEvent_t Event,
                                unsigned Flags) {
  return eventCall(__func__, Event, [&]() -> cudaError_t {
    CUstream_st *S = lookupStream(Stream);
    if (!S)
      return cudaErrorInvalidResourceHandle;
    if (Flags == cudaEventWaitExternal)
      return submit(EventWork{Event, true}, Stream, "cudaStreamWaitEvent");
    return captureWait(*S, *Event);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t Event) {
  return eventCall(__func__, Event, [&] { return wait(Event); });
}

cudaError_t cudaEventQuery(cudaEvent_t Event) {
  return eventCall(__func__, Event, [&]() -> cudaError_t {
    return isCaptured(*Event) ? cudaErrorCapturedEvent : cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Start,
                                 cudaEvent_t End) {
  return eventCall(__func__, Start, [&]() -> cudaError_t {
    if (!Milliseconds)
      return cudaErrorInvalidValue;
    if (!isEvent(End))
      return cudaErrorInvalidResourceHandle;
    for (cudaEvent_t Event : {Start, End})
      if (!Event->Recorded || (Event->Flags & cudaEventDisableTiming))
        return cudaErrorInvalidResourceHandle;
    auto Elapsed = static_cast<int64_t>(End->TimeNs - Start->TimeNs);
    // Programs divide by it.
    if (Elapsed == 0 && Start != End)
      Elapsed = 1;
    constexpr double NsPerMillisecond = 1e6;
    *Milliseconds =
        static_cast<float>(static_cast<double>(Elapsed) / NsPerMillisecond);
    return cudaSuccess;
  });
}
}

CUDAL1_PER_THREAD_NAME(cudaEventRecord, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaEventRecordWithFlags, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamWaitEvent, _ptsz)

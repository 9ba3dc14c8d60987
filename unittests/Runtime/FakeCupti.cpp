// Stands in for libcupti: remembers the subscriber, and lets a test make calls
// to it. $FAKE_CUPTI_REFUSES makes it refuse, as when a profiler is active.

#include <cstdlib>
#include <cstring>
#include <cupti.h>

namespace {
CUpti_CallbackFunc Callback = nullptr;
CUpti_BuffersCallbackRequestFunc RequestBuffer = nullptr;
CUpti_BuffersCallbackCompleteFunc CompleteBuffer = nullptr;
CUpti_ActivityKernel4 Kernel = {};
bool HasKernel = false;
} // namespace

extern "C" {
/// One call of a CUDA function, from its start to its end.
void fakeCall(CUpti_CallbackDomain Domain, CUpti_CallbackId Id,
              const char *Name, const void *Parameters, int Result,
              const char *Symbol) {
  CUpti_CallbackData Data = {};
  Data.functionName = Name;
  Data.functionParams = Parameters;
  Data.functionReturnValue = &Result;
  Data.symbolName = Symbol;
  Data.callbackSite = CUPTI_API_ENTER;
  Callback(nullptr, Domain, Id, &Data);
  Data.callbackSite = CUPTI_API_EXIT;
  Callback(nullptr, Domain, Id, &Data);
}

/// The next flush hands over one kernel of this name and duration.
void fakeKernelRan(const char *Name, uint64_t Ns) {
  Kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  Kernel.name = Name;
  Kernel.start = 1000;
  Kernel.end = 1000 + Ns;
  HasKernel = true;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *, CUpti_CallbackFunc Func,
                           void *) {
  if (std::getenv("FAKE_CUPTI_REFUSES"))
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  Callback = Func;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain, CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableDomain(uint32_t, CUpti_SubscriberHandle,
                              CUpti_CallbackDomain) {
  return CUPTI_SUCCESS;
}
/// A clock that stands still but for one step a call.
CUptiResult cuptiGetTimestamp(uint64_t *Ns) {
  static uint64_t Now = 0;
  *Ns = Now += 100;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char **Text) {
  *Text = "refused";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityDisable(CUpti_ActivityKind) { return CUPTI_SUCCESS; }
CUptiResult
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc Request,
                               CUpti_BuffersCallbackCompleteFunc Complete) {
  RequestBuffer = Request;
  CompleteBuffer = Complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t) {
  if (!HasKernel)
    return CUPTI_SUCCESS;
  uint8_t *Buffer = nullptr;
  size_t Size = 0, Records = 0;
  RequestBuffer(&Buffer, &Size, &Records);
  std::memcpy(Buffer, &Kernel, sizeof(Kernel));
  HasKernel = false;
  CompleteBuffer(nullptr, 0, Buffer, Size, sizeof(Kernel));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t *Buffer, size_t,
                                       CUpti_Activity **Record) {
  if (*Record)
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *Record = reinterpret_cast<CUpti_Activity *>(Buffer);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t,
                                              size_t *Dropped) {
  *Dropped = 0;
  return CUPTI_SUCCESS;
}
}

// Stands in for libcupti: passes on what the fake driver tells.
// $FAKE_CUPTI_REFUSES makes it refuse, as when a profiler is active.

#include <cstdlib>
#include <cupti.h>
#include <cupti_activity_deprecated.h>

extern "C" {
void fakeSubscribe(CUpti_CallbackFunc Function, void *Data);
void fakeEnableCalls(bool On);
void fakeEnableCall(CUpti_CallbackId Id, bool On);
void fakeEnableKernels(bool On);
uint64_t fakeNow();
size_t fakeTakeRecords(CUpti_ActivityKernel4 *To, size_t Room);
}

namespace {
CUpti_BuffersCallbackRequestFunc RequestBuffer = nullptr;
CUpti_BuffersCallbackCompleteFunc CompleteBuffer = nullptr;
} // namespace

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *, CUpti_CallbackFunc Func,
                           void *Data) {
  if (std::getenv("FAKE_CUPTI_REFUSES"))
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  fakeSubscribe(Func, Data);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t On, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain Domain,
                                CUpti_CallbackId Id) {
  if (Domain == CUPTI_CB_DOMAIN_DRIVER_API)
    fakeEnableCall(Id, On);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t On, CUpti_SubscriberHandle,
                              CUpti_CallbackDomain Domain) {
  if (Domain == CUPTI_CB_DOMAIN_DRIVER_API)
    fakeEnableCalls(On);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *Ns) {
  *Ns = fakeNow();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult, const char **Text) {
  *Text = "refused";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind Kind) {
  if (Kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
    fakeEnableKernels(true);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind Kind) {
  if (Kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
    fakeEnableKernels(false);
  return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc Request,
                               CUpti_BuffersCallbackCompleteFunc Complete) {
  RequestBuffer = Request;
  CompleteBuffer = Complete;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t) {
  for (;;) {
    uint8_t *Buffer = nullptr;
    size_t Size = 0, Records = 0;
    RequestBuffer(&Buffer, &Size, &Records);
    size_t Count =
        fakeTakeRecords(reinterpret_cast<CUpti_ActivityKernel4 *>(Buffer),
                        Size / sizeof(CUpti_ActivityKernel4));
    CompleteBuffer(nullptr, 0, Buffer, Size,
                   Count * sizeof(CUpti_ActivityKernel4));
    if (Count == 0)
      return CUPTI_SUCCESS;
  }
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *Buffer, size_t ValidSize,
                                       CUpti_Activity **Record) {
  auto *First = reinterpret_cast<CUpti_ActivityKernel4 *>(Buffer);
  auto *Next =
      *Record ? reinterpret_cast<CUpti_ActivityKernel4 *>(*Record) + 1 : First;
  if (Next >= First + ValidSize / sizeof(CUpti_ActivityKernel4))
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *Record = reinterpret_cast<CUpti_Activity *>(Next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t,
                                              size_t *Dropped) {
  *Dropped = 0;
  return CUPTI_SUCCESS;
}
}

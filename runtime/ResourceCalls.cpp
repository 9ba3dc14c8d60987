//===- ResourceCalls.cpp - When memory, streams, graphs are made ----------===//

#include "ResourceCalls.h"
#include <algorithm>

using namespace cudal1;
using namespace cudal1::runtime;

const std::vector<CUpti_CallbackId> &ResourceCalls::ids() {
  static const std::vector<CUpti_CallbackId> Ids = {
      CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
      CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
      CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
      CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
      CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
      CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync,
      CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2,
      CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc,
      CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost,
      CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2,
      CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister,
      CUPTI_DRIVER_TRACE_CBID_cuStreamCreate,
      CUPTI_DRIVER_TRACE_CBID_cuStreamCreateWithPriority,
      CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2,
      CUPTI_DRIVER_TRACE_CBID_cuEventCreate,
      CUPTI_DRIVER_TRACE_CBID_cuEventDestroy_v2,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
      CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy,
      CUPTI_DRIVER_TRACE_CBID_cuGraphDestroy};
  return Ids;
}

void ResourceCalls::onDriverCall(CUpti_CallbackId Id,
                                 const CUpti_CallbackData &Call) {
  thread_local uint64_t StartNs = 0;
  if (std::find(ids().begin(), ids().end(), Id) == ids().end())
    return;
  uint64_t Now = 0;
  if (C.GetTimestamp(&Now))
    return;
  if (Call.callbackSite == CUPTI_API_ENTER) {
    StartNs = Now;
    return;
  }
  std::lock_guard<std::mutex> Lock(Mutex);
  Calls.push_back({StartNs, Now});
}

void ResourceCalls::write(trace::Writer &Out) {
  std::lock_guard<std::mutex> Lock(Mutex);
  for (auto [StartNs, EndNs] : Calls)
    Out.resourceCall(StartNs, EndNs);
  Calls.clear();
}

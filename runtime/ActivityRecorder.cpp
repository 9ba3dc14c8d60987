//===- ActivityRecorder.cpp - Times of kernels and copies -----------------===//

#include "ActivityRecorder.h"

using namespace cudal1;
using namespace cudal1::runtime;

namespace {

trace::TransferKind kindOf(uint8_t CopyKind) {
  switch (CopyKind) {
  case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
  case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
    return trace::TransferKind::HostToDevice;
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
  case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
    return trace::TransferKind::DeviceToHost;
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
  case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
  case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
  case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
    return trace::TransferKind::DeviceToDevice;
  default:
    return trace::TransferKind::Other;
  }
}

} // namespace

void ActivityRecorder::start() {
  CUptiResult Result = Source.start(
      {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
       CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET});
  if (Result == CUPTI_SUCCESS)
    return;
  const char *Message = "unknown error";
  C.GetResultString(Result, &Message);
  Out.note(std::string("kernels are not timed: CUPTI's activity interface "
                       "cannot be used here: ") +
           Message);
}

void ActivityRecorder::write(const CUpti_Activity &Record) {
  switch (Record.kind) {
  case CUPTI_ACTIVITY_KIND_KERNEL:
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
    // Later versions of the record only append fields.
    const auto &Kernel =
        reinterpret_cast<const CUpti_ActivityKernel4 &>(Record);
    Out.kernelActivity(indexOf(Kernel.name ? Kernel.name : "?"), Kernel.start,
                       Kernel.end, Kernel.streamId);
    return;
  }
  case CUPTI_ACTIVITY_KIND_MEMCPY: {
    const auto &Copy = reinterpret_cast<const CUpti_ActivityMemcpy &>(Record);
    Out.transferActivity(kindOf(Copy.copyKind), Copy.start, Copy.end,
                         Copy.bytes);
    return;
  }
  case CUPTI_ACTIVITY_KIND_MEMCPY2: {
    const auto &Copy =
        reinterpret_cast<const CUpti_ActivityMemcpyPtoP &>(Record);
    Out.transferActivity(kindOf(Copy.copyKind), Copy.start, Copy.end,
                         Copy.bytes);
    return;
  }
  case CUPTI_ACTIVITY_KIND_MEMSET: {
    const auto &Set = reinterpret_cast<const CUpti_ActivityMemset &>(Record);
    Out.transferActivity(trace::TransferKind::Memset, Set.start, Set.end,
                         Set.bytes);
    return;
  }
  default:
    return;
  }
}

uint32_t ActivityRecorder::indexOf(const char *Name) {
  std::lock_guard<std::mutex> Lock(NamesMutex);
  auto [Entry, New] = Names.try_emplace(Name, uint32_t(Names.size()));
  if (New)
    Out.string(Entry->second, Entry->first);
  return Entry->second;
}

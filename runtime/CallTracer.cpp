//===- CallTracer.cpp - What the program asks of the GPU ------------------===//
//
// The dispatch from CUPTI's callback identifiers, and launches. Memory is in
// MemoryTracer.cpp.
//
//===----------------------------------------------------------------------===//

#include "CallTracer.h"
#include "OwnCalls.h"

using namespace cudal1;
using namespace cudal1::runtime;

namespace {

/// How deep this thread is in calls of the runtime API. The runtime probes the
/// driver; those errors are its own business.
thread_local int RuntimeDepth = 0;

/// A call that reports an error without causing one.
bool onlyReports(CUpti_CallbackId Id) {
  return Id == CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020 ||
         Id == CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020;
}

/// "Not ready" is the usual answer of a query.
constexpr int NotReady = CUDA_ERROR_NOT_READY;

} // namespace

trace::Counters CallTracer::counters() {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Count;
}

void CallTracer::onRuntimeCall(CUpti_CallbackId Id,
                               const CUpti_CallbackData &Call) {
  if (OwnCalls::active())
    return;
  if (Call.callbackSite == CUPTI_API_ENTER) {
    ++RuntimeDepth;
    return;
  }
  --RuntimeDepth;
  if (!Call.functionReturnValue || onlyReports(Id))
    return;
  int Code = *static_cast<const int *>(Call.functionReturnValue);
  if (Code != 0 && Code != NotReady)
    Out.apiError(Call.functionName, Code);
}

void CallTracer::onDriverCall(CUpti_CallbackId Id,
                              const CUpti_CallbackData &Call) {
  if (OwnCalls::active())
    return;
  if (Call.callbackSite == CUPTI_API_ENTER) {
    onFree(Id, Call.functionParams);
    return;
  }
  CUresult Result = Call.functionReturnValue
                        ? *static_cast<CUresult *>(Call.functionReturnValue)
                        : CUDA_SUCCESS;
  if (Result != CUDA_SUCCESS && Result != NotReady && RuntimeDepth == 0)
    Out.apiError(Call.functionName, Result);
  if (onLaunch(Id, Call, Result) || Result != CUDA_SUCCESS)
    return;
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize:
  case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
  case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz:
  case CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize:
    onSynchronize();
    return;
  default:
    break;
  }
  if (!onAllocation(Id, Call.functionParams) &&
      !onCopy(Id, Call.functionParams))
    onPitchedCopy(Id, Call.functionParams);
}

bool CallTracer::onLaunch(CUpti_CallbackId Id, const CUpti_CallbackData &Call,
                          CUresult Result) {
  if (Id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
      Id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz) {
    const auto &P =
        *static_cast<const cuGraphLaunch_params *>(Call.functionParams);
    onGraphLaunch(P.hStream, Result);
    return true;
  }
  std::optional<LaunchCall> Made = launchOf(Id, Call.functionParams);
  if (!Made)
    return false;
  trace::Launch L;
  L.Name = Call.symbolName ? Call.symbolName : "";
  L.Result = Result;
  std::copy_n(Made->Config.Grid, 3, L.Grid);
  std::copy_n(Made->Config.Block, 3, L.Block);
  L.SharedBytes = Made->Config.SharedBytes;
  L.Stream = streamNumber(Made->Stream);
  L.Captured = isCapturing(Made->Stream);
  launch(std::move(L), *Made);
  return true;
}

void CallTracer::launch(trace::Launch L, const LaunchCall &Call) {
  if (L.Result == CUDA_SUCCESS) {
    L.Parameters = readParameters(Call);
    std::lock_guard<std::mutex> Lock(Mutex);
    ++Count.Launches;
    LaunchedSinceSnapshot = true;
    // A kernel that gets a pointer to pinned memory may write there.
    for (const trace::Parameter &P : L.Parameters) {
      auto Above = Blocks.upper_bound(P.Value);
      if (Above == Blocks.begin())
        continue;
      auto &[Address, Memory] = *std::prev(Above);
      if (P.Value - Address < Memory.Bytes &&
          Memory.Kind == trace::AllocationKind::Host)
        Memory.Shared = true;
    }
  }
  Out.launch(L);
}

const std::vector<trace::Parameter> &CallTracer::layoutOf(CUfunction Function) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto Known = Layouts.find(Function);
    if (Known != Layouts.end())
      return Known->second;
  }
  std::vector<trace::Parameter> Layout;
  {
    OwnCalls Own(D);
    for (auto [Offset, Size] : parametersOf(D, resolveFunction(D, Function))) {
      trace::Parameter P;
      P.Offset = Offset;
      P.Size = Size;
      Layout.push_back(P);
    }
  }
  std::lock_guard<std::mutex> Lock(Mutex);
  return Layouts.emplace(Function, std::move(Layout)).first->second;
}

std::vector<trace::Parameter>
CallTracer::readParameters(const LaunchCall &Call) {
  std::vector<trace::Parameter> Result = layoutOf(Call.Function);
  for (size_t I = 0; I < Result.size(); ++I) {
    trace::Parameter &P = Result[I];
    const char *From = Call.argument(I, P.Offset);
    if (From && P.Size <= sizeof(P.Value))
      std::memcpy(&P.Value, From, P.Size);
  }
  return Result;
}

bool CallTracer::isCapturing(CUstream Stream) {
  if (!D.StreamIsCapturing)
    return false;
  OwnCalls Own(D);
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  return D.StreamIsCapturing(Stream, &Status) == CUDA_SUCCESS &&
         Status != CU_STREAM_CAPTURE_STATUS_NONE;
}

uint64_t CallTracer::streamNumber(CUstream Stream) {
  // Handles differ from run to run; the order of first use does not.
  std::lock_guard<std::mutex> Lock(Mutex);
  return Streams.try_emplace(Stream, Streams.size()).first->second;
}

void CallTracer::noteOnce(const std::string &Text) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (!Notes.insert(Text).second)
      return;
  }
  Out.note(Text);
}

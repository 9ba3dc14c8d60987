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

/// Kernels have far fewer parameters; a bound for drivers that never say stop.
constexpr size_t MaxParameters = 4096;

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
  trace::Launch L;
  L.Name = Call.symbolName ? Call.symbolName : "";
  L.Result = Result;
  auto SetShape = [&](const auto &From, CUstream Stream) {
    L.Grid[0] = From.gridDimX;
    L.Grid[1] = From.gridDimY;
    L.Grid[2] = From.gridDimZ;
    L.Block[0] = From.blockDimX;
    L.Block[1] = From.blockDimY;
    L.Block[2] = From.blockDimZ;
    L.SharedBytes = From.sharedMemBytes;
    L.Stream = streamNumber(Stream);
    L.Captured = isCapturing(Stream);
  };
  switch (Id) {
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
    const auto &P =
        *static_cast<const cuLaunchKernel_params *>(Call.functionParams);
    SetShape(P, P.hStream);
    launch(std::move(L), P.f, P.kernelParams, P.extra);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
    const auto &P =
        *static_cast<const cuLaunchKernelEx_params *>(Call.functionParams);
    if (!P.config)
      return true;
    SetShape(*P.config, P.config->hStream);
    launch(std::move(L), P.f, P.kernelParams, P.extra);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
    const auto &P = *static_cast<const cuLaunchCooperativeKernel_params *>(
        Call.functionParams);
    SetShape(P, P.hStream);
    launch(std::move(L), P.f, P.kernelParams, nullptr);
    return true;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz: {
    const auto &P =
        *static_cast<const cuGraphLaunch_params *>(Call.functionParams);
    onGraphLaunch(P.hStream, Result);
    return true;
  }
  default:
    return false;
  }
}

void CallTracer::launch(trace::Launch L, CUfunction Function, void **Arguments,
                        void **Extra) {
  if (L.Result == CUDA_SUCCESS) {
    L.Parameters = readParameters(Function, Arguments, Extra);
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
  if (D.FuncGetParamInfo) {
    OwnCalls Own(D);
    // What is launched may be a CUkernel in a CUfunction's place; only the
    // function made from it answers.
    CUfunction Resolved = nullptr;
    if (!D.KernelGetFunction ||
        D.KernelGetFunction(&Resolved, reinterpret_cast<CUkernel>(Function)) !=
            CUDA_SUCCESS)
      Resolved = Function;
    size_t Offset, Size;
    while (Layout.size() < MaxParameters &&
           D.FuncGetParamInfo(Resolved, Layout.size(), &Offset, &Size) ==
               CUDA_SUCCESS) {
      trace::Parameter P;
      P.Offset = uint32_t(Offset);
      P.Size = uint32_t(Size);
      Layout.push_back(P);
    }
  }
  std::lock_guard<std::mutex> Lock(Mutex);
  return Layouts.emplace(Function, std::move(Layout)).first->second;
}

std::vector<trace::Parameter> CallTracer::readParameters(CUfunction Function,
                                                         void **Arguments,
                                                         void **Extra) {
  std::vector<trace::Parameter> Result = layoutOf(Function);
  const char *Packed = nullptr;
  for (void **Entry = Extra; Entry && *Entry != CU_LAUNCH_PARAM_END; Entry += 2)
    if (*Entry == CU_LAUNCH_PARAM_BUFFER_POINTER)
      Packed = static_cast<const char *>(Entry[1]);
  for (size_t I = 0; I < Result.size(); ++I) {
    trace::Parameter &P = Result[I];
    const void *From = Arguments ? Arguments[I]
                       : Packed  ? Packed + P.Offset
                                 : nullptr;
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

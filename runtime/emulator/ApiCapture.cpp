//===- ApiCapture.cpp - Recording a stream's work into a graph ------------===//

#include "ApiCapture.h"
#include "ApiGraphs.h"
#include "ApiState.h"
#include <algorithm>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

using Nodes = std::vector<CUgraphNode_st *>;

void addOnce(Nodes &To, const Nodes &From) {
  for (CUgraphNode_st *Node : From)
    if (std::find(To.begin(), To.end(), Node) == To.end())
      To.push_back(Node);
}

/// Calls \p Do for each stream there is. The runtime's lock is held.
template <typename Body> void forEachStream(Body &&Do) {
  Runtime &R = runtime();
  Do(R.PerThreadStream);
  for (CUstream_st *Stream : R.Streams)
    Do(*Stream);
}

/// Every node of the capture's streams comes before what the origin does next.
bool isJoined(const Capture &C) {
  bool Joined = true;
  forEachStream([&](CUstream_st &Stream) {
    if (Stream.Capturing.get() != &C || &Stream == C.Origin)
      return;
    for (CUgraphNode_st *Node : Stream.Frontier)
      Joined &= comesBefore(*Node, C.Origin->Frontier);
  });
  return Joined;
}

cudaError_t begin(cudaStream_t Handle, CUgraph_st *Graph, Nodes Frontier,
                  cudaStreamCaptureMode Mode) {
  CUstream_st *Stream = lookupStream(Handle);
  if (!Stream)
    return cudaErrorInvalidResourceHandle;
  Runtime &R = runtime();
  if (Stream == &R.NullStream)
    return cudaErrorStreamCaptureUnsupported;
  std::lock_guard<std::mutex> Lock(R.Mutex);
  if (Stream->Capturing)
    return cudaErrorIllegalState;
  auto C = std::make_shared<Capture>();
  C->Id = R.NextCaptureId++;
  C->OwnsGraph = !Graph;
  C->Graph = Graph ? Graph : new CUgraph_st;
  C->Origin = Stream;
  C->Mode = Mode;
  R.Graphs.insert(C->Graph);
  Stream->Capturing = C;
  Stream->Frontier = std::move(Frontier);
  return cudaSuccess;
}

cudaError_t end(cudaStream_t Handle, cudaGraph_t *Result) {
  CUstream_st *Stream = lookupStream(Handle);
  if (!Stream)
    return cudaErrorInvalidResourceHandle;
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  std::shared_ptr<Capture> C = Stream->Capturing;
  if (!C || !Result)
    return !C ? cudaErrorIllegalState : cudaErrorInvalidValue;
  if (C->Origin != Stream)
    return cudaErrorStreamCaptureUnmatched;
  cudaError_t Error = C->Invalidated ? cudaErrorStreamCaptureInvalidated
                      : isJoined(*C) ? cudaSuccess
                                     : cudaErrorStreamCaptureUnjoined;
  forEachStream([&](CUstream_st &Other) {
    if (Other.Capturing != C)
      return;
    Other.Capturing = nullptr;
    Other.Frontier.clear();
  });
  *Result = Error ? nullptr : C->Graph;
  if (Error && C->OwnsGraph) {
    R.Graphs.erase(C->Graph);
    delete C->Graph;
  }
  C->Graph = nullptr;
  return Error;
}

cudaStreamCaptureStatus statusOf(const CUstream_st &Stream) {
  if (!Stream.Capturing)
    return cudaStreamCaptureStatusNone;
  return Stream.Capturing->Invalidated ? cudaStreamCaptureStatusInvalidated
                                       : cudaStreamCaptureStatusActive;
}

} // namespace

bool api::isCapturing(const CUstream_st &Stream) {
  std::lock_guard<std::mutex> Lock(runtime().Mutex);
  return Stream.Capturing != nullptr;
}

std::optional<cudaError_t> api::capture(CUstream_st &Stream, Work &W) {
  std::lock_guard<std::mutex> Lock(runtime().Mutex);
  if (!Stream.Capturing)
    return std::nullopt;
  if (Stream.Capturing->Invalidated)
    return cudaErrorStreamCaptureInvalidated;
  CUgraphNode_st &Node =
      addNode(*Stream.Capturing->Graph, std::move(W), Stream.Frontier);
  Stream.Frontier = {&Node};
  return cudaSuccess;
}

void api::invalidateCapture(CUstream_st &Stream) {
  std::lock_guard<std::mutex> Lock(runtime().Mutex);
  if (Stream.Capturing)
    Stream.Capturing->Invalidated = true;
}

cudaError_t api::checkImplicitSync() {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  cudaError_t Error = cudaSuccess;
  forEachStream([&](CUstream_st &Stream) {
    if (!Stream.Capturing || (Stream.Flags & cudaStreamNonBlocking) ||
        Stream.Capturing->Mode == cudaStreamCaptureModeRelaxed)
      return;
    Stream.Capturing->Invalidated = true;
    Error = cudaErrorStreamCaptureImplicit;
  });
  return Error;
}

bool api::captureEvent(CUstream_st &Stream, CUevent_st &Event) {
  std::lock_guard<std::mutex> Lock(runtime().Mutex);
  if (!Stream.Capturing)
    return false;
  Event.Captured = Stream.Capturing;
  Event.CapturedAfter = Stream.Frontier;
  return true;
}

cudaError_t api::captureWait(CUstream_st &Stream, CUevent_st &Event) {
  std::lock_guard<std::mutex> Lock(runtime().Mutex);
  const std::shared_ptr<Capture> &C = Event.Captured;
  bool Active = C && C->Graph;
  if (!Active)
    return Stream.Capturing ? cudaErrorStreamCaptureIsolation : cudaSuccess;
  if (&Stream == &runtime().NullStream)
    return cudaErrorStreamCaptureImplicit;
  if (Stream.Capturing && Stream.Capturing != C)
    return cudaErrorStreamCaptureMerge;
  Stream.Capturing = C;
  addOnce(Stream.Frontier, Event.CapturedAfter);
  return cudaSuccess;
}

bool api::isCaptured(const CUevent_st &Event) {
  std::lock_guard<std::mutex> Lock(runtime().Mutex);
  return Event.Captured && Event.Captured->Graph;
}

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t Stream,
                                   cudaStreamCaptureMode Mode) {
  return apiCall(__func__, [&] { return begin(Stream, nullptr, {}, Mode); });
}

#if CUDART_VERSION >= 12030
cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t Stream, cudaGraph_t Graph, const cudaGraphNode_t *Dependencies,
    const cudaGraphEdgeData *, size_t Count, cudaStreamCaptureMode Mode) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Graph || (Count && !Dependencies))
      return cudaErrorInvalidValue;
    return begin(Stream, Graph, Nodes(Dependencies, Dependencies + Count),
                 Mode);
  });
}
CUDAL1_PER_THREAD_NAME(cudaStreamBeginCaptureToGraph, _ptsz)
#endif

cudaError_t cudaStreamEndCapture(cudaStream_t Stream, cudaGraph_t *Result) {
  return apiCall(__func__, [&] { return end(Stream, Result); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t Handle,
                                  cudaStreamCaptureStatus *Status) {
  return apiCall(__func__, [&]() -> cudaError_t {
    CUstream_st *Stream = lookupStream(Handle);
    if (!Stream)
      return cudaErrorInvalidResourceHandle;
    if (!Status)
      return cudaErrorInvalidValue;
    std::lock_guard<std::mutex> Lock(runtime().Mutex);
    *Status = statusOf(*Stream);
    return cudaSuccess;
  });
}

/// The mode only says which unsafe calls other threads may make.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *Mode) {
  return apiCall(__func__, [&]() -> cudaError_t {
    thread_local cudaStreamCaptureMode Current = cudaStreamCaptureModeGlobal;
    if (!Mode)
      return cudaErrorInvalidValue;
    std::swap(*Mode, Current);
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t Handle,
                                     cudaStreamCaptureStatus *Status,
                                     unsigned long long *Id, cudaGraph_t *Graph,
                                     const cudaGraphNode_t **Dependencies,
                                     const cudaGraphEdgeData **Edges,
                                     size_t *Count) {
  return apiCall(__func__, [&]() -> cudaError_t {
    CUstream_st *Stream = lookupStream(Handle);
    if (!Stream)
      return cudaErrorInvalidResourceHandle;
    if (!Status)
      return cudaErrorInvalidValue;
    std::lock_guard<std::mutex> Lock(runtime().Mutex);
    *Status = statusOf(*Stream);
    if (*Status != cudaStreamCaptureStatusActive)
      return cudaSuccess;
    if (Id)
      *Id = Stream->Capturing->Id;
    if (Graph)
      *Graph = Stream->Capturing->Graph;
    if (Dependencies)
      *Dependencies = Stream->Frontier.data();
    if (Edges)
      *Edges = nullptr;
    if (Count)
      *Count = Stream->Frontier.size();
    return cudaSuccess;
  });
}
CUDAL1_PER_THREAD_NAME(cudaStreamGetCaptureInfo, _ptsz)

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t Handle,
                                                cudaGraphNode_t *Dependencies,
                                                const cudaGraphEdgeData *,
                                                size_t Count, unsigned Flags) {
  return apiCall(__func__, [&]() -> cudaError_t {
    CUstream_st *Stream = lookupStream(Handle);
    if (!Stream)
      return cudaErrorInvalidResourceHandle;
    std::lock_guard<std::mutex> Lock(runtime().Mutex);
    if (!Stream->Capturing)
      return cudaErrorIllegalState;
    if (Flags == cudaStreamSetCaptureDependencies)
      Stream->Frontier.clear();
    addOnce(Stream->Frontier, Nodes(Dependencies, Dependencies + Count));
    return cudaSuccess;
  });
}
CUDAL1_PER_THREAD_NAME(cudaStreamUpdateCaptureDependencies, _ptsz)
#endif
}

CUDAL1_PER_THREAD_NAME(cudaStreamBeginCapture, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamEndCapture, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaStreamIsCapturing, _ptsz)

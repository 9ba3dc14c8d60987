//===- ApiGraphNodes.cpp - Nodes that the program makes by hand -----------===//

#include "ApiGraphNodes.h"
#include "ApiGraphs.h"
#include "ApiState.h"
#include <algorithm>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

/// Adds what \p Make describes.
template <typename Maker>
cudaError_t addCall(const char *Name, cudaGraphNode_t *Result,
                    cudaGraph_t Graph, const cudaGraphNode_t *Needs,
                    size_t Count, Maker &&Make) {
  return apiCall(Name, [&]() -> cudaError_t {
    if (!Result || !isGraph(Graph) || (Count && !Needs))
      return cudaErrorInvalidValue;
    for (size_t I = 0; I < Count; ++I)
      if (!isNodeOf(Needs[I], *Graph))
        return cudaErrorInvalidValue;
    Work What;
    if (cudaError_t Error = Make(What))
      return Error;
    *Result = &addNode(*Graph, std::move(What),
                       std::vector<cudaGraphNode_t>(Needs, Needs + Count));
    return cudaSuccess;
  });
}

/// Puts a copy of the original's work under \p What.
template <typename T, typename Params, typename Maker>
cudaError_t makeFrom(Work &What, const Params *P, Maker &&Make) {
  if (!P)
    return cudaErrorInvalidValue;
  T Made;
  if (cudaError_t Error = Make(*P, Made))
    return Error;
  What = std::move(Made);
  return cudaSuccess;
}

cudaError_t makeAllocation(Work &What, cudaMemAllocNodeParams *P) {
  if (!P)
    return cudaErrorInvalidValue;
  std::shared_ptr<GraphMemory> Memory = GraphMemory::make(P->bytesize);
  if (!Memory)
    return cudaErrorMemoryAllocation;
  P->dptr = Memory->address();
  What = AllocationWork{std::move(Memory)};
  return cudaSuccess;
}

cudaError_t makeChild(Work &What, cudaGraph_t Child) {
  if (!isGraph(Child))
    return cudaErrorInvalidValue;
  What = ChildWork{std::shared_ptr<CUgraph_st>(clone(*Child))};
  return cudaSuccess;
}

} // namespace

bool api::isNodeOf(cudaGraphNode_t Node, const CUgraph_st &Graph) {
  return std::any_of(Graph.Nodes.begin(), Graph.Nodes.end(),
                     [&](const auto &N) { return N.get() == Node; });
}

bool api::isNode(cudaGraphNode_t Node) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  return std::any_of(R.Graphs.begin(), R.Graphs.end(),
                     [&](cudaGraph_t Graph) { return isNodeOf(Node, *Graph); });
}

cudaError_t api::makeKernel(Work &What, const cudaKernelNodeParams *Params) {
  return makeFrom<KernelWork>(
      What, Params,
      [](const cudaKernelNodeParams &P, KernelWork &Made) -> cudaError_t {
        if (P.extra)
          return unsupported("a kernel node whose arguments are in `extra`");
        return makeKernelWork(P.func, P.gridDim, P.blockDim, P.kernelParams,
                              P.sharedMemBytes, false, Made);
      });
}

cudaError_t api::makeMemcpy(Work &What, const cudaMemcpy3DParms *Params) {
  return makeFrom<CopyWork>(What, Params, makeCopy);
}

cudaError_t api::makeMemset(Work &What, const cudaMemsetParams *Params) {
  return makeFrom<FillWork>(
      What, Params,
      [](const cudaMemsetParams &P, FillWork &Fill) -> cudaError_t {
        if (!P.dst ||
            (P.elementSize != 1 && P.elementSize != 2 && P.elementSize != 4))
          return cudaErrorInvalidValue;
        Fill.Data = static_cast<char *>(P.dst);
        Fill.Pitch = P.pitch;
        Fill.Value = P.value;
        Fill.ElementBytes = P.elementSize;
        Fill.Width = P.width;
        Fill.Height = P.height;
        return cudaSuccess;
      });
}

cudaError_t api::makeHost(Work &What, const cudaHostNodeParams *Params) {
  return makeFrom<HostWork>(
      What, Params,
      [](const cudaHostNodeParams &P, HostWork &Host) -> cudaError_t {
        if (!P.fn)
          return cudaErrorInvalidValue;
        Host.Params = P;
        Host.Call = [P] { P.fn(P.userData); };
        return cudaSuccess;
      });
}

#if CUDART_VERSION >= 12020
cudaError_t api::makeAny(Work &What, cudaGraphNodeParams *P) {
  if (!P)
    return cudaErrorInvalidValue;
  switch (P->type) {
  case cudaGraphNodeTypeEmpty:
    What = EmptyWork();
    return cudaSuccess;
  case cudaGraphNodeTypeKernel: {
    const auto &K = P->kernel;
    cudaKernelNodeParams Plain = {};
    Plain.func = K.func;
    Plain.gridDim = K.gridDim;
    Plain.blockDim = K.blockDim;
    Plain.sharedMemBytes = K.sharedMemBytes;
    Plain.kernelParams = K.kernelParams;
    Plain.extra = K.extra;
    return makeKernel(What, &Plain);
  }
  case cudaGraphNodeTypeMemcpy:
    return makeMemcpy(What, &P->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    const auto &M = P->memset;
    cudaMemsetParams Plain = {M.dst,         M.pitch, M.value,
                              M.elementSize, M.width, M.height};
    return makeMemset(What, &Plain);
  }
  case cudaGraphNodeTypeHost: {
    cudaHostNodeParams Plain = {P->host.fn, P->host.userData};
    return makeHost(What, &Plain);
  }
  case cudaGraphNodeTypeGraph:
    return makeChild(What, P->graph.graph);
  case cudaGraphNodeTypeEventRecord:
    What = EventWork{P->eventRecord.event, false};
    return cudaSuccess;
  case cudaGraphNodeTypeWaitEvent:
    What = EventWork{P->eventWait.event, true};
    return cudaSuccess;
  case cudaGraphNodeTypeMemAlloc: {
    cudaMemAllocNodeParams Plain = {P->alloc.poolProps, P->alloc.accessDescs,
                                    P->alloc.accessDescCount, P->alloc.bytesize,
                                    nullptr};
    cudaError_t Error = makeAllocation(What, &Plain);
    P->alloc.dptr = Plain.dptr;
    return Error;
  }
  case cudaGraphNodeTypeMemFree:
    What = FreeWork{P->free.dptr};
    return cudaSuccess;
  default:
    return unsupported("a graph node of type " + std::to_string(P->type));
  }
}
#endif

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *Result, cudaGraph_t Graph,
                                  const cudaGraphNode_t *Needs, size_t Count) {
  return addCall(__func__, Result, Graph, Needs, Count,
                 [](Work &) { return cudaSuccess; });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *Result, cudaGraph_t Graph,
                                   const cudaGraphNode_t *Needs, size_t Count,
                                   const cudaKernelNodeParams *Params) {
  return addCall(__func__, Result, Graph, Needs, Count,
                 [&](Work &What) { return makeKernel(What, Params); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *Result, cudaGraph_t Graph,
                                   const cudaGraphNode_t *Needs, size_t Count,
                                   const cudaMemcpy3DParms *Params) {
  return addCall(__func__, Result, Graph, Needs, Count,
                 [&](Work &What) { return makeMemcpy(What, Params); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *Result, cudaGraph_t Graph,
                                     const cudaGraphNode_t *Needs, size_t Count,
                                     void *To, const void *From, size_t Bytes,
                                     cudaMemcpyKind Kind) {
  return addCall(__func__, Result, Graph, Needs, Count, [&](Work &What) {
    What = linearCopy(To, From, Bytes, Kind);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *Result,
                                           cudaGraph_t Graph,
                                           const cudaGraphNode_t *Needs,
                                           size_t Count, const void *Symbol,
                                           const void *From, size_t Bytes,
                                           size_t Offset, cudaMemcpyKind Kind) {
  return addCall(__func__, Result, Graph, Needs, Count, [&](Work &What) {
    return symbolCopy(Symbol, const_cast<void *>(From), Bytes, Offset, Kind,
                      true, What.emplace<CopyWork>());
  });
}

cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *Result, cudaGraph_t Graph,
                                 const cudaGraphNode_t *Needs, size_t Count,
                                 void *To, const void *Symbol, size_t Bytes,
                                 size_t Offset, cudaMemcpyKind Kind) {
  return addCall(__func__, Result, Graph, Needs, Count, [&](Work &What) {
    return symbolCopy(Symbol, To, Bytes, Offset, Kind, false,
                      What.emplace<CopyWork>());
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *Result, cudaGraph_t Graph,
                                   const cudaGraphNode_t *Needs, size_t Count,
                                   const cudaMemsetParams *Params) {
  return addCall(__func__, Result, Graph, Needs, Count,
                 [&](Work &What) { return makeMemset(What, Params); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *Result, cudaGraph_t Graph,
                                 const cudaGraphNode_t *Needs, size_t Count,
                                 const cudaHostNodeParams *Params) {
  return addCall(__func__, Result, Graph, Needs, Count,
                 [&](Work &What) { return makeHost(What, Params); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *Result,
                                       cudaGraph_t Graph,
                                       const cudaGraphNode_t *Needs,
                                       size_t Count, cudaGraph_t Child) {
  return addCall(__func__, Result, Graph, Needs, Count,
                 [&](Work &What) { return makeChild(What, Child); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *Result,
                                        cudaGraph_t Graph,
                                        const cudaGraphNode_t *Needs,
                                        size_t Count, cudaEvent_t Event) {
  return addCall(__func__, Result, Graph, Needs, Count, [&](Work &What) {
    What = EventWork{Event, false};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *Result,
                                      cudaGraph_t Graph,
                                      const cudaGraphNode_t *Needs,
                                      size_t Count, cudaEvent_t Event) {
  return addCall(__func__, Result, Graph, Needs, Count, [&](Work &What) {
    What = EventWork{Event, true};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *Result, cudaGraph_t Graph,
                                     const cudaGraphNode_t *Needs, size_t Count,
                                     cudaMemAllocNodeParams *Params) {
  return addCall(__func__, Result, Graph, Needs, Count,
                 [&](Work &What) { return makeAllocation(What, Params); });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *Result, cudaGraph_t Graph,
                                    const cudaGraphNode_t *Needs, size_t Count,
                                    void *Address) {
  return addCall(__func__, Result, Graph, Needs, Count, [&](Work &What) {
    What = FreeWork{Address};
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddNode(cudaGraphNode_t *Result, cudaGraph_t Graph,
                             const cudaGraphNode_t *Needs,
                             const cudaGraphEdgeData *, size_t Count,
                             cudaGraphNodeParams *Params) {
  return addCall(__func__, Result, Graph, Needs, Count,
                 [&](Work &What) { return makeAny(What, Params); });
}
#endif
}

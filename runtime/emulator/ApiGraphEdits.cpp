//===- ApiGraphEdits.cpp - Looking at graphs and changing them ------------===//

#include "ApiGraphNodes.h"
#include "ApiGraphs.h"
#include "ApiState.h"
#include <algorithm>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

/// Calls \p Make with the work of a node, which keeps its kind.
template <typename Maker>
cudaError_t setInNode(const char *Name, cudaGraphNode_t Node, Maker &&Make) {
  return apiCall(Name, [&]() -> cudaError_t {
    Work What;
    if (!isNode(Node))
      return cudaErrorInvalidValue;
    if (cudaError_t Error = Make(What))
      return Error;
    if (What.index() != Node->What.index())
      return cudaErrorInvalidValue;
    Node->What = std::move(What);
    return cudaSuccess;
  });
}

CUgraphExec_st::Step *stepOf(cudaGraphExec_t Exec, cudaGraphNode_t Node) {
  if (!isGraphExec(Exec))
    return nullptr;
  for (CUgraphExec_st::Step &Step : Exec->Steps)
    if (Step.Origin == Node)
      return &Step;
  return nullptr;
}

template <typename Body>
cudaError_t stepCall(const char *Name, cudaGraphExec_t Exec,
                     cudaGraphNode_t Node, Body &&Do) {
  return apiCall(Name, [&]() -> cudaError_t {
    CUgraphExec_st::Step *Step = stepOf(Exec, Node);
    return Step ? Do(*Step) : cudaErrorInvalidValue;
  });
}

/// The same in an executable graph.
template <typename Maker>
cudaError_t setInExec(const char *Name, cudaGraphExec_t Exec,
                      cudaGraphNode_t Node, Maker &&Make) {
  return stepCall(Name, Exec, Node,
                  [&](CUgraphExec_st::Step &Step) -> cudaError_t {
                    Work What;
                    if (cudaError_t Error = Make(What))
                      return Error;
                    if (What.index() != Step.What.index())
                      return cudaErrorInvalidValue;
                    Step.What = std::move(What);
                    return cudaSuccess;
                  });
}

/// Gives \p All to the program by CUDA's convention: without a place for them
/// it asks how many there are.
cudaError_t list(const std::vector<cudaGraphNode_t> &All,
                 cudaGraphNode_t *Result, size_t *Count) {
  if (!Count)
    return cudaErrorInvalidValue;
  if (!Result) {
    *Count = All.size();
    return cudaSuccess;
  }
  for (size_t I = 0; I < *Count; ++I)
    Result[I] = I < All.size() ? All[I] : nullptr;
  *Count = std::min(*Count, All.size());
  return cudaSuccess;
}

template <typename Keep>
std::vector<cudaGraphNode_t> nodesOf(const CUgraph_st &Graph, Keep &&Wanted) {
  std::vector<cudaGraphNode_t> Result;
  for (const auto &Node : Graph.Nodes)
    if (Wanted(*Node))
      Result.push_back(Node.get());
  return Result;
}

bool needs(const CUgraphNode_st &Node, const CUgraphNode_st *Need) {
  return std::find(Node.Needs.begin(), Node.Needs.end(), Need) !=
         Node.Needs.end();
}

cudaError_t dependencies(const char *Name, cudaGraphNode_t Node,
                         cudaGraphNode_t *Result, size_t *Count) {
  return apiCall(Name, [&]() -> cudaError_t {
    if (!isNode(Node))
      return cudaErrorInvalidValue;
    return list(Node->Needs, Result, Count);
  });
}

cudaError_t dependentNodes(const char *Name, cudaGraphNode_t Node,
                           cudaGraphNode_t *Result, size_t *Count) {
  return apiCall(Name, [&]() -> cudaError_t {
    if (!isNode(Node))
      return cudaErrorInvalidValue;
    return list(
        nodesOf(*Node->Graph, [&](auto &Later) { return needs(Later, Node); }),
        Result, Count);
  });
}

cudaError_t addEdges(const char *Name, cudaGraph_t Graph,
                     const cudaGraphNode_t *From, const cudaGraphNode_t *To,
                     size_t Count) {
  return apiCall(Name, [&]() -> cudaError_t {
    if (!isGraph(Graph) || (Count && (!From || !To)))
      return cudaErrorInvalidValue;
    for (size_t I = 0; I < Count; ++I) {
      if (!isNodeOf(From[I], *Graph) || !isNodeOf(To[I], *Graph) ||
          needs(*To[I], From[I]))
        return cudaErrorInvalidValue;
      To[I]->Needs.push_back(From[I]);
    }
    return cudaSuccess;
  });
}

cudaError_t removeEdges(const char *Name, cudaGraph_t Graph,
                        const cudaGraphNode_t *From, const cudaGraphNode_t *To,
                        size_t Count) {
  return apiCall(Name, [&]() -> cudaError_t {
    if (!isGraph(Graph) || (Count && (!From || !To)))
      return cudaErrorInvalidValue;
    for (size_t I = 0; I < Count; ++I) {
      if (!isNodeOf(To[I], *Graph) || !needs(*To[I], From[I]))
        return cudaErrorInvalidValue;
      auto &Needs = To[I]->Needs;
      Needs.erase(std::find(Needs.begin(), Needs.end(), From[I]));
    }
    return cudaSuccess;
  });
}

/// What a program may put into an executable graph without making it anew: the
/// same kinds of work in the same order.
cudaError_t update(cudaGraphExec_t Exec, cudaGraph_t Graph,
                   cudaGraphExecUpdateResult &Result) {
  if (!isGraphExec(Exec) || !isGraph(Graph))
    return cudaErrorInvalidValue;
  std::vector<CUgraphExec_st::Step> Steps;
  bool Same = appendSteps(*Graph, Steps) && Steps.size() == Exec->Steps.size();
  for (size_t I = 0; Same && I < Steps.size(); ++I)
    Same = Steps[I].What.index() == Exec->Steps[I].What.index();
  Result = Same ? cudaGraphExecUpdateSuccess
                : cudaGraphExecUpdateErrorTopologyChanged;
  if (!Same)
    return cudaErrorGraphExecUpdateFailure;
  // Later edits name the nodes that the executable graph was made from.
  for (size_t I = 0; I < Steps.size(); ++I)
    Exec->Steps[I].What = std::move(Steps[I].What);
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaGraphGetNodes(cudaGraph_t Graph, cudaGraphNode_t *Result,
                              size_t *Count) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!isGraph(Graph))
      return cudaErrorInvalidValue;
    return list(nodesOf(*Graph, [](auto &) { return true; }), Result, Count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t Graph, cudaGraphNode_t *Result,
                                  size_t *Count) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!isGraph(Graph))
      return cudaErrorInvalidValue;
    return list(nodesOf(*Graph, [](auto &N) { return N.Needs.empty(); }),
                Result, Count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t Node,
                                 cudaGraphNodeType *Result) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result || !isNode(Node))
      return cudaErrorInvalidValue;
    *Result = typeOf(Node->What);
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t Node,
                                         cudaGraphNode_t *Result,
                                         cudaGraphEdgeData *, size_t *Count) {
  return dependencies(__func__, Node, Result, Count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t Node,
                                           cudaGraphNode_t *Result,
                                           cudaGraphEdgeData *, size_t *Count) {
  return dependentNodes(__func__, Node, Result, Count);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t Graph,
                                     const cudaGraphNode_t *From,
                                     const cudaGraphNode_t *To,
                                     const cudaGraphEdgeData *, size_t Count) {
  return addEdges(__func__, Graph, From, To, Count);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t Graph,
                                        const cudaGraphNode_t *From,
                                        const cudaGraphNode_t *To,
                                        const cudaGraphEdgeData *,
                                        size_t Count) {
  return removeEdges(__func__, Graph, From, To, Count);
}
#else
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t Node,
                                         cudaGraphNode_t *Result,
                                         size_t *Count) {
  return dependencies(__func__, Node, Result, Count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t Node,
                                           cudaGraphNode_t *Result,
                                           size_t *Count) {
  return dependentNodes(__func__, Node, Result, Count);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t Graph,
                                     const cudaGraphNode_t *From,
                                     const cudaGraphNode_t *To, size_t Count) {
  return addEdges(__func__, Graph, From, To, Count);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t Graph,
                                        const cudaGraphNode_t *From,
                                        const cudaGraphNode_t *To,
                                        size_t Count) {
  return removeEdges(__func__, Graph, From, To, Count);
}
#endif

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t Node) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!isNode(Node))
      return cudaErrorInvalidValue;
    auto &Nodes = Node->Graph->Nodes;
    for (auto &Other : Nodes)
      std::erase(Other->Needs, Node);
    std::erase_if(Nodes, [&](const auto &N) { return N.get() == Node; });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *Result,
                                     cudaGraphNode_t Original,
                                     cudaGraph_t Clone) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result || !isGraph(Clone))
      return cudaErrorInvalidValue;
    auto Found = Clone->CloneOf.find(Original);
    if (Found == Clone->CloneOf.end())
      return cudaErrorInvalidValue;
    *Result = Found->second;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t Node,
                                         const cudaKernelNodeParams *Params) {
  return setInNode(__func__, Node,
                   [&](Work &What) { return makeKernel(What, Params); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t Node,
                                         const cudaMemcpy3DParms *Params) {
  return setInNode(__func__, Node,
                   [&](Work &What) { return makeMemcpy(What, Params); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t Node,
                                         const cudaMemsetParams *Params) {
  return setInNode(__func__, Node,
                   [&](Work &What) { return makeMemset(What, Params); });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t Node,
                                       const cudaHostNodeParams *Params) {
  return setInNode(__func__, Node,
                   [&](Work &What) { return makeHost(What, Params); });
}

/// The arguments stay where they are until the node is changed.
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t Node,
                                         cudaKernelNodeParams *Params) {
  return apiCall(__func__, [&]() -> cudaError_t {
    auto *K = isNode(Node) ? std::get_if<KernelWork>(&Node->What) : nullptr;
    if (!K || !Params)
      return cudaErrorInvalidValue;
    K->Handed = K->pointers();
    *Params = {};
    Params->func = const_cast<void *>(K->Function);
    Params->gridDim = {K->Shape.Grid[0], K->Shape.Grid[1], K->Shape.Grid[2]};
    Params->blockDim = {K->Shape.Block[0], K->Shape.Block[1],
                        K->Shape.Block[2]};
    Params->sharedMemBytes = K->Shape.DynamicSharedBytes;
    Params->kernelParams = K->Handed.data();
    return cudaSuccess;
  });
}

cudaError_t
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                 const cudaKernelNodeParams *Params) {
  return setInExec(__func__, Exec, Node,
                   [&](Work &What) { return makeKernel(What, Params); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t Exec,
                                             cudaGraphNode_t Node,
                                             const cudaMemcpy3DParms *Params) {
  return setInExec(__func__, Exec, Node,
                   [&](Work &What) { return makeMemcpy(What, Params); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t Exec,
                                               cudaGraphNode_t Node, void *To,
                                               const void *From, size_t Bytes,
                                               cudaMemcpyKind Kind) {
  return setInExec(__func__, Exec, Node, [&](Work &What) {
    What = linearCopy(To, From, Bytes, Kind);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t Exec,
                                             cudaGraphNode_t Node,
                                             const cudaMemsetParams *Params) {
  return setInExec(__func__, Exec, Node,
                   [&](Work &What) { return makeMemset(What, Params); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t Exec,
                                           cudaGraphNode_t Node,
                                           const cudaHostNodeParams *Params) {
  return setInExec(__func__, Exec, Node,
                   [&](Work &What) { return makeHost(What, Params); });
}

#if CUDART_VERSION >= 12020
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t Node,
                                   cudaGraphNodeParams *Params) {
  return setInNode(__func__, Node,
                   [&](Work &What) { return makeAny(What, Params); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t Exec,
                                       cudaGraphNode_t Node,
                                       cudaGraphNodeParams *Params) {
  return setInExec(__func__, Exec, Node,
                   [&](Work &What) { return makeAny(What, Params); });
}
#endif

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                    unsigned Enabled) {
  return stepCall(__func__, Exec, Node, [&](CUgraphExec_st::Step &Step) {
    Step.Enabled = Enabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                    unsigned *Enabled) {
  return stepCall(__func__, Exec, Node,
                  [&](CUgraphExec_st::Step &Step) -> cudaError_t {
                    if (!Enabled)
                      return cudaErrorInvalidValue;
                    *Enabled = Step.Enabled;
                    return cudaSuccess;
                  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t Exec, cudaGraph_t Graph,
                                cudaGraphExecUpdateResultInfo *Info) {
  return apiCall(__func__, [&] {
    cudaGraphExecUpdateResult Result = cudaGraphExecUpdateError;
    cudaError_t Error = update(Exec, Graph, Result);
    if (Info)
      *Info = {Result, nullptr, nullptr};
    return Error;
  });
}
}

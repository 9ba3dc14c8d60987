//===- ApiGraphs.cpp - Graphs of work -------------------------------------===//

#include "ApiGraphs.h"
#include "ApiCapture.h"
#include "ApiState.h"
#include "ApiTrace.h"
#include <algorithm>
#include <unordered_set>

using namespace cudal1::emulator;
using namespace cudal1::emulator::api;

namespace {

cudaError_t instantiate(cudaGraphExec_t *Result, cudaGraph_t Graph,
                        unsigned long long Flags) {
  if (!Result || !isGraph(Graph))
    return cudaErrorInvalidValue;
  auto Exec = std::make_unique<CUgraphExec_st>();
  Exec->Flags = Flags;
  if (!appendSteps(*Graph, Exec->Steps))
    return cudaErrorInvalidValue;
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  *Result = Exec.release();
  R.GraphExecs.insert(*Result);
  return cudaSuccess;
}

cudaError_t launch(cudaGraphExec_t Exec, cudaStream_t Handle) {
  CUstream_st *Stream = lookupStream(Handle);
  if (!isGraphExec(Exec) || !Stream)
    return Stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
  if (isCapturing(*Stream)) {
    // What a graph is launched into becomes a part of the other one.
    for (const CUgraphExec_st::Step &Step : Exec->Steps) {
      Work Copy = Step.What;
      if (Step.Enabled)
        if (std::optional<cudaError_t> Error = capture(*Stream, Copy);
            Error && *Error != cudaSuccess)
          return *Error;
    }
    return cudaSuccess;
  }
  cudaError_t Result = cudaSuccess;
  for (const CUgraphExec_st::Step &Step : Exec->Steps)
    if (Step.Enabled && Result == cudaSuccess && !runtime().Sticky)
      Result = perform(Step.What, "cudaGraphLaunch", true);
  if (ApiTracer *T = tracer())
    T->graphLaunched(Stream->Id, Result);
  return Result;
}

} // namespace

bool api::appendSteps(const CUgraph_st &Graph,
                      std::vector<CUgraphExec_st::Step> &Steps) {
  std::vector<const CUgraphNode_st *> Order = inOrder(Graph);
  if (Order.size() != Graph.Nodes.size())
    return false;
  for (const CUgraphNode_st *Node : Order) {
    Steps.push_back({Node, Node->What});
    if (const auto *Child = std::get_if<ChildWork>(&Node->What))
      if (!appendSteps(*Child->Graph, Steps))
        return false;
  }
  return true;
}

CUgraphNode_st &api::addNode(CUgraph_st &Graph, Work What,
                             std::vector<CUgraphNode_st *> Needs) {
  auto Node = std::make_unique<CUgraphNode_st>();
  Node->Graph = &Graph;
  Node->What = std::move(What);
  Node->Needs = std::move(Needs);
  Graph.Nodes.push_back(std::move(Node));
  return *Graph.Nodes.back();
}

bool api::comesBefore(const CUgraphNode_st &Node,
                      const std::vector<CUgraphNode_st *> &Later) {
  std::vector<const CUgraphNode_st *> Open(Later.begin(), Later.end());
  std::unordered_set<const CUgraphNode_st *> Seen(Open.begin(), Open.end());
  while (!Open.empty()) {
    const CUgraphNode_st *At = Open.back();
    Open.pop_back();
    if (At == &Node)
      return true;
    for (const CUgraphNode_st *Need : At->Needs)
      if (Seen.insert(Need).second)
        Open.push_back(Need);
  }
  return false;
}

std::vector<const CUgraphNode_st *> api::inOrder(const CUgraph_st &Graph) {
  std::vector<const CUgraphNode_st *> Order;
  std::unordered_set<const CUgraphNode_st *> Done;
  bool Progress = true;
  while (Progress) {
    Progress = false;
    for (const auto &Node : Graph.Nodes) {
      bool Ready = !Done.count(Node.get()) &&
                   std::all_of(Node->Needs.begin(), Node->Needs.end(),
                               [&](auto *Need) { return Done.count(Need); });
      if (!Ready)
        continue;
      Done.insert(Node.get());
      Order.push_back(Node.get());
      Progress = true;
    }
  }
  return Order;
}

std::unique_ptr<CUgraph_st> api::clone(const CUgraph_st &Graph) {
  auto Result = std::make_unique<CUgraph_st>();
  for (const auto &Node : Graph.Nodes)
    Result->CloneOf[Node.get()] = &addNode(*Result, Node->What, {});
  for (const auto &Node : Graph.Nodes)
    for (CUgraphNode_st *Need : Node->Needs)
      Result->CloneOf[Node.get()]->Needs.push_back(Result->CloneOf[Need]);
  return Result;
}

bool api::isGraph(cudaGraph_t Graph) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  return R.Graphs.count(Graph) != 0;
}

bool api::isGraphExec(cudaGraphExec_t Exec) {
  Runtime &R = runtime();
  std::lock_guard<std::mutex> Lock(R.Mutex);
  return R.GraphExecs.count(Exec) != 0;
}

cudaGraphNodeType api::typeOf(const Work &W) {
  if (const auto *E = std::get_if<EventWork>(&W))
    return E->Wait ? cudaGraphNodeTypeWaitEvent : cudaGraphNodeTypeEventRecord;
  constexpr cudaGraphNodeType Types[] = {
      cudaGraphNodeTypeEmpty,    cudaGraphNodeTypeKernel,
      cudaGraphNodeTypeMemcpy,   cudaGraphNodeTypeMemset,
      cudaGraphNodeTypeHost,     cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree,
      cudaGraphNodeTypeGraph};
  static_assert(std::size(Types) == std::variant_size_v<Work>);
  return Types[W.index()];
}

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *Result, unsigned Flags) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result || Flags != 0)
      return cudaErrorInvalidValue;
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    *Result = new CUgraph_st;
    R.Graphs.insert(*Result);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t Graph) {
  return apiCall(__func__, [&]() -> cudaError_t {
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    if (!R.Graphs.erase(Graph))
      return cudaErrorInvalidValue;
    delete Graph;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t *Result, cudaGraph_t Original) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Result || !isGraph(Original))
      return cudaErrorInvalidValue;
    *Result = clone(*Original).release();
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    R.Graphs.insert(*Result);
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *Result, cudaGraph_t Graph,
                                 unsigned long long Flags) {
  return apiCall(__func__, [&] { return instantiate(Result, Graph, Flags); });
}
#endif

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *Result,
                                          cudaGraph_t Graph,
                                          unsigned long long Flags) {
  return apiCall(__func__, [&] { return instantiate(Result, Graph, Flags); });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *Result,
                                           cudaGraph_t Graph,
                                           cudaGraphInstantiateParams *Params) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Params)
      return cudaErrorInvalidValue;
    cudaError_t Error = instantiate(Result, Graph, Params->flags);
    Params->errNode_out = nullptr;
    Params->result_out = Error ? cudaGraphInstantiateInvalidStructure
                               : cudaGraphInstantiateSuccess;
    return Error;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t Exec, cudaStream_t Stream) {
  return apiCall(__func__, [&] { return launch(Exec, Stream); });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t Exec, cudaStream_t) {
  return apiCall(__func__, [&] {
    return isGraphExec(Exec) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t Exec) {
  return apiCall(__func__, [&]() -> cudaError_t {
    Runtime &R = runtime();
    std::lock_guard<std::mutex> Lock(R.Mutex);
    if (!R.GraphExecs.erase(Exec))
      return cudaErrorInvalidValue;
    delete Exec;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t Exec,
                                  unsigned long long *Flags) {
  return apiCall(__func__, [&]() -> cudaError_t {
    if (!Flags || !isGraphExec(Exec))
      return cudaErrorInvalidValue;
    *Flags = Exec->Flags;
    return cudaSuccess;
  });
}
}

CUDAL1_PER_THREAD_NAME(cudaGraphInstantiateWithParams, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaGraphLaunch, _ptsz)
CUDAL1_PER_THREAD_NAME(cudaGraphUpload, _ptsz)

//===- ApiGraphs.h - Graphs of work -----------------------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APIGRAPHS_H
#define CUDAL1_RUNTIME_EMULATOR_APIGRAPHS_H

#include "ApiObjects.h"

namespace cudal1::emulator::api {

/// Adds \p What to \p Graph, to be done after all of \p Needs.
CUgraphNode_st &addNode(CUgraph_st &Graph, Work What,
                        std::vector<CUgraphNode_st *> Needs);

/// True if \p Node is one of \p Later or something that one of them needs.
bool comesBefore(const CUgraphNode_st &Node,
                 const std::vector<CUgraphNode_st *> &Later);

/// The nodes in an order in which each comes after what it needs, and else as
/// they were made. Shorter than the graph if its edges go round in a circle.
std::vector<const CUgraphNode_st *> inOrder(const CUgraph_st &Graph);

/// Appends what \p Graph does; the steps of a graph in a node stand in the
/// node's place. False if its edges go round in a circle.
bool appendSteps(const CUgraph_st &Graph,
                 std::vector<CUgraphExec_st::Step> &Steps);

/// A copy with nodes of its own.
std::unique_ptr<CUgraph_st> clone(const CUgraph_st &Graph);

cudaGraphNodeType typeOf(const Work &W);

/// The handle of a graph, an executable one that exists.
bool isGraph(cudaGraph_t Graph);
bool isGraphExec(cudaGraphExec_t Exec);

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APIGRAPHS_H

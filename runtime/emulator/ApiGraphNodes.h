//===- ApiGraphNodes.h - Nodes that the program makes by hand ---*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APIGRAPHNODES_H
#define CUDAL1_RUNTIME_EMULATOR_APIGRAPHNODES_H

#include "ApiCopy.h"
#include "ApiLaunch.h"
#include "ApiObjects.h"

namespace cudal1::emulator::api {

bool isNodeOf(cudaGraphNode_t Node, const CUgraph_st &Graph);
/// Of any graph that the program has a handle of.
bool isNode(cudaGraphNode_t Node);

/// Each puts the work of a node with these parameters into \p What, or returns
/// what is wrong with them.
cudaError_t makeKernel(Work &What, const cudaKernelNodeParams *Params);
cudaError_t makeMemcpy(Work &What, const cudaMemcpy3DParms *Params);
cudaError_t makeMemset(Work &What, const cudaMemsetParams *Params);
cudaError_t makeHost(Work &What, const cudaHostNodeParams *Params);
#if CUDART_VERSION >= 12020
cudaError_t makeAny(Work &What, cudaGraphNodeParams *Params);
#endif

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APIGRAPHNODES_H

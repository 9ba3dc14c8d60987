//===- ApiObjects.h - What CUDA's opaque handles point to -------*- C++ -*-===//
///
/// \file
/// CUDA's headers declare these types and leave them to the implementation, so
/// their names are CUDA's.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APIOBJECTS_H
#define CUDAL1_RUNTIME_EMULATOR_APIOBJECTS_H

#include "ApiWork.h"
#include <cuda_runtime_api.h>
#include <memory>
#include <unordered_map>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming)

struct CUgraphNode_st {
  CUgraph_st *Graph = nullptr;
  cudal1::emulator::api::Work What;
  std::vector<CUgraphNode_st *> Needs; ///< in the order they were named
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> Nodes; ///< in order of creation
  /// Of a clone: the node that each node of the original became.
  std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> CloneOf;
};

/// A graph's work in an order that its edges allow.
struct CUgraphExec_st {
  struct Step {
    const CUgraphNode_st *Origin; ///< may be gone; only ever compared
    cudal1::emulator::api::Work What;
    bool Enabled = true;
  };
  std::vector<Step> Steps;
  unsigned long long Flags = 0;
};

namespace cudal1::emulator::api {

/// One capture under way, shared by all streams that it has spread to.
struct Capture {
  uint64_t Id = 0;
  CUgraph_st *Graph = nullptr;
  CUstream_st *Origin = nullptr;
  cudaStreamCaptureMode Mode = cudaStreamCaptureModeGlobal;
  bool Invalidated = false;
  bool OwnsGraph = true; ///< false: the program's own graph is added to
};

} // namespace cudal1::emulator::api

struct CUstream_st {
  uint64_t Id = 0;
  unsigned Flags = cudaStreamDefault;
  int Priority = 0;
  std::shared_ptr<cudal1::emulator::api::Capture> Capturing;
  /// While capturing: what the next work of this stream comes after.
  std::vector<CUgraphNode_st *> Frontier;
};

struct CUevent_st {
  unsigned Flags = 0;
  bool Recorded = false;
  uint64_t TimeNs = 0; ///< CLOCK_MONOTONIC
  /// Of an event that was last recorded in a capturing stream.
  std::shared_ptr<cudal1::emulator::api::Capture> Captured;
  std::vector<CUgraphNode_st *> CapturedAfter;
};

struct CUmemPoolHandle_st {
  uint64_t ReleaseThreshold = 0;
  int Reuse[3] = {1, 1, 1}; ///< follow events, opportunistic, dependencies
};

/// Elements in rows without gaps, slices after each other.
struct cudaArray {
  char *Data = nullptr;
  cudaChannelFormatDesc Format = {};
  cudaExtent Extent = {}; ///< elements; 0 where a dimension is not there
  unsigned Flags = 0;
  uint64_t ElementBytes = 0;

  uint64_t rowBytes() const { return Extent.width * ElementBytes; }
  uint64_t rows() const { return Extent.height ? Extent.height : 1; }
  uint64_t slices() const { return Extent.depth ? Extent.depth : 1; }
};

// NOLINTEND(readability-identifier-naming)

#endif // CUDAL1_RUNTIME_EMULATOR_APIOBJECTS_H

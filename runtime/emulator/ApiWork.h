//===- ApiWork.h - What a stream can be given to do -------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APIWORK_H
#define CUDAL1_RUNTIME_EMULATOR_APIWORK_H

#include "ApiGraphMemory.h"
#include "Launcher.h"
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cudal1::emulator::api {

/// A launch whose arguments were copied, since the program's are gone by then.
struct KernelWork {
  const void *Function = nullptr; ///< as host code names it
  const KernelInfo *Info = nullptr;
  LaunchShape Shape = {};
  std::vector<std::vector<char>> Arguments;
  /// Where a program that asks for a node's arguments finds them.
  std::vector<void *> Handed;

  /// Pointers to the arguments, as cudaLaunchKernel takes them.
  std::vector<void *> pointers() const;
};

/// One side of a copy: where its first byte is, and the bytes from one row and
/// from one slice to the next.
struct CopySide {
  char *Data = nullptr;
  uint64_t Pitch = 0;
  uint64_t Slice = 0;
  bool IsArray = false;
};

struct CopyWork {
  CopySide To, From;
  uint64_t Width = 0; ///< bytes
  uint64_t Height = 1;
  uint64_t Depth = 1;
  cudaMemcpyKind Kind = cudaMemcpyDefault;
  cudaMemcpy3DParms Params = {}; ///< of a graph's node, as the program gave it
};

struct FillWork {
  char *Data = nullptr;
  uint64_t Pitch = 0; ///< bytes from one row to the next
  uint64_t Slice = 0; ///< bytes from one slice to the next
  uint32_t Value = 0;
  uint32_t ElementBytes = 1; ///< 1, 2 or 4
  uint64_t Width = 0;        ///< elements
  uint64_t Height = 1;
  uint64_t Depth = 1;
};

struct HostWork {
  std::function<void()> Call;
  cudaHostNodeParams Params = {};
};

struct EventWork {
  cudaEvent_t Event = nullptr;
  bool Wait = false; ///< else record
};

/// Nothing to do: only a place for edges to meet.
struct EmptyWork {};

struct AllocationWork {
  std::shared_ptr<GraphMemory> Memory;
};
struct FreeWork {
  void *Address = nullptr;
};

struct ChildWork {
  std::shared_ptr<CUgraph_st> Graph;
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork,
                          EventWork, AllocationWork, FreeWork, ChildWork>;

/// Does \p W now. What a kernel of it ends with is kept as
/// the sticky error. \p Name is the call of the API that findings name.
cudaError_t perform(const Work &W, const char *Name, bool InGraph);

/// Makes \p Event say that all work so far is done.
void recordNow(CUevent_st &Event);

/// Gives \p W to a stream: it is done at once, or becomes a node of the graph
/// that the stream is captured into.
cudaError_t submit(Work W, cudaStream_t Stream, const char *Name);

/// The same for a call that waits until the work is done, in the null stream.
cudaError_t submitAndWait(Work W, const char *Name);

/// Runs a kernel whose launch was found to be right.
cudaError_t performLaunch(const KernelInfo &Info, const LaunchShape &Shape,
                          void **Arguments);

cudaError_t performCopy(const CopyWork &W, const char *Name, bool InGraph);
cudaError_t performFill(const FillWork &W, const char *Name);

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APIWORK_H

//===- ApiTrace.h - Writes what an emulated program does --------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APITRACE_H
#define CUDAL1_RUNTIME_EMULATOR_APITRACE_H

#include "ApiWork.h"
#include "cudal1/Measure/TraceFormat.h"
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>

namespace cudal1::emulator::api {

/// Writes the file that the injection library writes on a GPU in its mode
/// `trace` (see runtime/README.md), without times. Safe for several threads.
class ApiTracer {
public:
  /// Null unless the environment asks for a trace that can be written.
  static std::unique_ptr<ApiTracer> fromEnvironment();

  void launch(const KernelInfo &Info, const LaunchShape &Shape,
              void **Arguments, uint64_t Stream, bool Captured);
  void allocated(trace::AllocationKind Kind, const void *Address,
                 uint64_t Bytes);
  /// Just before the memory goes.
  void freeing(const void *Address);
  /// The host has got the bytes that \p W copied.
  void copiedToHost(const CopyWork &W, bool InGraph);
  void copiedToDevice();
  /// The program waited for the GPU.
  void synchronized();
  void graphLaunched(uint64_t Stream, cudaError_t Result);
  void apiError(const char *Name, cudaError_t Code);
  void end();

private:
  struct Block {
    uint64_t Bytes;
    trace::AllocationKind Kind;
    /// Its contents belong to what the program can see without a copy.
    bool Shared;
  };

  bool takeSnapshotBudget(uint64_t Bytes);
  void snapshot(trace::CopyOrigin Origin, uint64_t Address, uint64_t Bytes);
  uint64_t streamNumber(uint64_t Id);

  trace::Writer Out;
  /// False in a child made by fork, which must not write the parent's file.
  std::atomic<bool> Enabled{true};
  std::mutex Mutex; ///< guards all that follows
  std::map<uint64_t, Block> Blocks;
  std::unordered_map<uint64_t, uint64_t> Streams;
  trace::Counters Count;
  uint64_t SnapshotBytes = 0;
  bool NotedLargeBuffers = false;
  bool LaunchedSinceSnapshot = false;
};

/// The tracer of the process, or null.
ApiTracer *tracer();

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APITRACE_H

//===- CallTracer.h - What the program asks of the GPU ----------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_CALLTRACER_H
#define CUDAL1_RUNTIME_CALLTRACER_H

#include "LaunchCall.h"
#include "cudal1/Measure/TraceFormat.h"
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace cudal1::runtime {

/// Writes every launch, allocation, device-to-host copy and failed call of the
/// process to the trace, in order, by CUPTI's API callbacks. Copies are waited
/// for so that their bytes can be read, hence a traced run is no timed run.
class CallTracer {
public:
  CallTracer(const Driver &D, trace::Writer &Out) : D(D), Out(Out) {}

  /// To be called for each callback of the driver API's domain.
  void onDriverCall(CUpti_CallbackId Id, const CUpti_CallbackData &Call);
  /// To be called for each callback of the runtime API's domain.
  void onRuntimeCall(CUpti_CallbackId Id, const CUpti_CallbackData &Call);

  trace::Counters counters();

private:
  struct Block {
    uint64_t Bytes;
    trace::AllocationKind Kind;
    /// Its contents belong to what the program can see without a copy.
    bool Shared;
  };
  struct CapturedCopy {
    const void *Host;
    uint64_t Source;
    uint64_t Bytes;
  };

  void onFree(CUpti_CallbackId Id, const void *Parameters);
  bool onAllocation(CUpti_CallbackId Id, const void *Parameters);
  bool onLaunch(CUpti_CallbackId Id, const CUpti_CallbackData &Call,
                CUresult Result);
  bool onCopy(CUpti_CallbackId Id, const void *Parameters);
  bool onPitchedCopy(CUpti_CallbackId Id, const void *Parameters);
  void onGraphLaunch(CUstream Stream, CUresult Result);
  void onSynchronize();

  void launch(trace::Launch L, const LaunchCall &Call);
  std::vector<trace::Parameter> readParameters(const LaunchCall &Call);
  const std::vector<trace::Parameter> &layoutOf(CUfunction Function);
  void hostCopy(const void *Host, uint64_t Source, uint64_t Bytes, bool Async,
                CUstream Stream);
  template <typename Descriptor>
  void pitchedCopy(const Descriptor &Copy, uint64_t Depth, uint64_t SourceSlice,
                   uint64_t HostSlice, bool Async, CUstream Stream);

  void allocate(trace::AllocationKind Kind, uint64_t Address, uint64_t Bytes);
  void release(uint64_t Address);
  void snapshotFreed(uint64_t Address, uint64_t Bytes);
  void snapshotShared(uint64_t Address, uint64_t Bytes);
  bool takeSnapshotBudget(uint64_t Bytes);
  bool isCapturing(CUstream Stream);
  bool isHostMemory(uint64_t Address);
  bool isDeviceMemory(uint64_t Address);
  bool mayReadManaged();
  uint64_t streamNumber(CUstream Stream);
  void noteOnce(const std::string &Text);

  const Driver &D;
  trace::Writer &Out;
  std::mutex Mutex; ///< guards all that follows; never held over a CUDA call
  std::map<uint64_t, Block> Blocks;
  std::unordered_map<CUfunction, std::vector<trace::Parameter>> Layouts;
  std::unordered_map<CUstream, uint64_t> Streams;
  std::vector<CapturedCopy> CapturedCopies;
  std::set<std::string> Notes;
  trace::Counters Count;
  uint64_t SnapshotBytes = 0;
  bool LaunchedSinceSnapshot = false;
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_CALLTRACER_H

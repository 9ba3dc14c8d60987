//===- ActivityRecorder.h - Times of kernels and copies ---------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_ACTIVITYRECORDER_H
#define CUDAL1_RUNTIME_ACTIVITYRECORDER_H

#include "Cupti.h"
#include "cudal1/Measure/TraceFormat.h"
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace cudal1::runtime {

/// Asks CUPTI's activity interface for the start and end of every kernel, copy
/// and memset, those of graphs node by node, and writes them to the trace.
/// Kernels are not serialised by this. One object a process (CUPTI's callbacks
/// carry no user data); it is never destroyed.
class ActivityRecorder {
public:
  ActivityRecorder(const Cupti &C, trace::Writer &Out) : C(C), Out(Out) {}

  /// Starts recording; problems become notes in the trace.
  void start();

  /// Makes CUPTI hand over everything that has finished. To be called before a
  /// context goes away and at the end of the process.
  void flush();

  uint64_t droppedRecords() const { return Dropped; }

private:
  static void CUPTIAPI bufferRequested(uint8_t **Buffer, size_t *Size,
                                       size_t *MaxRecords);
  static void CUPTIAPI bufferCompleted(CUcontext Context, uint32_t StreamId,
                                       uint8_t *Buffer, size_t Size,
                                       size_t ValidSize);
  void write(const CUpti_Activity &Record);
  uint32_t indexOf(const char *Name);

  static ActivityRecorder *Instance;

  const Cupti &C;
  trace::Writer &Out;
  std::mutex NamesMutex;
  std::unordered_map<std::string, uint32_t> Names;
  std::atomic<uint64_t> Dropped{0};
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_ACTIVITYRECORDER_H

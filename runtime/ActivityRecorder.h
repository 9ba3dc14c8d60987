//===- ActivityRecorder.h - Times of kernels and copies ---------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_ACTIVITYRECORDER_H
#define CUDAL1_RUNTIME_ACTIVITYRECORDER_H

#include "ActivitySource.h"
#include "cudal1/Measure/TraceFormat.h"
#include <mutex>
#include <unordered_map>

namespace cudal1::runtime {

/// Asks for the start and end of every kernel, copy and memset, those of graphs
/// node by node, and writes them to the trace. Kernels are not serialised by
/// this. One object a process; it is never destroyed.
class ActivityRecorder {
public:
  ActivityRecorder(const Cupti &C, trace::Writer &Out)
      : C(C), Out(Out),
        Source(C, [this](const CUpti_Activity &Record) { write(Record); }) {}

  /// Starts recording; problems become notes in the trace.
  void start();

  /// Makes CUPTI hand over everything that has finished. To be called before a
  /// context goes away and at the end of the process.
  void flush() { Source.flush(/*Forced=*/true); }

  uint64_t droppedRecords() const { return Source.droppedRecords(); }

private:
  void write(const CUpti_Activity &Record);
  uint32_t indexOf(const char *Name);

  const Cupti &C;
  trace::Writer &Out;
  ActivitySource Source;
  std::mutex NamesMutex;
  std::unordered_map<std::string, uint32_t> Names;
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_ACTIVITYRECORDER_H

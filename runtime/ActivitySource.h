//===- ActivitySource.h - CUPTI's records of what ran -----------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_ACTIVITYSOURCE_H
#define CUDAL1_RUNTIME_ACTIVITYSOURCE_H

#include "Cupti.h"
#include <atomic>
#include <functional>
#include <initializer_list>

namespace cudal1::runtime {

/// CUPTI's activity interface: hands every record to a function, which may be
/// called from threads of CUPTI's. One object a process (CUPTI's callbacks
/// carry no user data); it is never destroyed.
class ActivitySource {
public:
  using Sink = std::function<void(const CUpti_Activity &)>;

  ActivitySource(const Cupti &C, Sink Out) : C(C), Out(std::move(Out)) {}

  /// Asks for records of these kinds.
  CUptiResult start(std::initializer_list<CUpti_ActivityKind> Kinds);

  /// No more records of these kinds.
  void stop(std::initializer_list<CUpti_ActivityKind> Kinds);

  /// Makes CUPTI hand over what has finished; if \p Forced, also the records
  /// that lack a time.
  void flush(bool Forced);

  uint64_t droppedRecords() const { return Dropped; }

private:
  static void CUPTIAPI bufferRequested(uint8_t **Buffer, size_t *Size,
                                       size_t *MaxRecords);
  static void CUPTIAPI bufferCompleted(CUcontext Context, uint32_t StreamId,
                                       uint8_t *Buffer, size_t Size,
                                       size_t ValidSize);

  static ActivitySource *Instance;

  const Cupti &C;
  Sink Out;
  std::atomic<uint64_t> Dropped{0};
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_ACTIVITYSOURCE_H

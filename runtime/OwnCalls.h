//===- OwnCalls.h - Marks the library's own CUDA calls ----------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_OWNCALLS_H
#define CUDAL1_RUNTIME_OWNCALLS_H

#include "Cupti.h"

namespace cudal1::runtime {

/// While one exists, this thread's CUDA calls are the library's own: they are
/// not traced, and they do not break a stream capture that is under way.
class OwnCalls {
public:
  explicit OwnCalls(const Driver &D) : D(D) {
    ++depth();
    if (D.ExchangeCaptureMode)
      D.ExchangeCaptureMode(&Mode);
  }
  ~OwnCalls() {
    if (D.ExchangeCaptureMode)
      D.ExchangeCaptureMode(&Mode);
    --depth();
  }
  OwnCalls(const OwnCalls &) = delete;
  OwnCalls &operator=(const OwnCalls &) = delete;

  static bool active() { return depth() > 0; }

private:
  static int &depth() {
    thread_local int Depth = 0;
    return Depth;
  }

  const Driver &D;
  CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_OWNCALLS_H

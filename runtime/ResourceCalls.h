//===- ResourceCalls.h - When memory, streams, graphs are made --*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_RESOURCECALLS_H
#define CUDAL1_RUNTIME_RESOURCECALLS_H

#include "Cupti.h"
#include "cudal1/Measure/TraceFormat.h"
#include <mutex>
#include <utility>
#include <vector>

namespace cudal1::runtime {

/// The times of calls that make or release what the GPU works with. A rewrite
/// of host code may move such a call to before the program's first copy or
/// behind its last one, where the times of the GPU's own work do not show it.
/// Launches and copies are not among them: watching those would slow down what
/// is measured.
class ResourceCalls {
public:
  explicit ResourceCalls(Cupti &C) : C(C) {}

  /// The driver's calls that count.
  static const std::vector<CUpti_CallbackId> &ids();

  void onDriverCall(CUpti_CallbackId Id, const CUpti_CallbackData &Call);
  void write(trace::Writer &Out);

private:
  Cupti &C;
  std::mutex Mutex;
  std::vector<std::pair<uint64_t, uint64_t>> Calls; ///< start, end
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_RESOURCECALLS_H

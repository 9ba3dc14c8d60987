//===- Allocations.h - Which calls make and release memory ------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_ALLOCATIONS_H
#define CUDAL1_RUNTIME_ALLOCATIONS_H

#include "Cupti.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace cudal1::runtime {

/// The block that this call of the driver made, if it makes one. To be asked
/// when the call has succeeded.
std::optional<replay::Allocation> allocationOf(CUpti_CallbackId Id,
                                               const void *Parameters);

/// The address that this call of the driver releases, if it releases one.
std::optional<uint64_t> releaseOf(CUpti_CallbackId Id, const void *Parameters);

/// The memory that the program has at a time. Safe to use from all threads.
class AllocationMap {
public:
  /// Before any call of the driver: what is released is gone from here on.
  void onEnter(CUpti_CallbackId Id, const void *Parameters);
  /// After any successful call of the driver.
  void onSuccess(CUpti_CallbackId Id, const void *Parameters);

  /// The live blocks by address. Mappings (cuMemMap) next to each other are
  /// one.
  std::vector<replay::Allocation> blocks() const;
  /// The program has got memory of another process or interface.
  bool hasForeignMemory() const;
  /// Live CUDA arrays that surfaces may write to.
  uint64_t surfaceArrays() const;

private:
  mutable std::mutex Mutex; ///< guards what follows
  std::map<uint64_t, replay::Allocation> Blocks;
  std::set<const void *> SurfaceArrays; ///< handles
  bool Foreign = false;
};

} // namespace cudal1::runtime

#endif // CUDAL1_RUNTIME_ALLOCATIONS_H

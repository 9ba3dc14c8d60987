//===- GpuLock.h - One process times on a GPU at a time ---------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_GPULOCK_H
#define CUDAL1_LIB_MEASURE_GPULOCK_H

#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <chrono>
#include <utility>

namespace cudal1 {

/// While it is held, no other process of this user that asks for it times
/// anything on that GPU. The kernel of the system frees it when the process
/// ends, in whatever way. Not to be taken twice by one thread.
class GpuLock {
public:
  /// Waits for it. Not held afterwards if another holds it all the time, if
  /// \p StopFlag turns true, or if no lock can be had (no \p Gpu, which is any
  /// name of it that all agree on; no folder): its owner measures without.
  static GpuLock take(llvm::StringRef Gpu, std::chrono::milliseconds Patience,
                      const std::atomic<bool> *StopFlag = nullptr);
  /// With the patience of one who times variants.
  static GpuLock take(llvm::StringRef Gpu, const std::atomic<bool> *StopFlag);

  GpuLock(GpuLock &&Other) noexcept : File(std::exchange(Other.File, -1)) {}
  GpuLock &operator=(GpuLock &&) = delete;
  ~GpuLock();

  bool isHeld() const { return File >= 0; }
  /// Evidence where it is not.
  static constexpr llvm::StringLiteral NotHeld =
      "another process may have timed on the GPU at the same time: its lock "
      "could not be had";

private:
  explicit GpuLock(int File) : File(File) {}
  int File;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_GPULOCK_H

//===- Launch.h - One grid on its way ---------------------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_LAUNCH_H
#define CUDAL1_RUNTIME_EMULATOR_LAUNCH_H

#include "Launcher.h"
#include "Settings.h"
#include <atomic>
#include <vector>

namespace cudal1::emulator {

/// One launch while it runs: shared by all workers.
struct Launch {
  Launch(const KernelInfo &Kernel, const LaunchShape &Shape, void **Arguments);
  Launch(const Launch &) = delete;
  Launch &operator=(const Launch &) = delete;

  const KernelInfo &Kernel;
  const LaunchShape &Shape;
  void **Arguments;
  Order Schedule;
  uint64_t Serial; ///< counts launches up from 1
  uint64_t Blocks;
  uint32_t Threads; ///< of a block
  uint32_t Warps;   ///< of a block
  bool Fibers;      ///< threads need stacks of their own
  bool Races;       ///< data races are looked for
  /// From ThreadState::Shared to the end of the dynamic shared memory.
  size_t SharedBytes;
  /// Shadow of SharedBytes and the margin behind, as a block finds it.
  std::vector<uint8_t> SharedShadow;

  std::atomic<uint64_t> Next{0}; ///< blocks handed out
  std::atomic<bool> Stop{false};
  std::atomic<LaunchResult> Result{LaunchResult::Done};
  /// Workers that are not just watching threads spin.
  std::atomic<int> Busy{0};
  /// Counts what cannot happen while all threads spin in vain.
  std::atomic<uint64_t> Progress{0};

  /// Whether a block with fibers has shared memory. Threads that wait for
  /// others in loops may do so in the memory that is reserved of it.
  bool needsShared() const {
    return SharedBytes != 0 || (Kernel.Flags & KernelSpins);
  }

  /// The next \p Count blocks: \p First is the place of the first in the order.
  /// Returns how many there are; 0: no more.
  uint64_t take(uint64_t Count, uint64_t &First);
  bool blocksLeft() const {
    return !Stop.load(std::memory_order_relaxed) &&
           Next.load(std::memory_order_relaxed) < Blocks;
  }
  /// The block at a place in the order, and its coordinates.
  uint64_t blockAt(uint64_t Place) const;
  void coordinates(uint64_t Block, uint32_t (&Index)[3]) const;

  /// Ends the launch early; the first reason stands.
  void fail(LaunchResult Reason);

private:
  void planShared();
};

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_LAUNCH_H

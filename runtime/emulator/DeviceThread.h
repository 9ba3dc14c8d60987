//===- DeviceThread.h - One emulated thread ---------------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_DEVICETHREAD_H
#define CUDAL1_RUNTIME_EMULATOR_DEVICETHREAD_H

#include "Abi.h"

namespace cudal1::emulator {

class Block;

inline constexpr uint32_t WarpLanes = 32;
inline constexpr uint32_t LargestBlock = 1024; ///< threads

enum class WarpKind : uint8_t {
  Sync, ///< __syncwarp
  ShuffleUp,
  ShuffleDown,
  ShuffleXor,
  ShuffleIndex,
  VoteAll,
  VoteAny,
  VoteUniform,
  Ballot,
  MatchAny,
  MatchAll,
  Elect,
  Add,
  Min,
  Max,
  UnsignedMin,
  UnsignedMax,
  And,
  Or,
  Xor,
  FloatMin,
  FloatMax,
  FloatMinNan, ///< a NaN of any lane is the result
  FloatMaxNan,
  Multiply, ///< wmma: Value is where the lane's fragments are
};

/// What a lane brings to an operation of its warp, and takes from it.
struct WarpRequest {
  uint32_t Mask = 0; ///< lanes that take part
  WarpKind Kind = WarpKind::Sync;
  bool Predicate = false; ///< in: a vote; out: the operation's predicate
  uint64_t Value = 0;     ///< in: the lane's value; out: the result
  uint32_t Operand = 0;   ///< lane or distance of a shuffle; a product's shape
  uint32_t Control = 0;   ///< clamp and segment mask of a shuffle, as in PTX
};

/// One device thread: what emitted code sees of it, and what we need.
struct DeviceThread : ThreadState {
  /// The block whose fibers it belongs to; nullptr if it runs as a plain call.
  Block *Owner = nullptr;
  void *Context = nullptr; ///< where it goes on, while it does not run
  uintptr_t StackLow = 0;
  uintptr_t StackHigh = 0;
  uint32_t Index = 0;       ///< in its block
  uint32_t LinearBlock = 0; ///< low bits of the block's index in its grid
  uint32_t SpinHints = 0;
  uint64_t SpinDigest = 0; ///< of registers and stack when it last spun
  WarpRequest Request;

  uint32_t laneBit() const { return 1u << Lane; }
};

/// The thread that this OS thread runs; nullptr outside of device code.
inline DeviceThread *currentThread() {
  return static_cast<DeviceThread *>(cudal1_emu_thread);
}

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_DEVICETHREAD_H

//===- Stacks.h - Stacks of device threads ----------------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_STACKS_H
#define CUDAL1_RUNTIME_EMULATOR_STACKS_H

#include <cstddef>
#include <cstdint>

namespace cudal1::emulator {

/// The stacks of one resident block, side by side, each with a guard page below
/// it. Memory is taken from the system when a stack is first used.
class StackSlab {
public:
  StackSlab() = default;
  StackSlab(const StackSlab &) = delete;
  StackSlab &operator=(const StackSlab &) = delete;
  ~StackSlab() { release(); }

  /// False if the system gives no address space for it.
  bool reserve(uint32_t Count, size_t BytesEach);
  void release();

  uint32_t count() const { return Count; }
  size_t bytesEach() const { return Each; }
  uintptr_t low(uint32_t Index) const { return Base + Index * Each; }
  /// Where stack \p Index begins to grow down. Not the same distance below the
  /// end of each stack: else all stacks would share a few lines of the cache.
  uintptr_t top(uint32_t Index) const {
    return low(Index) + Each - (Index * ColourStep % ColourSpan) * CacheLine;
  }
  /// True if \p Address lies in a guard page (of any slab that has some).
  bool isGuard(uintptr_t Address) const;

private:
  static constexpr uintptr_t CacheLine = 64;
  static constexpr uintptr_t ColourStep = 9;  ///< lines between neighbours
  static constexpr uintptr_t ColourSpan = 64; ///< lines: one page

  uintptr_t Base = 0;
  size_t Each = 0;
  uint32_t Count = 0;
  bool Guarded = false;
};

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_STACKS_H

//===- Launcher.h - Running a grid on the CPU -------------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_LAUNCHER_H
#define CUDAL1_RUNTIME_EMULATOR_LAUNCHER_H

#include "Abi.h"

namespace cudal1::emulator {

struct LaunchShape {
  uint32_t Grid[3];
  uint32_t Block[3];
  uint32_t DynamicSharedBytes;
  /// All blocks are resident at once and may wait for each other.
  bool Cooperative = false;
};

enum class LaunchResult : uint8_t {
  Done,
  /// An address that cannot be accessed at all: the GPU's "illegal address".
  IllegalAddress,
  /// assert() failed in device code.
  Assert,
  /// __trap() was reached.
  Trap,
  /// Threads wait for each other for ever.
  Deadlock,
};

/// Runs all threads of the grid and returns when they are done. Limits (block
/// size, shared memory) were checked by the caller. \p Arguments as in
/// cudaLaunchKernel. One grid runs at a time: a second caller waits.
LaunchResult runGrid(const KernelInfo &Kernel, const LaunchShape &Shape,
                     void **Arguments);

/// The registered module's kernel or variable of this mangled name, or nullptr.
const KernelInfo *findKernel(const char *Name);
const VariableInfo *findVariable(const char *Name);

/// The kernel that this OS thread runs a block of, or nullptr.
const KernelInfo *currentKernel();

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_LAUNCHER_H

//===- KernelFacts.h - How a kernel is launched and compiled ----*- C++ -*-===//

#ifndef CUDAL1_MEASURE_KERNELFACTS_H
#define CUDAL1_MEASURE_KERNELFACTS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace cudal1 {

struct Trace;
struct GpuInfo;

/// Of one kernel's launch with the most threads.
struct KernelFacts {
  std::string Name; ///< mangled, as the driver knows it
  uint64_t GridBlocks = 0;
  uint64_t BlockThreads = 0;
  uint64_t DynamicSharedBytes = 0;
  /// Device memory that its pointer arguments lie in, each allocation once.
  uint64_t FootprintBytes = 0;
  unsigned Registers = 0; ///< per thread; 0: not known

  uint64_t threads() const { return GridBlocks * BlockThreads; }
};

/// Of every kernel that \p Traces (of one traced run) launch, by name.
std::vector<KernelFacts> kernelFacts(llvm::ArrayRef<Trace> Traces);

/// Threads that a multiprocessor can hold at once, as a share of those that it
/// could hold of a kernel without registers and shared memory; 0: not known.
/// Source: CUDA C++ Programming Guide, "Compute Capabilities".
double occupancyOf(const KernelFacts &K, const GpuInfo &Gpu);

} // namespace cudal1

#endif // CUDAL1_MEASURE_KERNELFACTS_H

//===- Gpu.h - Which GPU this machine has -----------------------*- C++ -*-===//

#ifndef CUDAL1_MEASURE_GPU_H
#define CUDAL1_MEASURE_GPU_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace cudal1 {

/// The facts of one GPU that choices and checks need.
struct GpuInfo {
  std::string Name;
  std::string Uuid; ///< in hexadecimal; empty if the driver hides it
  int ComputeMajor = 0;
  int ComputeMinor = 0;
  int MultiprocessorCount = 0;
  uint64_t MemoryBytes = 0;
  uint64_t L2Bytes = 0;
  uint64_t SharedMemoryPerBlockBytes = 0; ///< the opt-in maximum
  double CoreClockMHz = 0;                ///< peak; 0 if the driver hides it
  double MemoryBandwidthGBs = 0;          ///< peak, 1e9 bytes/s; 0 if hidden
  int DriverVersion = 0;                  ///< e.g. 13000 for CUDA 13.0

  /// `sm_90`, as nvcc's -arch takes it.
  std::string arch() const;
};

/// Asks the driver, which is loaded only now (`libcuda.so.1`), about the GPU
/// with this ordinal. The Error says in one sentence why there is none: no
/// driver, no device, or the driver's own message.
llvm::Expected<GpuInfo> detectGpu(int Ordinal = 0);

} // namespace cudal1

#endif // CUDAL1_MEASURE_GPU_H

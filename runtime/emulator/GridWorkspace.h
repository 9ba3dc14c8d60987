//===- GridWorkspace.h - What cooperative groups keep of a grid -*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_GRIDWORKSPACE_H
#define CUDAL1_RUNTIME_EMULATOR_GRIDWORKSPACE_H

#include <cstdint>

namespace cudal1::emulator {

/// Where `this_grid().sync()` counts. On a GPU the driver provides it, and its
/// address is in the registers %envreg1 (upper half) and %envreg2.
struct GridWorkspace {
  uint32_t Bytes;
  uint32_t Barrier;
};

/// The one of the launch that runs; device code may write to it.
GridWorkspace &gridWorkspace();

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_GRIDWORKSPACE_H

//===- WarpOperations.h - Lanes of a warp meet ------------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_WARPOPERATIONS_H
#define CUDAL1_RUNTIME_EMULATOR_WARPOPERATIONS_H

#include "DeviceThread.h"

namespace cudal1::emulator {

/// Carries out Self.Request with the other lanes of its mask and leaves the
/// result there. Reports a lane that is not in its own mask.
void meetLanes(DeviceThread &Self);

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_WARPOPERATIONS_H

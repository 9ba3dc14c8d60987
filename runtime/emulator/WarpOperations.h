//===- WarpOperations.h - Lanes of a warp meet ------------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_WARPOPERATIONS_H
#define CUDAL1_RUNTIME_EMULATOR_WARPOPERATIONS_H

#include "DeviceThread.h"

namespace cudal1::emulator {

/// Carries out Self.Request with the other lanes of its mask and leaves the
/// result there. Reports a lane that is not in its own mask.
void meetLanes(DeviceThread &Self);

/// The product of the fragments that \p Lanes (a bit each) of a warp hold, by
/// \p Requests of the kind WarpKind::Multiply. Reports lanes that are missing.
void multiplyFragments(uint32_t Lanes, WarpRequest *const *Requests);

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_WARPOPERATIONS_H

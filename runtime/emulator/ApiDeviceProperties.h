//===- ApiDeviceProperties.h - What the emulated GPU is like ----*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_APIDEVICEPROPERTIES_H
#define CUDAL1_RUNTIME_EMULATOR_APIDEVICEPROPERTIES_H

#include <cuda_runtime_api.h>
#include <optional>

namespace cudal1::emulator::api {

/// Figures of one H200 wherever a program may build on them, under a name that
/// says what it is. What is not emulated is said not to be there.
cudaDeviceProp deviceProperties();

/// The same figures by number; nothing for one that does not exist.
std::optional<int> deviceAttribute(cudaDeviceAttr Which);

} // namespace cudal1::emulator::api

#endif // CUDAL1_RUNTIME_EMULATOR_APIDEVICEPROPERTIES_H

//===- DeviceLibrary.h - What device code calls -----------------*- C++ -*-===//
///
/// \file
/// Functions of the runtime that stand for NVVM intrinsics (named
/// `cudal1_nvvm_...`, see DeviceFunctions.def) and for functions that CUDA has
/// on the device (named `cudal1_device_...`).
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_EMULATOR_DEVICELIBRARY_H
#define CUDAL1_RUNTIME_EMULATOR_DEVICELIBRARY_H

#include <cstddef>
#include <cstdint>

extern "C" {

#define CUDAL1_DEVICE_FUNCTION(Result, Name, Parameters)                       \
  Result cudal1_nvvm_##Name Parameters;
#include "DeviceFunctions.def"

/// printf of device code: \p Arguments is Clang's buffer of promoted values,
/// each at its natural alignment. Returns the number of arguments printed.
int32_t cudal1_device_vprintf(const char *Format, const void *Arguments);

/// assert() failed: prints CUDA's message and ends the launch.
[[noreturn]] void cudal1_device_assertfail(const char *Message,
                                           const char *File, uint32_t Line,
                                           const char *Function,
                                           size_t CharacterBytes);

/// nan() and nanf(): a quiet NaN with the number that \p Tag spells in its
/// lower bits.
double cudal1_device_nan(const char *Tag);
float cudal1_device_nanf(const char *Tag);

/// __trap(): ends the launch.
[[noreturn]] void cudal1_device_trap(void);

/// malloc and free of device code.
void *cudal1_device_malloc(size_t Bytes);
void cudal1_device_free(void *Address);
}

#endif // CUDAL1_RUNTIME_EMULATOR_DEVICELIBRARY_H

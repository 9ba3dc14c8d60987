//===- Registry.h - The modules of the emulated program ---------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_REGISTRY_H
#define CUDAL1_RUNTIME_EMULATOR_REGISTRY_H

#include "Abi.h"
#include <cstddef>

namespace cudal1::emulator::registry {

/// The variable that holds \p Address, or nullptr.
const VariableInfo *variableAt(const void *Address);

/// The variable closest to \p Address, at most \p Distance bytes away, or
/// nullptr: what an access outside of any variable may have meant.
const VariableInfo *variableNear(const void *Address, uint64_t Distance);

/// Place of variableAt's answer among all variables: 0 to variableCount()-1.
size_t indexOf(const VariableInfo *Variable);
size_t variableCount();

} // namespace cudal1::emulator::registry

#endif // CUDAL1_RUNTIME_EMULATOR_REGISTRY_H

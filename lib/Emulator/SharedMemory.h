//===- SharedMemory.h - Where shared variables lie --------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_SHAREDMEMORY_H
#define CUDAL1_LIB_EMULATOR_SHAREDMEMORY_H

#include "RuntimeInterface.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include <map>
#include <string>
#include <vector>

namespace cudal1 {

/// One `__shared__` variable's place in its block's memory, in bytes.
struct SharedPlace {
  std::string Name; ///< mangled
  uint64_t Offset;
  uint64_t Bytes;
  uint64_t Alignment;
};

/// The shared memory of a module's blocks: one layout for all kernels, since a
/// device function may use a variable on behalf of several.
struct SharedLayout {
  std::vector<SharedPlace> Variables;
  uint64_t DynamicOffset = 0; ///< of `extern __shared__` arrays
  /// Indices into Variables of what a kernel can reach, by its name.
  std::map<std::string, std::vector<unsigned>> UsedBy;
};

/// Replaces the shared variables \p Names by offsets from the block's memory.
SharedLayout lowerSharedVariables(RuntimeInterface &Runtime,
                                  llvm::ArrayRef<std::string> Names,
                                  llvm::ArrayRef<std::string> Kernels);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_SHAREDMEMORY_H

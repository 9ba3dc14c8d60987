//===- AddressSpaces.h - One address space instead of NVPTX's ---*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_ADDRESSSPACES_H
#define CUDAL1_LIB_EMULATOR_ADDRESSSPACES_H

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace cudal1 {

/// NVPTX's numbers of the memories a variable can lie in.
enum NvptxAddressSpace : unsigned {
  NvptxGlobal = 1,
  NvptxShared = 3,
  NvptxConstant = 4,
  NvptxLocal = 5,
};

/// A function that foldAddressSpaces() leaves calls of: the pointer to the
/// block's shared memory that an i32 means (see emitSharedPointer).
inline constexpr char SharedPointerFunction[] = "cudal1.shared.pointer";

/// A device module whose pointers are all plain ones, with what the address
/// spaces had told, by name.
struct FlatModule {
  std::unique_ptr<llvm::Module> Module;
  std::vector<std::string> Kernels;
  std::vector<std::string> SharedVariables;
  std::vector<std::string> ConstantVariables;
  std::vector<std::string> GlobalVariables;
};

/// Makes \p Device a module for the CPU that \p DataLayout and \p Triple
/// describe. Intrinsics of NVPTX are still in it. An Error is a fault of ours:
/// IR that does not read back.
llvm::Expected<FlatModule>
foldAddressSpaces(std::unique_ptr<llvm::Module> Device,
                  const llvm::DataLayout &DataLayout,
                  const llvm::Triple &Triple);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_ADDRESSSPACES_H

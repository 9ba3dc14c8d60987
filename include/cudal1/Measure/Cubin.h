//===- Cubin.h - What a cubin holds -----------------------------*- C++ -*-===//
///
/// \file
/// A cubin is the machine code of one unit for one GPU architecture, in an ELF
/// image. The driver runs it; this reads what it is made of, so that a
/// variant's kernel is found and what compiled to the same code is not run.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_MEASURE_CUBIN_H
#define CUDAL1_MEASURE_CUBIN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// One `__global__` function of a cubin.
struct CubinKernel {
  std::string Name; ///< mangled, as in the symbol table
  /// Hash of all that makes its behaviour: code, constants, resources and
  /// parameters, and everything in the cubin that is no other kernel's alone.
  /// Equal hashes: the same behaviour, also under another name or file.
  std::string CodeHash;
  /// Per parameter, in order: bytes from the start of the parameters, and
  /// bytes. Both empty where the cubin does not say.
  std::vector<uint32_t> ParameterOffsets;
  std::vector<uint32_t> ParameterSizes;
  unsigned Registers = 0; ///< per thread; 0 where the cubin does not say
  /// Hash of its instructions alone: what two compilers that are to agree on
  /// it have in common.
  std::string InstructionsHash = {};
};

/// A variable in the GPU's memory.
struct CubinGlobal {
  std::string Name; ///< mangled, as in the symbol table
  uint64_t Bytes = 0;
  bool Constant = false; ///< `__constant__`
};

/// The parts of a cubin, each in the order of its symbol table.
struct Cubin {
  std::vector<CubinKernel> Kernels;
  std::vector<CubinGlobal> Globals;
  /// The address of a device function is taken (separately compiled code only:
  /// else pointers are numbers that mean the same in every module).
  bool TakesFunctionAddresses = false;
  /// Kernels call malloc or free, new or delete.
  bool UsesDeviceHeap = false;
};

/// Reads the image of a cubin. An Error if it is none, is cut short, or is
/// relocatable device code that was not linked.
llvm::Expected<Cubin> readCubin(llvm::StringRef Image);

/// The index of the kernel that the original calls \p MangledName: of that
/// name, else the only one that is the same but for file hashes, else the only
/// one that is the same but for parameter types.
std::optional<size_t> findKernel(const Cubin &C, llvm::StringRef MangledName);

/// The same for a variable.
std::optional<size_t> findGlobal(const Cubin &C, llvm::StringRef MangledName);

/// Gives kernels and variables of internal linkage the names that they have in
/// \p Program, the bytes of an executable of the same source: nvcc puts a hash
/// of the file into them, which is another one when it makes a cubin. What the
/// executable does not name, or names twice, keeps its name.
void adoptFileHashes(Cubin &C, llvm::StringRef Program);

} // namespace cudal1

#endif // CUDAL1_MEASURE_CUBIN_H

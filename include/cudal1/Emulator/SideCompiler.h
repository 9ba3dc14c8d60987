//===- SideCompiler.h - One side of a unit as LLVM IR -----------*- C++ -*-===//

#ifndef CUDAL1_EMULATOR_SIDECOMPILER_H
#define CUDAL1_EMULATOR_SIDECOMPILER_H

#include "cudal1/Frontend/Program.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace cudal1 {

/// Compiles one side of \p Input to LLVM IR with Clang, in this process, seen
/// through \p Overlay.
///
/// The device side comes unoptimised, for nvptx64, with the parts of libdevice
/// that it uses linked in; contraction of a*b+c is off. The host side comes
/// optimised, for this machine, with the code that registers its kernels and
/// device variables by name. Both carry line tables.
///
/// Fails with ParseError when Clang refuses the source.
llvm::Expected<std::unique_ptr<llvm::Module>>
compileSide(const ParseInput &Input, Side Side, const SourceOverlay &Overlay,
            llvm::LLVMContext &Context);

} // namespace cudal1

#endif // CUDAL1_EMULATOR_SIDECOMPILER_H

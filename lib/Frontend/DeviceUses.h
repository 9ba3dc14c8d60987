//===- DeviceUses.h - What a unit's device code refers to -------*- C++ -*-===//

#ifndef CUDAL1_LIB_FRONTEND_DEVICEUSES_H
#define CUDAL1_LIB_FRONTEND_DEVICEUSES_H

#include "cudal1/Frontend/Program.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"

namespace cudal1 {

/// What the device code of the project's files refers to, itself and through
/// the project's own types, functions and variables.
struct DeviceUses {
  /// Canonical declarations.
  llvm::DenseSet<const clang::Decl *> Declarations;
  /// Files that define one of them, or a macro of device code.
  llvm::DenseSet<clang::FileID> Files;
};

/// Of the device side of \p P.
DeviceUses findDeviceUses(const Program &P);

/// True for a function that runs on the GPU, and for a variable there.
bool isDeviceDeclaration(const clang::Decl &D);

} // namespace cudal1

#endif // CUDAL1_LIB_FRONTEND_DEVICEUSES_H

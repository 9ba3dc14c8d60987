//===- KernelNames.h - One kernel under several names -----------*- C++ -*-===//
///
/// \file
/// Analysis names a kernel as Clang mangles it, the profile as the user's
/// compiler does. The two differ for kernels of internal linkage (nvcc adds a
/// file's hash), and the name itself changes when a rewrite adds `const` to a
/// parameter.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_SUPPORT_KERNELNAMES_H
#define CUDAL1_SUPPORT_KERNELNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace cudal1 {

/// The qualified name behind a mangled name, without template arguments,
/// parameters, return type and anonymous namespaces: `ns::kernel`. The name
/// itself when it is not mangled.
std::string plainKernelName(llvm::StringRef Mangled);

/// The demangled name with template arguments, without parameters and return
/// type: `ns::kernel<float, 4>`.
std::string displayKernelName(llvm::StringRef Mangled);

/// True when two mangled names are of one kernel, or of instantiations of one
/// template with equal arguments: parameter types are not looked at.
bool isSameKernel(llvm::StringRef MangledA, llvm::StringRef MangledB);

/// The mangled name of a function or variable without what nvcc derives from
/// the file's path and contents. `_ZN29_GLOBAL__N__dd79b212_4_s_cu_z1kEPf`
/// becomes `_ZN12_GLOBAL__N_11kEPf`. Names that differ within one unit still
/// differ, unless only by being static.
std::string withoutFileHashes(llvm::StringRef Mangled);

} // namespace cudal1

#endif // CUDAL1_SUPPORT_KERNELNAMES_H

//===- UnitMacros.h - A unit's macros, after CUDA's headers -----*- C++ -*-===//

#ifndef CUDAL1_LIB_FRONTEND_UNITMACROS_H
#define CUDAL1_LIB_FRONTEND_UNITMACROS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudal1 {

/// Where the text of SeparatedMacros stands in the parse.
inline constexpr llvm::StringLiteral UnitMacrosPath =
    "/cudal1-builtin/unit_macros.h";

/// A list of Clang flags without the macros that must wait.
///
/// Before the program Clang reads more of CUDA's headers than nvcc does, among
/// them cuda.h and curand's, whose parameters are called N, V, X and the like:
/// with -DN=1024 they do not parse, though nvcc takes it. So the program's
/// macros are defined after these headers. Names that speak to headers (those
/// starting with an underscore or with CUDA) stay where they are.
struct SeparatedMacros {
  std::vector<std::string> Args; ///< All other flags, in order.
  std::string Text;              ///< A header that defines the macros.
};

SeparatedMacros separateMacros(llvm::ArrayRef<std::string> ClangArgs);

} // namespace cudal1

#endif // CUDAL1_LIB_FRONTEND_UNITMACROS_H

//===- Launch.h - One place where the host launches a kernel ----*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_LAUNCH_H
#define CUDAL1_ANALYSIS_LAUNCH_H

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

enum class LaunchForm {
  Chevron,               ///< kernel<<<grid, block, shared, stream>>>(...)
  CudaLaunchKernel,      ///< cudaLaunchKernel
  CudaLaunchCooperative, ///< cudaLaunchCooperativeKernel
  CudaLaunchKernelEx     ///< cudaLaunchKernelEx
};

/// One component of a dim3 argument.
struct LaunchExtent {
  /// Value at compile time, when it is one.
  std::optional<int64_t> Value;
  /// Source expression of the component; null for a component left out (1) or
  /// one that cannot be seen (a dim3 built elsewhere).
  const clang::Expr *Expression = nullptr;
  bool Known = false;
};

struct Launch {
  LaunchForm Form = LaunchForm::Chevron;
  /// CUDAKernelCallExpr or CallExpr, in the host AST.
  const clang::CallExpr *Call = nullptr;
  /// Function (host AST) that holds the launch.
  const clang::FunctionDecl *HostFunction = nullptr;
  /// The kernel that is named, in the host AST (an instantiation for
  /// templates); null when the callee is a run-time value.
  const clang::FunctionDecl *Callee = nullptr;

  /// The configuration arguments as written; null where left out.
  const clang::Expr *Grid = nullptr;
  const clang::Expr *Block = nullptr;
  const clang::Expr *SharedBytes = nullptr;
  const clang::Expr *Stream = nullptr;
  std::array<LaunchExtent, 3> GridExtent;
  std::array<LaunchExtent, 3> BlockExtent;
  /// Kernel arguments; empty when they go through a `void **`.
  std::vector<const clang::Expr *> Arguments;

  /// Innermost host loop around the launch, null when there is none.
  const clang::Stmt *HostLoop = nullptr;
  /// The launch is written inside a macro's body.
  bool InMacro = false;
  /// Position as "file:line" for messages, and its parts.
  std::string File;
  unsigned Line = 0;
};

llvm::StringRef toString(LaunchForm Form);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_LAUNCH_H

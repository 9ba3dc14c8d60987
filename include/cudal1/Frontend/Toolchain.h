//===- Toolchain.h - The CUDA toolkit and Clang's own headers ---*- C++ -*-===//

#ifndef CUDAL1_FRONTEND_TOOLCHAIN_H
#define CUDAL1_FRONTEND_TOOLCHAIN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cudal1 {

/// An installed CUDA toolkit.
struct CudaToolkit {
  std::string Path;   ///< Holds include/cuda.h; absolute, links resolved.
  unsigned Major = 0; ///< 13 for CUDA 13.0.
  unsigned Minor = 0;
  std::string NvccPath; ///< Empty when the toolkit has headers but no compiler.

  /// "13.0".
  std::string version() const;
};

/// Where to look for the toolkit, in this order. All of it is passed in, so
/// that a test need not change its environment.
struct ToolkitSearch {
  std::string CudaPathOption;   ///< --cuda-path; if set, nothing else is tried.
  std::string CudaPathVariable; ///< CUDA_PATH
  std::string CudaHomeVariable; ///< CUDA_HOME
  std::string Path;             ///< PATH, for nvcc
  std::string DefaultRoot = "/usr/local/cuda";

  /// The environment of this process. \p Option may be empty.
  static ToolkitSearch fromEnvironment(llvm::StringRef Option);
};

/// Finds the toolkit. The Error says what was tried and what to install or
/// pass.
llvm::Expected<CudaToolkit> findCudaToolkit(const ToolkitSearch &Search);

/// Where to look for Clang's resource directory (its builtin headers), in this
/// order.
struct ResourceDirSearch {
  std::string Option; ///< --resource-dir; if set, nothing else is tried.
  std::string
      ExecutablePath;     ///< Of this program: ../lib/clang/VERSION is tried.
  std::string Configured; ///< The one of the LLVM that this was built with.

  /// \p ExecutablePath is main's argv[0] or, better, the resolved path.
  static ResourceDirSearch forExecutable(llvm::StringRef ExecutablePath,
                                         llvm::StringRef Option);
};

/// Finds a resource directory that holds the CUDA wrapper headers: without
/// them placement new and <complex> in a kernel do not parse.
llvm::Expected<std::string> findResourceDir(const ResourceDirSearch &Search);

} // namespace cudal1

#endif // CUDAL1_FRONTEND_TOOLCHAIN_H

//===- CudaCalls.h - Calls of the CUDA runtime in host code -----*- C++ -*-===//
//
// What a call of the runtime means for the order of the host and the GPU, and
// the statements that are nothing but one such call with a check of its result:
// `cudaFree(p);`, `CUDA_CHECK(cudaFree(p));`, `check(cudaFree(p), __LINE__);`.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_CUDACALLS_H
#define CUDAL1_LIB_REWRITE_CUDACALLS_H

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace cudal1 {

enum class CudaCall {
  None,         ///< no call of the CUDA runtime
  Wait,         ///< the host waits for all work: cudaDeviceSynchronize
  WaitStream,   ///< cudaStreamSynchronize
  ErrorQuery,   ///< cudaGetLastError, cudaPeekAtLastError
  Configure,    ///< what Clang calls for <<<>>>
  CopyToHost,   ///< cudaMemcpy from the device, which waits
  CopyToDevice, ///< cudaMemcpy from the host: done with it when it returns
  CopyOnDevice, ///< cudaMemcpy from device to device: queued
  Fill,         ///< cudaMemset: queued
  Allocate,     ///< cudaMalloc
  Free,         ///< cudaFree
  Query,        ///< changes and waits for nothing: cudaGetDeviceProperties
  Other         ///< anything else
};

/// By the callee's name, and for copies by their constant kind.
CudaCall classifyCudaCall(const clang::CallExpr *Call,
                          const clang::ASTContext &Context);

/// A call of the runtime that makes up a whole statement.
struct CheckedCall {
  const clang::CallExpr *Call = nullptr;
  const clang::Stmt *Statement = nullptr;
  /// Its result is looked at, and only a failure has an effect.
  bool Checked = false;
};

/// The checked calls of a function's body, and what runs only after a failure.
class CheckedCalls {
public:
  CheckedCalls(const clang::Stmt *Body, const clang::ASTContext &Context);

  llvm::ArrayRef<CheckedCall> all() const { return Calls; }
  /// The whole statement around \p Call, or null.
  const CheckedCall *find(const clang::CallExpr *Call) const;
  /// \p S runs only when a call of the runtime has failed.
  bool isAfterFailure(const clang::Stmt *S) const {
    return AfterFailure.contains(S);
  }

private:
  void collect(const clang::Stmt *S);

  const clang::ASTContext &Context;
  std::vector<CheckedCall> Calls;
  llvm::DenseMap<const clang::CallExpr *, size_t> ByCall;
  llvm::DenseSet<const clang::Stmt *> AfterFailure;
};

/// How the author writes a call and the check of its result.
struct CheckStyle {
  std::string Before;      ///< `CUDA_CHECK(`
  std::string After = ";"; ///< `);`
};

/// The style of the calls in \p Calls that most often occurs; a bare call when
/// none is checked on one line.
CheckStyle checkStyleOf(const CheckedCalls &Calls,
                        const clang::ASTContext &Context);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_CUDACALLS_H

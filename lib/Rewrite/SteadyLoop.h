//===- SteadyLoop.h - Host loops that queue the same work each time -*- C++
//-*-//

#ifndef CUDAL1_LIB_REWRITE_STEADYLOOP_H
#define CUDAL1_LIB_REWRITE_STEADYLOOP_H

#include "CudaCalls.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

/// `for (int i = First; i < Bound; i++) { ... }` whose body gives the GPU the
/// same work in every iteration, but for pointers that change places.
struct SteadyLoop {
  const clang::ForStmt *Statement = nullptr;
  const clang::VarDecl *Counter = nullptr;
  /// Where the counter starts: a constant expression of at least 0.
  const clang::Expr *First = nullptr;
  /// Does not change in the loop.
  const clang::Expr *Bound = nullptr;
  /// `<=` rather than `<`.
  bool Inclusive = false;
  /// Iterations, when known at compile time.
  std::optional<int64_t> Trips;
  /// After this many iterations every pointer is back in its place: 1 when none
  /// moves, 2 for double buffers.
  unsigned Period = 1;
  std::vector<const clang::CUDAKernelCallExpr *> Launches;
  /// cudaMemset and cudaMemcpy from device to device.
  std::vector<const clang::CallExpr *> Transfers;
};

/// What \p Loop is as a SteadyLoop; nothing when its body does anything but
/// launch to the default stream, fill and copy on the device, ask for errors,
/// declare constants and exchange pointers, or when the work depends on the
/// iteration in another way.
std::optional<SteadyLoop> readSteadyLoop(const clang::ForStmt *Loop,
                                         const CheckedCalls &Calls,
                                         clang::ASTContext &Context);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_STEADYLOOP_H

//===- LaunchPoints.h - Launches as the host index sees them ----*- C++ -*-===//

#ifndef CUDAL1_LIB_ANALYSIS_LAUNCHPOINTS_H
#define CUDAL1_LIB_ANALYSIS_LAUNCHPOINTS_H

#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Analysis/Kernel.h"

namespace cudal1 {

struct LaunchPoint {
  const clang::Expr *Call = nullptr;
  const clang::FunctionDecl *Caller = nullptr;
  /// Kernel arguments as they are passed, or (ByAddress) as the lvalues whose
  /// addresses are passed through a `void **`.
  std::vector<const clang::Expr *> Arguments;
};

/// Every launch of \p K that the unit holds, or why there may be others.
std::optional<std::string> launchPoints(const Kernel &K, const HostIndex &Index,
                                        std::vector<LaunchPoint> &Out);

} // namespace cudal1

#endif // CUDAL1_LIB_ANALYSIS_LAUNCHPOINTS_H

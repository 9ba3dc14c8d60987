//===- KernelMerge.h - One kernel that does another's work ------*- C++ -*-===//

#ifndef CUDAL1_SUPPORT_KERNELMERGE_H
#define CUDAL1_SUPPORT_KERNELMERGE_H

#include <string>

namespace cudal1 {

/// A rewrite has put what launches of one kernel did into launches of another.
/// Names are qualified, without template arguments.
struct KernelMerge {
  std::string From;
  std::string Into;
  /// Runs of From that one run of Into stands for; 0 when that is known only at
  /// run time.
  unsigned Runs = 1;
};

} // namespace cudal1

#endif // CUDAL1_SUPPORT_KERNELMERGE_H

//===- ProgramAnalysis.h - Kernels and launches of a Program ----*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_PROGRAMANALYSIS_H
#define CUDAL1_ANALYSIS_PROGRAMANALYSIS_H

#include "cudal1/Analysis/Kernel.h"
#include "cudal1/Analysis/OverlapAnswer.h"
#include "cudal1/Frontend/Program.h"

namespace cudal1 {

class HostIndex;

/// Everything analysis knows of one Program. Points into its ASTs: dead as
/// soon as the Program is parsed again.
class ProgramAnalysis {
public:
  /// Analyses every kernel that is defined in an editable file, each
  /// instantiation of a template on its own, and every launch.
  static std::unique_ptr<ProgramAnalysis> analyze(const Program &P);

  const Program &program() const { return *P; }
  const std::vector<std::unique_ptr<Kernel>> &kernels() const {
    return Kernels;
  }
  const std::vector<std::unique_ptr<Launch>> &launches() const {
    return Launches;
  }
  /// The instantiations that share the pattern of \p K, \p K included.
  std::vector<const Kernel *> instancesOf(const Kernel &K) const;

  /// Why \p K may be launched at places that are not in its Launches, as one
  /// clause; nothing when every launch is known. Its whole template counts.
  std::optional<std::string> unseenLaunches(const Kernel &K) const;

  /// May the buffers behind two pointer parameters overlap at some launch?
  OverlapAnswer mayOverlap(const Kernel &K, const KernelParameter &A,
                           const KernelParameter &B) const;
  /// May two accesses of one kernel, in any two threads or iterations or in
  /// the same one, touch the same memory? Uses base, space, element type only
  /// (not the index).
  OverlapAnswer basesMayOverlap(const Kernel &K, const MemoryAccess &A,
                                const MemoryAccess &B) const;

  ~ProgramAnalysis();
  /// True when every launch passes for \p P the address that cudaMalloc or one
  /// of its kin returned: aligned to 256 bytes.
  bool isWholeAllocation(const Kernel &K, const KernelParameter &P) const;
  /// True when K.Launches are all the launches that the kernel can have.
  bool seesEveryLaunch(const Kernel &K) const;

  /// What host code does with pointers and kernels, indexed when it is first
  /// asked for.
  const HostIndex &hostIndex() const;

private:
  explicit ProgramAnalysis(const Program &P);

  const Program *P;
  /// Built when it is first asked for; most questions need no host code.
  mutable std::unique_ptr<HostIndex> Host;
  std::vector<std::unique_ptr<Kernel>> Kernels;
  std::vector<std::unique_ptr<Launch>> Launches;
};

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_PROGRAMANALYSIS_H

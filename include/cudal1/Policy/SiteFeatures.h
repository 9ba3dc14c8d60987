//===- SiteFeatures.h - What a policy sees of a site ------------*- C++ -*-===//

#ifndef CUDAL1_POLICY_SITEFEATURES_H
#define CUDAL1_POLICY_SITEFEATURES_H

#include "cudal1/Rewrite/Rule.h"

namespace cudal1 {

/// Static facts about a site, its loop and its kernel; of a site on host code
/// only the first ones are known. A learned policy and
/// the advisor's table read the same ones.
struct SiteFeatures {
  /// Loops around the site.
  unsigned LoopDepth = 0;
  /// The site is on host code and concerns this many launches.
  bool OnHost = false;
  unsigned HostLaunches = 0;
  /// The site's own loop (it begins there), or else the innermost one around
  /// it, holds no other loop.
  bool InnermostLoop = false;
  /// Its number of iterations, when known at compile time.
  std::optional<uint64_t> TripCount;
  bool LoopHasBarrier = false;

  /// Accesses to global memory in the kernel, by class.
  unsigned Coalesced = 0;
  unsigned Strided = 0;
  unsigned Broadcast = 0;
  unsigned Gather = 0;
  /// Reads of global memory that stand in a loop.
  unsigned GlobalReadsInLoops = 0;
  /// Global memory is read and written at one address in a loop that does not
  /// move that address.
  bool GlobalAccumulation = false;
  unsigned MathCallsInLoops = 0;
  unsigned SharedArrays = 0;
  /// Blocks are numbered along x, y and z.
  bool InVolume = false;
  unsigned Barriers = 0;
};

SiteFeatures featuresOf(const Site &S);

/// True for `x[i] op= ...` in a loop over which the address stands still.
bool isAccumulation(const Kernel &K, const MemoryAccess &A);

/// The loop that begins at the site, else the innermost one around it; null for
/// a site in no loop.
const Loop *loopOf(const Site &S);

} // namespace cudal1

#endif // CUDAL1_POLICY_SITEFEATURES_H

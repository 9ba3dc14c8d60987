//===- Plan.h - One comparison of a held program's memory -------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_PLAN_H
#define CUDAL1_LIB_MEASURE_REPLAY_PLAN_H

#include "State.h"
#include <cstring>

namespace cudal1 {

/// The state kernels keep doubles by their bits.
inline double fromBits(uint64_t Bits) {
  double Value;
  std::memcpy(&Value, &Bits, sizeof(Value));
  return Value;
}

/// The scalars of a field that lie in a stretch of its region.
struct FieldPart {
  uint64_t Offset = 0; ///< of the first, in the region
  uint64_t Count = 0;
};
FieldPart partOf(uint64_t Offset, uint64_t Count, uint32_t Stride, uint64_t Low,
                 uint64_t High);

/// Launches on some data sets, and what is compared after each.
struct ReplayState::PlannedComparison {
  struct Origin {
    size_t Region;
    uint64_t Offset; ///< of the first scalar, in the region
    uint32_t Stride;
    ElementType Type;
    unsigned Set;
  };
  std::vector<unsigned> Sets;
  std::vector<cudal1_state::CompareJob> Jobs; ///< in the order of Sets
  std::vector<Origin> Origins;                ///< of each job
  std::vector<Untouched> Parts;
  /// Sets.size() × Parts.size() sums, once run.
  std::vector<uint64_t> SumResults;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_PLAN_H

//===- OverlapAnswer.h - May two buffers overlap? ---------------*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_OVERLAPANSWER_H
#define CUDAL1_ANALYSIS_OVERLAPANSWER_H

#include <string>

namespace cudal1 {

/// Answer to "may these two buffers overlap?", with the reason in words.
struct OverlapAnswer {
  enum Kind {
    Disjoint, ///< Proved for every launch in the unit.
    Unknown,  ///< Cannot be seen; a rewrite needs a run-time check.
    Overlap   ///< Some launch passes overlapping buffers.
  };
  Kind Answer = Unknown;
  /// Evidence or obstacle, as one clause: "every launch passes buffers of
  /// different cudaMalloc calls (main.cu:40, main.cu:41)".
  std::string Reason;

  bool disjoint() const { return Answer == Disjoint; }
};

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_OVERLAPANSWER_H

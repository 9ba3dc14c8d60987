//===- Variant.h - An ordered list of rewrites and their text ---*- C++ -*-===//

#ifndef CUDAL1_REWRITE_VARIANT_H
#define CUDAL1_REWRITE_VARIANT_H

#include "cudal1/Rewrite/Rule.h"

namespace cudal1 {

/// An ordered list of Rewrites, and the source text they give. The empty
/// Variant is the original.
struct Variant {
  std::vector<Rewrite> Rewrites;
  SourceOverlay Texts;

  /// The weakest class among the Rewrites.
  FpClass fpClass() const;
  bool needsCheck() const;
  /// Rules with parameters, in order: "scalar-replacement, unroll-loop[4]".
  std::string str() const;
};

} // namespace cudal1

#endif // CUDAL1_REWRITE_VARIANT_H

//===- ReductionText.h - How a reduction is written -------------*- C++ -*-===//
//
// The statements with which threads combine what each of them has found. All
// rules that let threads meet write them in this one form.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_REDUCTIONTEXT_H
#define CUDAL1_LIB_REWRITE_REDUCTIONTEXT_H

#include "cudal1/Analysis/Kernel.h"
#include "cudal1/Analysis/Reduction.h"

namespace cudal1 {

/// Threads of a warp.
inline constexpr int64_t WarpThreads = 32;

/// An operation on values of one type, in the text of one kernel.
struct ReductionText {
  ReductionOp Op = ReductionOp::Sum;
  /// Without qualifiers, and as it is spelled in the kernel.
  clang::QualType Type;
  std::string Spelled;
  /// Types may be a template's parameters.
  bool InTemplate = false;

  /// A noun for what is combined: "sum", "greatest".
  llvm::StringRef word() const;
  /// A statement that takes \p Other into account in \p Name.
  std::string combine(const std::string &Name, const std::string &Other) const;
  /// The value that changes nothing when it is combined, as the author would
  /// write it; "" where there is none that the type can spell.
  std::string neutral() const;
  /// What stands between the parentheses of a loop over the lanes that a lane
  /// exchanges its values with.
  static std::string lanesLoop(const std::string &Offset);
  /// A statement that combines \p Name with that of the lane \p Offset away.
  std::string combineWithLane(const std::string &Name,
                              const std::string &Offset) const;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_REDUCTIONTEXT_H

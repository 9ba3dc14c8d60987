//===- Verdict.h - The outcome of measuring a Variant -----------*- C++ -*-===//

#ifndef CUDAL1_MEASURE_VERDICT_H
#define CUDAL1_MEASURE_VERDICT_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace cudal1 {

/// The outcome of measuring a Variant. Only `Faster` may replace the source.
enum class Verdict {
  Faster,       ///< right, and the interval of the speedup lies above 1
  Same,         ///< right, and any difference is under the 1 % that matters
  Slower,       ///< right, and the interval of the speedup lies below 1
  Ambiguous,    ///< right, but the noise decided nothing within the limit
  Verified,     ///< right; nothing was timed, so nothing is said of its speed
  WrongResult,  ///< an output, a copy, a launch count or an error differs
  CompileError, ///< the compiler refused it
  RunError,     ///< it crashed or ended otherwise than the original
  Timeout,      ///< it ran past its time limit
  Unsupported,  ///< this engine cannot judge it
};

/// The word that options, reports and docs use, e.g. `wrong-result`.
llvm::StringRef toString(Verdict V);

/// The inverse of toString; std::nullopt for any other word.
std::optional<Verdict> parseVerdict(llvm::StringRef Word);

/// True if the variant computed what it should (whatever its speed).
inline bool isRight(Verdict V) {
  return V == Verdict::Faster || V == Verdict::Same || V == Verdict::Slower ||
         V == Verdict::Ambiguous || V == Verdict::Verified;
}

} // namespace cudal1

#endif // CUDAL1_MEASURE_VERDICT_H

//===- ExitCode.h - How the process ends ------------------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_EXITCODE_H
#define CUDAL1_TOOL_EXITCODE_H

#include <algorithm>

namespace cudal1 {

/// Documented in docs/usage.md. With several inputs the worst counts: the last
/// of this list that occurred.
enum class ExitCode {
  Success = 0,
  /// Clang could not parse it, the user's compiler can: the original text was
  /// written, and a build goes on.
  NotParsed = 3,
  /// The original program does not build or run, so nothing was measured; the
  /// original text was written.
  NotRun = 4,
  /// No output was written.
  Failure = 1,
  Usage = 2,
  /// Ctrl-C; the best so far was written.
  Interrupted = 130,
};

inline ExitCode worse(ExitCode A, ExitCode B) {
  auto Rank = [](ExitCode C) {
    return C == ExitCode::NotParsed     ? 1
           : C == ExitCode::NotRun      ? 2
           : C == ExitCode::Failure     ? 3
           : C == ExitCode::Usage       ? 4
           : C == ExitCode::Interrupted ? 5
                                        : 0;
  };
  return Rank(A) < Rank(B) ? B : A;
}

} // namespace cudal1

#endif // CUDAL1_TOOL_EXITCODE_H

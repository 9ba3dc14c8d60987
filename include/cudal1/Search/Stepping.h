//===- Stepping.h - Rewriting without measuring -----------------*- C++ -*-===//
///
/// \file
/// Three ways to rewrite a program without a GPU: the steps that the user
/// names, every legal step, and those that a policy believes in.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_SEARCH_STEPPING_H
#define CUDAL1_SEARCH_STEPPING_H

#include "cudal1/Search/RewriteSession.h"
#include "cudal1/Search/SiteMatch.h"
#include <atomic>

namespace cudal1 {

/// Applies \p Steps in order, parsing again after each. The session is then at
/// the Variant of all of them. Fails on the first that fits no site.
llvm::Error applyNamedSteps(RewriteSession &S, llvm::ArrayRef<StepSpec> Steps);

/// What a walk over many steps left aside.
struct RejectedStep {
  Rewrite What;
  std::string Why;
};

/// Applies every site with its first choice, parsing again after each, until
/// none is left. Steps that cannot be made are returned. Fails when there are
/// still sites after \p MaxSteps: a rule is not idempotent.
llvm::Expected<std::vector<RejectedStep>>
applyEverything(RewriteSession &S, unsigned MaxSteps,
                const std::atomic<bool> *Stop = nullptr);

/// Success when the compiler takes the Variant; its first error otherwise.
using CompileCheck = std::function<llvm::Error(const Variant &)>;

/// Applies what \p P expects to gain at least \p SmallestGain (a speedup, e.g.
/// 1.2), best first, one step of each kernel per parse. Steps whose result does
/// not parse or which \p Check refuses (it may be empty) are taken back and
/// returned; the session ends at a Variant that passes. Fails with the Error of
/// \p Check when it refuses the Variant that the session began with: then the
/// rewrites are not what is wrong.
llvm::Expected<std::vector<RejectedStep>>
applyByPolicy(RewriteSession &S, const Policy &P, double SmallestGain,
              const CompileCheck &Check,
              const std::atomic<bool> *Stop = nullptr);

} // namespace cudal1

#endif // CUDAL1_SEARCH_STEPPING_H

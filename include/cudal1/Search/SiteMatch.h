//===- SiteMatch.h - Finding a site again or by a user's words --*- C++ -*-===//

#ifndef CUDAL1_SEARCH_SITEMATCH_H
#define CUDAL1_SEARCH_SITEMATCH_H

#include "cudal1/Policy/Policy.h"

namespace cudal1 {

/// The step of \p Sites that is \p R, after other rewrites have moved lines:
/// same rule, kernel, file, subject and parameters, the nearest line.
std::optional<Action> findAgain(llvm::ArrayRef<Site> Sites, const Rewrite &R);

/// True when both rewrites, made on one and the same text, are of one site.
bool atSameSite(const Rewrite &A, const Rewrite &B);

/// A step as one names it on the command line:
/// `rule[@LINE][:SUBJECT][{name=value,...}]`.
struct StepSpec {
  std::string Rule;
  std::optional<unsigned> Line;
  std::optional<std::string> Subject;
  /// Only the parameters that were named.
  RewriteParams Params;

  /// The Error shows the place in \p Text that does not fit.
  static llvm::Expected<StepSpec> parse(llvm::StringRef Text);
  bool matches(const Site &S) const;
  std::string str() const;
};

/// The first step of \p Sites that fits \p Spec. The Error says which part of
/// it fits nothing, and what there is instead.
llvm::Expected<Action> findStep(llvm::ArrayRef<Site> Sites,
                                const StepSpec &Spec);

} // namespace cudal1

#endif // CUDAL1_SEARCH_SITEMATCH_H

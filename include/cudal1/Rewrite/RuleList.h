//===- RuleList.h - The rules, by name --------------------------*- C++ -*-===//

#ifndef CUDAL1_REWRITE_RULELIST_H
#define CUDAL1_REWRITE_RULELIST_H

#include "cudal1/Rewrite/Rule.h"

namespace cudal1 {

/// Owns one object of every rule.
class RuleList {
public:
  /// Every rule of lib/Rewrite/Rules, in the order of Rules.def.
  static RuleList all();

  /// The rules that \p Globs leaves on, in clang-tidy's syntax: a comma
  /// separated list of globs, each adding, or with a leading '-' removing;
  /// all rules are on at first unless the first glob adds. A rule that is
  /// opt-in is on only where a glob without '*' names it. Fails on a glob
  /// without '*' that names no rule.
  llvm::Error select(llvm::StringRef Globs);

  const std::vector<std::unique_ptr<Rule>> &rules() const { return Rules; }
  const Rule *find(llvm::StringRef Name) const;

private:
  std::vector<std::unique_ptr<Rule>> Rules;
};

/// Sites of every rule over the host code and every kernel of \p A, ordered by
/// file, offset, rule and subject. For a template a site counts only when each
/// instantiation has it; its Edit is the one of the first. Sites of a class
/// weaker than
/// \p Weakest are left out; sites that need a run-time check come only with
/// \p NeedsCheck.
std::vector<Site> findSites(const RuleList &Rules, const ProgramAnalysis &A,
                            FpClass Weakest, bool NeedsCheck);

} // namespace cudal1

#endif // CUDAL1_REWRITE_RULELIST_H

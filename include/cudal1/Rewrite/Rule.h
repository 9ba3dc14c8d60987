//===- Rule.h - One kind of rewrite -----------------------------*- C++ -*-===//
//
// A Rule finds the Sites where it may legally be applied. A Site holds what was
// proved, the choices of parameters, and the function that makes the Edit, so
// that evidence and use of it stand side by side in one source file.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_REWRITE_RULE_H
#define CUDAL1_REWRITE_RULE_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/Edit.h"
#include "cudal1/Support/FpClass.h"
#include "cudal1/Support/KernelMerge.h"
#include <functional>

namespace cudal1 {

class Rule;

/// Named parameters of a rewrite, e.g. {factor: 4} or {x: 32, y: 8}.
using RewriteParams = std::map<std::string, int64_t>;

/// "factor=4", "x=32,y=8", "" for none.
std::string toString(const RewriteParams &Params);

/// One place where a Rule may legally be applied.
struct Site {
  const Rule *TheRule = nullptr;
  /// The kernel concerned; null for rules on host code.
  const Kernel *TheKernel = nullptr;
  /// Where: absolute path, line, byte offset from the file's start.
  std::string File;
  unsigned Line = 0;
  unsigned Offset = 0;
  /// Tells apart several sites of one rule at one offset (a parameter's name,
  /// an array's).
  std::string Subject;
  /// One clause for reports: "keep C[row * n + col] in a register over the
  /// loop at line 12".
  std::string Description;
  /// Legal choices of parameters, at least one; {{}} for a rule without any.
  /// The first is the one to take when nothing tells them apart.
  std::vector<RewriteParams> Choices;
  /// Proved facts that make it legal, one clause each.
  std::vector<std::string> Evidence;
  /// needs-check: the condition that only a run can confirm. Empty for a site
  /// proved legal.
  std::string Condition;
  /// What this site does to floating-point results (the rule's class, or a
  /// stricter one where this site allows it).
  FpClass Class = FpClass::Exact;
  /// Loops around the site.
  unsigned LoopDepth = 0;
  /// On host code: launches that the site concerns, those in the body of a loop
  /// counted once.
  unsigned HostLaunches = 0;
  /// Libraries that the result has to be linked with: "cublas".
  std::vector<std::string> Libraries;
  /// Kernels whose launches go away, by their mangled names.
  std::vector<std::string> ReplacedKernels;
  /// On host code: kernels whose launches become launches of others.
  std::vector<KernelMerge> Merges;
  /// Makes the Edit for one of the Choices. Valid as long as the AST is.
  std::function<llvm::Expected<Edit>(const RewriteParams &)> Apply;

  bool needsCheck() const { return !Condition.empty(); }
  bool isOnHost() const { return !TheKernel; }
};

class Rule {
public:
  virtual ~Rule();

  /// As in --rules: "scalar-replacement".
  virtual llvm::StringRef name() const = 0;
  /// One sentence, the same as in docs/rules/ and --list-rules.
  virtual llvm::StringRef summary() const = 0;
  /// The weakest guarantee that any site of the rule gives.
  virtual FpClass fpClass() const { return FpClass::Exact; }
  /// Off unless --rules names it: it asks for something that users have to
  /// agree to, such as another library to link.
  virtual bool isOptIn() const { return false; }

  /// Appends every site in \p K, which is one instantiation of a template. A
  /// rule never lists what it cannot justify. Rules on host code have none.
  virtual void findSites(const Kernel &K, const ProgramAnalysis &A,
                         std::vector<Site> &Out) const {}
  /// Appends every site in the host code of the unit, whatever kernels it
  /// launches. Rules on kernels have none.
  virtual void findHostSites(const ProgramAnalysis &A,
                             std::vector<Site> &Out) const {}
};

/// A Site of \p R in \p K at \p Loc (device side; a macro's use for a place in
/// a macro): rule, kernel, position, the rule's class and one choice without
/// parameters are set; the rest is the rule's to fill.
Site siteAt(const Rule &R, const Kernel &K, const ProgramAnalysis &A,
            clang::SourceLocation Loc);

/// A Site of \p R on host code at \p Loc (host side), filled in as siteAt does.
Site hostSiteAt(const Rule &R, const ProgramAnalysis &A,
                clang::SourceLocation Loc);

/// A Rewrite that was applied, as reports and caches keep it. It outlives the
/// AST.
struct Rewrite {
  std::string Rule;
  /// Display name of the kernel; empty for host code.
  std::string Kernel;
  std::string File;
  unsigned Line = 0;
  std::string Subject;
  std::string Description;
  RewriteParams Params;
  FpClass Class = FpClass::Exact;
  std::string Condition;
  std::vector<std::string> Evidence;
  std::vector<std::string> Libraries;
  std::vector<std::string> ReplacedKernels;
  std::optional<LaunchTransform> Launch;
  std::vector<KernelMerge> Merges;
};

Rewrite describe(const Site &S, const RewriteParams &Params);

} // namespace cudal1

#endif // CUDAL1_REWRITE_RULE_H

//===- RewriteSession.h - One program on its way through Variants -*- C++
//-*-===//

#ifndef CUDAL1_SEARCH_REWRITESESSION_H
#define CUDAL1_SEARCH_REWRITESESSION_H

#include "cudal1/Policy/Policy.h"
#include "cudal1/Rewrite/RuleList.h"
#include "cudal1/Rewrite/Variant.h"

namespace cudal1 {

/// Which sites are listed at all.
struct SiteFilter {
  /// The weakest fp class that the user accepts.
  FpClass Weakest = FpClass::Exact;
  /// Also sites whose condition only a run can confirm.
  bool NeedsCheck = false;
};

/// A parsed program, its analysis and its legal sites, kept in step while it
/// moves from Variant to Variant. Needs no GPU and no compiler.
class RewriteSession {
public:
  /// \p Rules must outlive the session.
  RewriteSession(std::unique_ptr<Program> P, const RuleList &Rules,
                 SiteFilter Filter);
  ~RewriteSession();

  const Program &program() const { return *TheProgram; }
  const ProgramAnalysis &analysis() const { return *Analysis; }
  /// Dead after advance().
  llvm::ArrayRef<Site> sites() const { return Sites; }
  const Variant &current() const { return Current; }

  /// current() and the step; an Error when the rule cannot make its edit.
  llvm::Expected<Variant> apply(const Site &S, const RewriteParams &Params);
  /// current() and all of \p Steps whose edits touch no text in common, first
  /// come first served; the others are left out.
  llvm::Expected<Variant> applyTogether(llvm::ArrayRef<Action> Steps);

  /// Parses \p V and lists its sites. On failure current() stays what it was.
  llvm::Error advance(const Variant &V);

private:
  void refresh();

  std::unique_ptr<Program> TheProgram;
  const RuleList &Rules;
  SiteFilter Filter;
  std::unique_ptr<ProgramAnalysis> Analysis;
  std::vector<Site> Sites;
  Variant Current;
};

} // namespace cudal1

#endif // CUDAL1_SEARCH_REWRITESESSION_H

//===- UnitRun.h - One input from parse to result ---------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_UNITRUN_H
#define CUDAL1_TOOL_UNITRUN_H

#include "Delivery.h"
#include "ExitCode.h"
#include "cudal1/Search/RewriteSession.h"

namespace cudal1 {

class UnitRun {
public:
  UnitRun(const Setup &S, const CompileUnit &Unit, Delivery &Target)
      : S(S), Unit(Unit), Target(Target) {
    Report.File = Unit.File;
  }

  /// Does what was asked with one input. Never throws it all away: whatever
  /// goes wrong is said, and the user's file stays.
  ExitCode run();
  const UnitReport &report() const { return Report; }

private:
  llvm::Expected<std::unique_ptr<Program>> parse();
  ExitCode parseFailed(llvm::Error E);
  ExitCode perform(RewriteSession &Session);
  ExitCode applySteps(RewriteSession &Session);
  ExitCode applyAll(RewriteSession &Session);
  ExitCode rewriteUntimed(RewriteSession &Session);
  ExitCode deliver(const Variant &Result);
  ExitCode fail(llvm::Error E);
  SiteFilter filter() const;

  const Setup &S;
  const CompileUnit &Unit;
  Delivery &Target;
  UnitReport Report;
  std::unique_ptr<SourceWriter> Writer;
  SourceOverlay Original;
};

} // namespace cudal1

#endif // CUDAL1_TOOL_UNITRUN_H

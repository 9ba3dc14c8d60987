//===- UnitRun.h - One input from parse to result ---------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_UNITRUN_H
#define CUDAL1_TOOL_UNITRUN_H

#include "Delivery.h"
#include "EmulatedCheck.h"
#include "ExitCode.h"
#include "ResolvedUnit.h"
#include "cudal1/Search/Stepping.h"

namespace cudal1 {

class UnitRun {
public:
  UnitRun(const Setup &S, llvm::StringRef File, Delivery &Target)
      : Input(S), Target(Target) {
    Report.File = File.str();
  }

  /// Does what was asked with one input. Never throws it all away: whatever
  /// goes wrong is said, and the user's file stays.
  ExitCode run();
  const UnitReport &report() const { return Report; }

private:
  ExitCode parseFailed(llvm::Error E);
  ExitCode dumpDeviceText(const Program &P);
  ExitCode perform(RewriteSession &Session);
  ExitCode applySteps(RewriteSession &Session);
  ExitCode applyAll(RewriteSession &Session);
  ExitCode optimise(RewriteSession &Session);
  ExitCode judge(RewriteSession &Session);
  ExitCode rewriteUntimed(RewriteSession &Session);
  ExitCode rewriteChecked(RewriteSession &Session, const CompileCheck &Check);
  llvm::Error prepareEmulation(RewriteSession &Session);
  llvm::Error checkResult(RewriteSession &Session);
  bool wantsEmulation() const;
  ExitCode keepOriginal(const Variant &Unchanged, const std::string &Why);
  ExitCode deliver(const Variant &Result);
  ExitCode fail(llvm::Error E);
  void say(const std::string &Sentence);
  SiteFilter filter() const;

  ResolvedUnit Input;
  /// The parts of Input.
  Setup &S = Input.S;
  Settings &Chosen = Input.Chosen;
  RuleList &Rules = Input.Rules;
  CompileUnit &Unit = Input.Unit;
  Delivery &Target;
  UnitReport Report;
  std::unique_ptr<SourceWriter> Writer;
  SourceOverlay Original;
  /// Empty where nothing is emulated.
  std::unique_ptr<EmulatedCheck> Emulated;
};

} // namespace cudal1

#endif // CUDAL1_TOOL_UNITRUN_H

//===- UnitRun.h - One input from parse to result ---------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_UNITRUN_H
#define CUDAL1_TOOL_UNITRUN_H

#include "Delivery.h"
#include "EmulatedCheck.h"
#include "ExitCode.h"
#include "cudal1/Rewrite/RuleList.h"
#include "cudal1/Search/Stepping.h"

namespace cudal1 {

class UnitRun {
public:
  UnitRun(const Setup &S, llvm::StringRef Input, Delivery &Target)
      : S(S), Target(Target) {
    Report.File = Input.str();
  }

  /// Does what was asked with one input. Never throws it all away: whatever
  /// goes wrong is said, and the user's file stays.
  ExitCode run();
  const UnitReport &report() const { return Report; }

private:
  std::string rulesWanted() const;
  llvm::Error resolve();
  llvm::Expected<std::unique_ptr<Program>> parse();
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
  bool canMeasure() const;

  /// Its toolkit may be the one that the settings of this input name.
  Setup S;
  Delivery &Target;
  Settings Chosen;
  RuleList Rules = RuleList::all();
  CompileUnit Unit;
  UnitReport Report;
  std::unique_ptr<SourceWriter> Writer;
  SourceOverlay Original;
  /// Empty where nothing is emulated.
  std::unique_ptr<EmulatedCheck> Emulated;
};

} // namespace cudal1

#endif // CUDAL1_TOOL_UNITRUN_H

//===- ResolvedUnit.h - An input with all that says how to read it -*- C++
//-*-===//

#ifndef CUDAL1_TOOL_RESOLVEDUNIT_H
#define CUDAL1_TOOL_RESOLVEDUNIT_H

#include "Setup.h"
#include "cudal1/Frontend/Program.h"
#include "cudal1/Rewrite/RuleList.h"

namespace cudal1 {

struct ResolvedUnit {
  /// Its toolkit may be the one that the settings of this input name.
  Setup S;
  Settings Chosen;
  RuleList Rules = RuleList::all();
  CompileUnit Unit;

  explicit ResolvedUnit(Setup S) : S(std::move(S)) {}

  /// Reads the settings for \p File, chooses rules and finds out how it is
  /// compiled. Notes go to the console.
  llvm::Error resolve(llvm::StringRef File);
  llvm::Expected<std::unique_ptr<Program>> parse() const;
  /// Something here can be built and timed.
  bool canMeasure() const;
  /// Why not, one clause.
  std::string whyNotMeasured() const;

private:
  std::string rulesWanted() const;
};

} // namespace cudal1

#endif // CUDAL1_TOOL_RESOLVEDUNIT_H

//===- EmulatedCheck.h - Verifying rewrites without a GPU -------*- C++ -*-===//

#ifndef CUDAL1_TOOL_EMULATEDCHECK_H
#define CUDAL1_TOOL_EMULATEDCHECK_H

#include "Setup.h"
#include "cudal1/Search/ProgramProblem.h"
#include "cudal1/Support/TemporaryFolder.h"
#include <memory>

namespace cudal1 {

/// Runs the original and variants of one unit on the CPU and compares them.
class EmulatedCheck {
public:
  /// Builds and runs the original. The Error says why the unit cannot be
  /// emulated. \p Session must outlive the result.
  static llvm::Expected<std::unique_ptr<EmulatedCheck>>
  prepare(const Setup &S, const Settings &Chosen, const CompileUnit &Unit,
          RewriteSession &Session);

  /// Success when \p V is right; the Error says what is wrong with it.
  llvm::Error check(const Variant &V);

  /// What the run of the original showed.
  const Baseline &baseline() const { return Original; }

private:
  explicit EmulatedCheck(TemporaryFolder Folder) : Folder(std::move(Folder)) {}

  TemporaryFolder Folder;
  std::unique_ptr<MeasureEngine> Engine;
  Baseline Original;
  std::unique_ptr<ProgramProblem> Problem;
};

} // namespace cudal1

#endif // CUDAL1_TOOL_EMULATEDCHECK_H

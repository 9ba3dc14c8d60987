//===- Edit.h - An all-or-nothing change of source text ---------*- C++ -*-===//

#ifndef CUDAL1_REWRITE_EDIT_H
#define CUDAL1_REWRITE_EDIT_H

#include "cudal1/Frontend/Program.h"
#include "cudal1/Support/LaunchTransform.h"
#include "clang/Tooling/Core/Replacement.h"

namespace cudal1 {

/// The replacements of one Rewrite, per file (absolute path), and what it does
/// to the launches of the kernel.
struct Edit {
  std::map<std::string, clang::tooling::Replacements> Files;
  std::optional<LaunchTransform> Launch;

  bool empty() const { return Files.empty(); }
};

/// The texts that \p E gives when applied to \p P: P's overlay with the edited
/// files replaced. Touched lines are formatted where a .clang-format of the
/// project's own governs the file; elsewhere the text stays as the rule wrote
/// it. Nothing is changed on error.
llvm::Expected<SourceOverlay> applyEdit(const Program &P, const Edit &E);

} // namespace cudal1

#endif // CUDAL1_REWRITE_EDIT_H

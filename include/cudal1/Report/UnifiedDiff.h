//===- UnifiedDiff.h - What changed, as diff -u prints it -------*- C++ -*-===//

#ifndef CUDAL1_REPORT_UNIFIEDDIFF_H
#define CUDAL1_REPORT_UNIFIEDDIFF_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudal1 {

/// Lines of the old text that were replaced or taken away, and the new ones.
/// Lines count from 1; an insertion has no old lines and stands before
/// OldFirst.
struct LineChange {
  size_t OldFirst = 0, OldCount = 0;
  std::vector<std::string> NewLines;
};

/// What differs, in order.
std::vector<LineChange> changedLines(llvm::StringRef OldText,
                                     llvm::StringRef NewText);

/// The lines that differ, with three lines of context, under the headers
/// `--- OldName` and `+++ NewName`; empty when the texts are equal. `patch -p0`
/// takes it, also where the last line has no newline.
std::string unifiedDiff(llvm::StringRef OldName, llvm::StringRef OldText,
                        llvm::StringRef NewName, llvm::StringRef NewText);

} // namespace cudal1

#endif // CUDAL1_REPORT_UNIFIEDDIFF_H

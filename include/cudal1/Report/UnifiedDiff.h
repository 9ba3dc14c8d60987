//===- UnifiedDiff.h - What changed, as diff -u prints it -------*- C++ -*-===//

#ifndef CUDAL1_REPORT_UNIFIEDDIFF_H
#define CUDAL1_REPORT_UNIFIEDDIFF_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace cudal1 {

/// The lines that differ, with three lines of context, under the headers
/// `--- OldName` and `+++ NewName`; empty when the texts are equal. `patch -p0`
/// takes it, also where the last line has no newline.
std::string unifiedDiff(llvm::StringRef OldName, llvm::StringRef OldText,
                        llvm::StringRef NewName, llvm::StringRef NewText);

} // namespace cudal1

#endif // CUDAL1_REPORT_UNIFIEDDIFF_H

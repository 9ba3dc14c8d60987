//===- Delivery.h - Where the result goes -----------------------*- C++ -*-===//

#ifndef CUDAL1_TOOL_DELIVERY_H
#define CUDAL1_TOOL_DELIVERY_H

#include "Setup.h"
#include "cudal1/Report/Report.h"
#include "cudal1/Rewrite/SourceWriter.h"

namespace cudal1 {

/// Writes results as the options ask: a file, in place, a diff or stdout.
class Delivery {
public:
  explicit Delivery(const Setup &S) : S(S) {}

  /// Says now what would fail after a long search: no such folder, no right to
  /// write.
  llvm::Error checkWritable(llvm::StringRef Input) const;
  /// The same for the report, which is written last.
  llvm::Error checkReportWritable() const;

  /// Fails when the result of one input would replace that of another, or
  /// another input.
  llvm::Error checkDistinct() const;

  /// Delivers the texts of a Variant of the unit that \p Writer remembers.
  /// Adds to \p Report what was written and what the user should know.
  llvm::Error deliver(const SourceWriter &Writer, llvm::StringRef Input,
                      const SourceOverlay &Original, const SourceOverlay &Texts,
                      UnitReport &Report);

  /// Delivers \p Input byte for byte, for one that was not parsed.
  llvm::Error deliverUnchanged(llvm::StringRef Input, UnitReport &Report);

private:
  bool toStdout() const;
  std::string outputPathFor(llvm::StringRef Input) const;
  void printDiff(const SourceOverlay &Original, const SourceOverlay &Texts);
  llvm::Error write(const SourceOutput &Files, UnitReport &Report);

  const Setup &S;
  /// Headers that an earlier unit of this call has rewritten in place.
  std::set<std::string> BackedUp;
  /// What earlier units of this call have written as copies, by path.
  SourceOverlay Written;
};

} // namespace cudal1

#endif // CUDAL1_TOOL_DELIVERY_H

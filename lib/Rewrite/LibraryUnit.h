//===- LibraryUnit.h - May a unit keep one handle of a library? -*- C++ -*-===//
//
// A handle of cuBLAS belongs to one device and serves one thread of the host at
// a time. A unit whose calls share one handle has to be such that this is all
// there is.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_LIBRARYUNIT_H
#define CUDAL1_LIB_REWRITE_LIBRARYUNIT_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// Why one handle cannot serve all launches of the unit, as a clause; "" when
/// it is a whole program of one thread and one device that neither records
/// graphs nor resets the device in between.
std::string whyNoSharedHandle(const ProgramAnalysis &A);

/// `#include <Header>` would be found.
bool findsHeader(const Program &P, llvm::StringRef Header);

/// The statement of main's body before which the first use of CUDA can be
/// prepared: no call of CUDA comes before it but those that choose a device.
/// Null when main is not in the main file or has no such statement.
const clang::Stmt *firstUseOfCuda(const Program &P);

/// Writes into the main file, whose places are offsets.
class UnitWriter {
public:
  UnitWriter(const Program &P, EditBuilder &Builder);

  /// Adds `#include <Header>` unless it is there, behind those that are.
  void include(llvm::StringRef Header);
  /// Where functions of the unit's own may begin: before the first function,
  /// its comment included, that stands in no conditional part. Nothing when
  /// there is none at or before offset \p Before.
  std::optional<unsigned> firstFunction(unsigned Before) const;
  /// Where the comment begins that stands right above \p Offset; \p Offset
  /// itself where there is none.
  unsigned withComment(unsigned Offset) const;
  /// \p Offset stands in no `#if`.
  bool isUnconditional(unsigned Offset) const;

  clang::SourceLocation at(unsigned Offset) const;
  unsigned offsetOf(clang::SourceLocation Loc) const;
  /// How often \p Name stands in the file as a word, comments left out.
  unsigned mentions(llvm::StringRef Name) const;
  /// What stands before \p Offset ends there: a declaration may begin.
  bool beginsDeclaration(unsigned Offset) const;

private:
  const Program &P;
  EditBuilder &Builder;
  std::vector<std::string> Added;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LIBRARYUNIT_H

//===- ReadAhead.h - Loads that may be made early ---------------*- C++ -*-===//
//
// A thread that takes one element after the other waits for memory at each of
// them. Where all that it reads is found by the element's number alone, and is
// never written, it may ask for several elements before it uses the first.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_READAHEAD_H
#define CUDAL1_LIB_REWRITE_READAHEAD_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// One value that an element reads, wherever its text names it.
struct EarlyLoad {
  const clang::ValueDecl *Base = nullptr;
  clang::QualType Type;
  /// `values[i]`
  std::string Text;
  std::vector<const clang::Expr *> Mentions;
};

struct ReadAhead {
  /// Declarations at the head of the kernel: numbers, and nothing else.
  std::vector<const clang::DeclStmt *> Numbers;
  /// Where it holds, the loads are made in any case.
  std::string Guard;
  std::vector<EarlyLoad> Loads;
};

/// The loads of \p K that may be made before anything else that its guard lets
/// through; nothing where there are none.
std::optional<ReadAhead> findReadAhead(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       const StatementTree &Tree);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_READAHEAD_H

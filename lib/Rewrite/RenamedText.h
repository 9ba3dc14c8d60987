//===- RenamedText.h - A kernel's text under other names --------*- C++ -*-===//
//
// Parts of the text of a kernel in which some of its variables have other
// names and some expressions other text, to be written into another kernel.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_RENAMEDTEXT_H
#define CUDAL1_LIB_REWRITE_RENAMEDTEXT_H

#include "cudal1/Analysis/Kernel.h"
#include "clang/AST/Decl.h"
#include <map>

namespace cudal1 {

using NewNames = std::map<const clang::VarDecl *, std::string>;

class RenamedText {
public:
  /// \p K is no template.
  RenamedText(const Kernel &K, const NewNames &Names);

  /// Why some of it cannot be written; "" so far.
  const std::string &obstacle() const { return Obstacle; }
  /// Puts \p Text in place of the tokens of \p Range; names inside are
  /// forgotten.
  void replace(clang::SourceRange Range, llvm::StringRef Text);
  /// Leaves out the statement \p S with its semicolon, and its line when
  /// nothing else stands there.
  void remove(const clang::Stmt *S);

  /// Offsets in the kernel's file of the first character of \p S, and behind
  /// the last one, a semicolon that belongs to it included.
  unsigned beginOf(const clang::Stmt *S);
  unsigned endOf(const clang::Stmt *S);
  unsigned offsetOf(clang::SourceLocation Loc);
  /// What stands between two offsets, without blank lines around it and with
  /// its lines moved left by what the first of them is indented by.
  std::string between(unsigned Begin, unsigned End);
  /// The text of an expression, on one line.
  std::string of(const clang::Expr *E);

private:
  struct Change {
    unsigned End;
    std::string Text;
  };
  void rename(clang::SourceLocation Loc, llvm::StringRef Old,
              llvm::StringRef New);
  std::string changed(unsigned Begin, unsigned End) const;
  void fail(const llvm::Twine &Why) {
    if (Obstacle.empty())
      Obstacle = Why.str();
  }

  const Kernel &K;
  const clang::SourceManager &SM;
  clang::FileID File;
  llvm::StringRef Buffer;
  std::map<unsigned, Change> Changes;
  std::string Obstacle;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_RENAMEDTEXT_H

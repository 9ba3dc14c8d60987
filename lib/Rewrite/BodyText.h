//===- BodyText.h - The text of a kernel's body, to be moved ----*- C++ -*-===//
//
// A rule that puts a loop or a condition around most of a body moves every line
// of it. Changes of single places are collected first, then the whole is taken
// as lines without the indentation that they share.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_BODYTEXT_H
#define CUDAL1_LIB_REWRITE_BODYTEXT_H

#include "cudal1/Analysis/Kernel.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

class BodyText {
public:
  /// The text between the braces of \p K. \p Texts says what may be edited, and
  /// is told what may not.
  BodyText(const Kernel &K, EditBuilder &Texts);

  /// Replaces the tokens of \p Range; changes made inside of it so far are
  /// forgotten. Lines of \p Text after the first get the
  /// indentation of the line that it begins on.
  void replace(clang::SourceRange Range, llvm::StringRef Text);
  /// Replaces statement \p S, its semicolon left to stand behind \p Text. Where
  /// \p S is the sole child of an if or a loop and \p Text has several lines
  /// that do not belong to one statement, braces are added.
  void replaceStatement(const clang::Stmt *Parent, const clang::Stmt *S,
                        llvm::StringRef Text);
  /// Replaces the statement \p S and its semicolon by \p Head, the head of a
  /// block that begins with the line \p First, if any, and holds all that
  /// follows.
  void openBlock(const clang::Stmt *S, llvm::StringRef Head,
                 llvm::StringRef First = "");
  /// In a loop around the body, each `return` but those in \p Except goes on to
  /// the next iteration. \p Tree is that of the kernel.
  void continueAtReturns(const StatementTree &Tree,
                         const clang::Stmt *Except = nullptr);
  /// Removes the statement \p S with its semicolon and its line.
  void remove(const clang::Stmt *S);

  /// The text of \p Range with the changes made in it so far.
  std::string changedText(clang::SourceRange Range) const;
  /// The changed lines, indented from 0 on, without a line break at the end.
  std::string lines() const;

private:
  /// Stands where a block begins that holds all that follows. No source holds
  /// this character.
  static constexpr char Level = '\x01';

  struct Change {
    unsigned Begin = 0, End = 0;
    std::string Text;
  };
  std::optional<std::pair<unsigned, unsigned>>
  placeOf(clang::SourceRange Range) const;
  void add(Change C);
  std::optional<unsigned> endOf(unsigned End) const;
  std::string changed() const;
  std::string indentationAt(unsigned At) const;

  const clang::SourceManager &SM;
  EditBuilder &Texts;
  std::string Unit, Text;
  /// Of the text in the file.
  unsigned Start = 0;
  std::vector<Change> Changes;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_BODYTEXT_H

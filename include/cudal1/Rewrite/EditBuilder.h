//===- EditBuilder.h - Safe construction of an Edit -------------*- C++ -*-===//
//
// Every text change of every rule goes through this class. It refuses what
// must never be edited: macro bodies, system headers, ranges that span a
// preprocessor directive. The first refusal is kept and comes back from
// finish(), so a rule need not check each call.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_REWRITE_EDITBUILDER_H
#define CUDAL1_REWRITE_EDITBUILDER_H

#include "cudal1/Rewrite/Edit.h"
#include "clang/AST/Stmt.h"

namespace cudal1 {

class EditBuilder {
public:
  /// Edits positions of the AST of side \p S of \p P.
  EditBuilder(const Program &P, Side S);

  /// Replaces the tokens of \p Range (a token range) by \p Text.
  void replace(clang::SourceRange Range, llvm::StringRef Text);
  /// Inserts before the token at \p Loc.
  void insertBefore(clang::SourceLocation Loc, llvm::StringRef Text);
  /// Inserts after the token that begins at \p Loc.
  void insertAfterToken(clang::SourceLocation Loc, llvm::StringRef Text);
  /// Inserts whole lines before the line on which statement \p S begins, with
  /// the indentation of that line. \p Lines are separated by '\n'; when \p S
  /// is the sole child of a loop or if without braces, use insertBraced.
  void insertLinesBefore(const clang::Stmt *S, llvm::StringRef Lines);
  /// Inserts whole lines after the line on which \p S ends (its semicolon
  /// included), with the indentation of the line on which it begins.
  void insertLinesAfter(const clang::Stmt *S, llvm::StringRef Lines);
  /// Puts `{`, \p Before, the statement, \p After, `}` in place of a statement
  /// that is the sole child of a loop or if; for one that stands in a compound
  /// statement only the lines are added.
  void insertAround(const clang::Stmt *S, llvm::StringRef Before,
                    llvm::StringRef After);
  /// Removes the statement with its semicolon, and its line if nothing else
  /// stands there.
  void removeStatement(const clang::Stmt *S);

  void setLaunch(LaunchTransform T) { Result.Launch = std::move(T); }

  /// Notes a failure of the rule's own; the edit comes back as this error.
  void fail(const llvm::Twine &Why);
  bool failed() const { return Failed; }

  /// The edit, or the first thing that went wrong.
  llvm::Expected<Edit> finish();

  /// The source text of a token range as the author wrote it; empty when the
  /// range is not contiguous in one file (a macro body).
  llvm::StringRef text(clang::SourceRange Range) const;
  /// True when the range may be edited: see the head of this file.
  bool canEdit(clang::SourceRange Range) const;
  /// True when new lines may stand right before \p S and after it.
  bool canInsertAround(const clang::Stmt *S) const;

private:
  void add(const clang::CharSourceRange &Range, llvm::StringRef Text);
  std::optional<clang::CharSourceRange>
  editableRange(clang::SourceRange Range) const;

  const Program &P;
  Side Where;
  Edit Result;
  bool Failed = false;
  std::string Why;
};

/// A name that nothing in \p Function and nothing at file scope uses, close to
/// \p Wanted.
std::string freshName(const clang::FunctionDecl *Function,
                      llvm::StringRef Wanted);

} // namespace cudal1

#endif // CUDAL1_REWRITE_EDITBUILDER_H

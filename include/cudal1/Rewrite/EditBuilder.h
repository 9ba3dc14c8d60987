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
#include "llvm/ADT/ArrayRef.h"

namespace cudal1 {

class SourceLines;

class EditBuilder {
public:
  /// Edits positions of the AST of side \p S of \p P.
  EditBuilder(const Program &P, Side S);
  ~EditBuilder();
  EditBuilder(const EditBuilder &) = delete;
  EditBuilder &operator=(const EditBuilder &) = delete;

  /// Positions that follow are of the AST of side \p S: an Edit may change a
  /// kernel (device side) and its launches (host side).
  void setSide(Side S) { Where = S; }

  /// Replaces the tokens of \p Range (a token range) by \p Text.
  void replace(clang::SourceRange Range, llvm::StringRef Text);
  /// Inserts before the token at \p Loc.
  void insertBefore(clang::SourceLocation Loc, llvm::StringRef Text);
  /// Inserts after the token that begins at \p Loc.
  void insertAfterToken(clang::SourceLocation Loc, llvm::StringRef Text);
  /// Inserts whole lines before the line on which statement \p S begins, with
  /// the indentation of that line, and before any `#pragma unroll` that belongs
  /// to \p S. \p Lines are separated by '\n' and may be indented among
  /// themselves. Fails when \p S is the sole child of a loop or if without
  /// braces (insertAround adds them), except for pragma lines.
  void insertLinesBefore(const clang::Stmt *S, llvm::StringRef Lines);
  /// Inserts whole lines after the line on which \p S ends (its semicolon
  /// included), with the indentation of the line on which it begins. Fails
  /// where insertLinesBefore does.
  void insertLinesAfter(const clang::Stmt *S, llvm::StringRef Lines) {
    insertLinesAfter(S, Lines, S);
  }
  /// The same with the indentation of the line on which \p Like begins.
  void insertLinesAfter(const clang::Stmt *S, llvm::StringRef Lines,
                        const clang::Stmt *Like);
  /// The lines \p Before and \p After around a statement; braces are added
  /// when it is the sole child of a loop or if, or follows a label. Either may
  /// be empty.
  void insertAround(const clang::Stmt *S, llvm::StringRef Before,
                    llvm::StringRef After);
  /// Removes the statement with its semicolon, and its line if nothing else
  /// stands there. The sole child of a loop or if leaves a `;` behind.
  void removeStatement(const clang::Stmt *S);

  /// Removes the tokens of \p Range, a definition, and the blank lines behind
  /// it.
  void removeDefinition(clang::SourceRange Range);

  /// Replaces all that stands between the braces of \p Body, pragmas included,
  /// by \p Lines, separated by '\n' and indented by indentUnit() a level. Fails
  /// where another directive stands inside, unless \p DropsBranches: none of
  /// its branches is needed any more.
  void replaceBody(const clang::CompoundStmt *Body, llvm::StringRef Lines,
                   bool DropsBranches = false);
  /// Adds `#include <Header>` to the file that holds \p Loc, behind the
  /// directives that it begins with, unless it stands there already. Fails
  /// where no line of the file's beginning is certain to be compiled.
  void include(llvm::StringRef Header, clang::SourceLocation Loc);
  /// One level of indentation, as the file that holds \p Loc has it.
  std::string indentUnit(clang::SourceLocation Loc) const;

  void setLaunch(LaunchTransform T) { Launch = std::move(T); }

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
  /// True when insertBefore(\p Loc) would succeed.
  bool canInsertBefore(clang::SourceLocation Loc) const;
  /// True when new lines may stand right before \p S and after it.
  bool canInsertAround(const clang::Stmt *S) const;
  /// True when a `#pragma unroll`, `nounroll` or their like of the author's
  /// stands before \p S, an inactive branch included.
  bool hasLoopPragma(const clang::Stmt *S) const;

private:
  /// A place in one file: path and byte offsets.
  struct FileRange {
    std::string Path;
    unsigned Begin = 0;
    unsigned End = 0;
  };
  struct Change {
    unsigned Begin;
    unsigned End;
    /// Among insertions at one offset those that follow a token come first.
    bool FollowsToken;
    std::string Text;
    /// Order of the calls.
    size_t Number = 0;
  };
  struct StatementPlace;

  std::optional<FileRange> fileRange(clang::SourceRange Range,
                                     std::string &Obstacle) const;
  std::optional<FileRange> editableRange(clang::SourceRange Range,
                                         std::string &Obstacle) const;
  std::optional<FileRange> insertionPoint(clang::SourceLocation Loc,
                                          std::string &Obstacle) const;
  std::optional<StatementPlace> place(const clang::Stmt *S,
                                      std::string &Obstacle) const;
  const SourceLines &lines(const std::string &Path) const;
  void add(const std::string &Path, Change C);
  void refuse(llvm::StringRef What, clang::SourceLocation At,
              llvm::StringRef Obstacle);
  std::string indented(const SourceLines &L, llvm::StringRef Lines,
                       llvm::StringRef Indent) const;
  void addBefore(const StatementPlace &At, llvm::StringRef Lines,
                 llvm::StringRef Indent);
  void addAfter(const StatementPlace &At, llvm::StringRef Lines,
                llvm::StringRef Indent);
  void addBraced(const StatementPlace &At, llvm::StringRef Before,
                 llvm::StringRef After);

  const Program &P;
  Side Where;
  std::map<std::string, std::vector<Change>> Changes;
  mutable std::map<std::string, std::unique_ptr<SourceLines>> Files;
  std::optional<LaunchTransform> Launch;
  bool Failed = false;
  std::string Why;
};

/// A name that nothing in the text of \p Function (inactive branches and macro
/// names included), nothing at file scope and none of \p Taken uses: \p Wanted,
/// or else \p Wanted with a number.
std::string freshName(const clang::FunctionDecl *Function,
                      llvm::StringRef Wanted,
                      llvm::ArrayRef<std::string> Taken = {});

} // namespace cudal1

#endif // CUDAL1_REWRITE_EDITBUILDER_H

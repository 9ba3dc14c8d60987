//===- ScopedText.h - The author's statements in new scopes -----*- C++ -*-===//
//
// A rule that moves expressions into loops of its own copies their text and
// declares anew what they mention. ScopedText knows the variables of a kernel
// that are declared before its loop: which of them an expression needs, what
// they depend on, and how their declarations read.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_SCOPEDTEXT_H
#define CUDAL1_LIB_REWRITE_SCOPEDTEXT_H

#include "cudal1/Analysis/Contraction.h"
#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

using Statements = std::vector<const clang::Stmt *>;

/// Lines of text with levels of indentation, for the body of a function.
class Lines {
public:
  explicit Lines(std::string Unit) : Unit(std::move(Unit)) {}

  void add(const llvm::Twine &Line);
  /// A line that opens a level.
  void open(const llvm::Twine &Line) {
    add(Line);
    indent();
  }
  /// A level without braces; close("") ends it.
  void indent() { ++Level; }
  /// Ends a level with \p Line; with none for a body without braces.
  void close(llvm::StringRef Line = "}") {
    --Level;
    if (!Line.empty())
      add(Line);
  }
  /// A statement of several lines, the first of which stood at \p Indent.
  void addBlock(llvm::StringRef Text, llvm::StringRef Indent);
  void blank() { Text += '\n'; }
  /// All lines, without the last line break.
  std::string take();

private:
  std::string Unit;
  std::string Text;
  unsigned Level = 1;
};

/// One part of a text, and what stands for it.
struct Patch {
  clang::SourceRange Range;
  std::string Text;
};

/// The variables of a kernel that ScopedText can declare anew.
struct ScopedVariables {
  /// Number of the thread along two axes of the grid.
  std::array<ContractionCoordinate, 2> Coordinates;
  /// Declared before the loop, in source order, coordinates included.
  std::vector<const clang::VarDecl *> Declarations;
  /// Statements of the loop's body; what they declare are its temporaries.
  std::vector<const clang::Stmt *> Body;

  static ScopedVariables of(const ContractionNest &Nest) {
    return {{Nest.Rows, Nest.Columns}, Nest.Declarations, Nest.Body};
  }
};

/// The conditions that are not empty, joined by `&&`.
std::string allOf(std::initializer_list<std::string> Conditions);

class ScopedText {
public:
  ScopedText(const Kernel &K, const ProgramAnalysis &A,
             ScopedVariables Variables);

  /// Variables from before the loop (or temporaries of the loop) that \p S
  /// needs, directly or not, in source order; those inside \p Except do not
  /// count.
  std::vector<const clang::VarDecl *>
  needs(const Statements &S, const Statements &Except = {}) const;
  bool dependsOn(const Statements &S, const ContractionCoordinate &C,
                 const Statements &Except = {}) const;
  /// \p S, or a variable that it needs and that is no coordinate, names thread
  /// or block indices along x or y, or temporaries of the loop come in.
  bool usesRawIndices(const Statements &S) const;
  bool isCoordinate(const clang::VarDecl *V,
                    const ContractionCoordinate &C) const;
  bool isCoordinate(const clang::VarDecl *V) const;
  bool isTemporary(const clang::VarDecl *V) const;
  /// Has one value for all threads.
  bool isUniform(const clang::VarDecl *V) const;

  /// `const int row = ` for a coordinate, without a value.
  std::string declare(const clang::VarDecl *V, bool Const) const;
  /// The declaration as the author wrote it; "" when that cannot be told.
  std::string declaration(const clang::VarDecl *V) const;
  /// The statement that declares \p V.
  const clang::DeclStmt *statementOf(const clang::VarDecl *V) const {
    return Statement.lookup(V);
  }
  /// Where \p S is written: an expression that is all of what a macro makes
  /// but for parentheses around it, at that macro's use.
  clang::SourceRange written(const clang::Stmt *S) const;
  /// The text of \p S with \p Patches; "" when part of it is made by a macro.
  std::string patched(const clang::Stmt *S,
                      const std::vector<Patch> &Patches) const;
  /// The same with its semicolon, and with a comment behind it on its last
  /// line.
  std::string statement(const clang::Stmt *S,
                        const std::vector<Patch> &Patches) const;
  /// The comment lines right above \p S, without indentation.
  std::vector<std::string> comments(const clang::Stmt *S) const;
  /// What stands between \p Loop and the end of \p Last, a later statement of
  /// the same block, comments included.
  std::string following(const clang::Stmt *Loop, const clang::Stmt *Last,
                        const std::vector<Patch> &Patches) const;
  std::string text(const clang::Expr *E) const { return patched(E, {}); }
  /// \p E as an operand of a comparison, which binds less than arithmetic.
  std::string compared(const clang::Expr *E) const;
  /// `row < M`, or `row + 3 < M` for the last of four; without bounds that no
  /// tile of \p Tile elements reaches beyond.
  std::string guard(const ContractionCoordinate &C, int64_t Tile,
                    int64_t Ahead = 0) const;
  /// What the line of \p S begins with.
  std::string indentation(const clang::Stmt *S) const;
  std::string typeOf(const clang::VarDecl *V) const;
  const std::string &unit() const { return Unit; }

private:
  clang::CharSourceRange fileRange(clang::SourceRange Range) const;
  std::string patched(clang::CharSourceRange Whole,
                      const std::vector<Patch> &Patches) const;
  clang::SourceLocation endOf(const clang::Stmt *S) const;

  const Kernel &K;
  const ScopedVariables Variables;
  EditBuilder Texts;
  const clang::SourceManager &SM;
  std::string Unit;
  /// Declarations before the loop, then temporaries of its body.
  std::vector<const clang::VarDecl *> Known;
  llvm::DenseMap<const clang::VarDecl *, const clang::DeclStmt *> Statement;
  llvm::DenseMap<const clang::Expr *, const clang::ParenExpr *> Parens;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_SCOPEDTEXT_H

//===- SourceLines.h - What surrounds a place in a file's text --*- C++ -*-===//
//
// Edits must keep the author's layout: indentation, line ends, comments. This
// is a view of one file's text, made by Clang's raw lexer, that answers what
// stands before and after a place. It sees the text as written, inactive
// branches and macro names included.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_SOURCELINES_H
#define CUDAL1_LIB_REWRITE_SOURCELINES_H

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/TokenKinds.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// A token outside of preprocessor directives; comments are left out.
struct RawToken {
  clang::tok::TokenKind Kind;
  unsigned Offset;
  unsigned End;
};

/// A whole preprocessor directive line, continuation lines included.
struct RawDirective {
  /// "pragma", "if", "include", ...
  llvm::StringRef Name;
  /// What follows the name, trimmed.
  llvm::StringRef Rest;
  /// Offset of the '#'.
  unsigned Offset;
  /// End of the last token.
  unsigned End;
};

class SourceLines {
public:
  explicit SourceLines(llvm::StringRef Text);

  llvm::StringRef text() const { return Text; }
  const std::vector<RawToken> &tokens() const { return Tokens; }
  const std::vector<RawDirective> &directives() const { return Directives; }

  /// "\r\n" when the file's first line ends so, else "\n".
  llvm::StringRef newline() const { return Newline; }
  unsigned lineStart(unsigned Offset) const;
  /// Offset of the line's end, before its line break.
  unsigned lineEnd(unsigned Offset) const;
  /// The blanks that the line of \p Offset begins with.
  llvm::StringRef indentation(unsigned Offset) const;
  /// One level of indentation as the author writes it.
  std::string indentUnit() const;
  /// Only blanks stand before \p Offset on its line.
  bool isFirstOnLine(unsigned Offset) const;
  /// Nothing but blanks and one `//` comment stands after \p Offset.
  bool isLastOnLine(unsigned Offset) const;
  /// 1 for the first line.
  unsigned lineNumber(unsigned Offset) const;

  /// The last token that ends at or before \p Offset.
  std::optional<size_t> tokenBefore(unsigned Offset) const;
  /// The first token that begins at or after \p Offset.
  std::optional<size_t> tokenFrom(unsigned Offset) const;
  llvm::StringRef spelling(const RawToken &T) const {
    return Text.substr(T.Offset, T.End - T.Offset);
  }
  /// Index of the '(' that matches the ')' at \p Close.
  std::optional<size_t> matchingOpen(size_t Close) const;

  /// Directives that begin in [Begin, End).
  std::vector<const RawDirective *> directivesIn(unsigned Begin,
                                                 unsigned End) const;

private:
  llvm::StringRef Text;
  llvm::StringRef Newline;
  std::vector<RawToken> Tokens;
  std::vector<RawDirective> Directives;
};

/// Language options for raw lexing of CUDA sources.
clang::LangOptions rawLangOptions();

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_SOURCELINES_H

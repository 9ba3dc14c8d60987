//===- SourceLines.cpp - What surrounds a place in a file's text ----------===//

#include "SourceLines.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

LangOptions rawLangOptions() {
  LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus11 = Options.CPlusPlus14 = true;
  Options.CPlusPlus17 = Options.CPlusPlus20 = true;
  Options.LineComment = Options.Bool = true;
  Options.CUDA = true;
  return Options;
}

static constexpr llvm::StringLiteral Blanks = " \t\f\v";

SourceLines::SourceLines(llvm::StringRef Text) : Text(Text) {
  size_t FirstBreak = Text.find('\n');
  bool Crlf = FirstBreak != llvm::StringRef::npos && FirstBreak > 0 &&
              Text[FirstBreak - 1] == '\r';
  Newline = Crlf ? "\r\n" : "\n";

  const LangOptions Options = rawLangOptions();
  // The lexer wants a terminating zero, which a StringRef need not have.
  std::string Copy = Text.str();
  Lexer Lex(SourceLocation(), Options, Copy.data(), Copy.data(),
            Copy.data() + Copy.size());
  auto OffsetOf = [&](const Token &T) {
    // With invalid file locations the lexer counts from location 0.
    return unsigned(Lex.getBufferLocation() - Copy.data()) - T.getLength();
  };
  Token T;
  Lex.LexFromRawLexer(T);
  while (T.isNot(tok::eof)) {
    if (!(T.is(tok::hash) && T.isAtStartOfLine())) {
      unsigned Offset = OffsetOf(T);
      Tokens.push_back({T.getKind(), Offset, Offset + T.getLength()});
      Lex.LexFromRawLexer(T);
      continue;
    }
    RawDirective D;
    D.Offset = OffsetOf(T);
    D.End = D.Offset + 1;
    unsigned RestBegin = D.End;
    for (Lex.LexFromRawLexer(T); T.isNot(tok::eof) && !T.isAtStartOfLine();
         Lex.LexFromRawLexer(T)) {
      unsigned Offset = OffsetOf(T);
      if (D.Name.empty() && T.is(tok::raw_identifier)) {
        D.Name = Text.substr(Offset, T.getLength());
        RestBegin = Offset + T.getLength();
      }
      D.End = Offset + T.getLength();
    }
    D.Rest = Text.slice(RestBegin, D.End).trim();
    Directives.push_back(D);
  }
}

unsigned SourceLines::lineStart(unsigned Offset) const {
  size_t Break = Text.take_front(Offset).rfind('\n');
  return Break == llvm::StringRef::npos ? 0 : Break + 1;
}

unsigned SourceLines::lineEnd(unsigned Offset) const {
  size_t Break = Text.find('\n', Offset);
  if (Break == llvm::StringRef::npos)
    return Text.size();
  return Break > Offset && Text[Break - 1] == '\r' ? Break - 1 : Break;
}

llvm::StringRef SourceLines::indentation(unsigned Offset) const {
  llvm::StringRef Line = Text.substr(lineStart(Offset));
  return Line.take_front(Line.find_first_not_of(Blanks));
}

std::string SourceLines::indentUnit() const {
  // The smallest step from one line to a deeper one. Lines inside comments
  // (" *") would give 1: two columns are the least that people use.
  constexpr size_t Least = 2, Most = 8;
  size_t Unit = 0, Previous = 0;
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  for (llvm::StringRef Line : Lines) {
    llvm::StringRef Code = Line.ltrim(" \t");
    if (Code.empty() || Code == "\r" || Code.starts_with("#") ||
        Code.starts_with("*"))
      continue;
    if (Line.starts_with("\t"))
      return "\t";
    size_t Columns = Line.size() - Code.size();
    size_t Step = Columns > Previous ? Columns - Previous : 0;
    if (Step >= Least && Step <= Most && (!Unit || Step < Unit))
      Unit = Step;
    Previous = Columns;
  }
  return std::string(Unit ? Unit : Least, ' ');
}

bool SourceLines::isFirstOnLine(unsigned Offset) const {
  return Text.slice(lineStart(Offset), Offset).trim(Blanks).empty();
}

bool SourceLines::isLastOnLine(unsigned Offset) const {
  llvm::StringRef Rest = Text.slice(Offset, lineEnd(Offset)).trim(Blanks);
  return Rest.empty() || (Rest.starts_with("//") && !Rest.ends_with("\\"));
}

unsigned SourceLines::lineNumber(unsigned Offset) const {
  return Text.take_front(Offset).count('\n') + 1;
}

std::optional<size_t> SourceLines::tokenBefore(unsigned Offset) const {
  auto It = llvm::partition_point(
      Tokens, [&](const RawToken &T) { return T.End <= Offset; });
  if (It == Tokens.begin())
    return std::nullopt;
  return It - Tokens.begin() - 1;
}

std::optional<size_t> SourceLines::tokenFrom(unsigned Offset) const {
  auto It = llvm::partition_point(
      Tokens, [&](const RawToken &T) { return T.Offset < Offset; });
  if (It == Tokens.end())
    return std::nullopt;
  return It - Tokens.begin();
}

std::optional<size_t> SourceLines::matchingOpen(size_t Close) const {
  unsigned Depth = 0;
  for (size_t I = Close + 1; I-- > 0;) {
    if (Tokens[I].Kind == tok::r_paren)
      ++Depth;
    else if (Tokens[I].Kind == tok::l_paren && --Depth == 0)
      return I;
  }
  return std::nullopt;
}

std::vector<const RawDirective *>
SourceLines::directivesIn(unsigned Begin, unsigned End) const {
  std::vector<const RawDirective *> Result;
  for (const RawDirective &D : Directives)
    if (D.Offset >= Begin && D.Offset < End)
      Result.push_back(&D);
  return Result;
}

} // namespace cudal1

//===- StatementPlace.cpp - Lines and braces around a statement -----------===//
//
// What surrounds a statement is read off the text, not off the AST: that needs
// no map of parents, sees directives and comments, and gives one answer for all
// instantiations of a template.
//
//===----------------------------------------------------------------------===//

#include "StatementPlace.h"
#include "SourceLines.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

/// The statement whose end is the end of \p S.
static const Stmt *lastPart(const Stmt *S) {
  while (true) {
    const Stmt *Next = nullptr;
    if (const auto *For = dyn_cast<ForStmt>(S))
      Next = For->getBody();
    else if (const auto *Range = dyn_cast<CXXForRangeStmt>(S))
      Next = Range->getBody();
    else if (const auto *While = dyn_cast<WhileStmt>(S))
      Next = While->getBody();
    else if (const auto *Switch = dyn_cast<SwitchStmt>(S))
      Next = Switch->getBody();
    else if (const auto *If = dyn_cast<IfStmt>(S))
      Next = If->getElse() ? If->getElse() : If->getThen();
    else if (const auto *Label = dyn_cast<LabelStmt>(S))
      Next = Label->getSubStmt();
    else if (const auto *Case = dyn_cast<SwitchCase>(S))
      Next = Case->getSubStmt();
    else if (const auto *Attributed = dyn_cast<AttributedStmt>(S))
      Next = Attributed->getSubStmt();
    if (!Next)
      return S;
    S = Next;
  }
}

static bool needsSemicolon(const Stmt *S) {
  const Stmt *Last = lastPart(S);
  return !isa<CompoundStmt, DeclStmt, NullStmt, CXXTryStmt>(Last);
}

static bool isLoopPragma(const RawDirective &D) {
  return D.Name == "pragma" &&
         (D.Rest.starts_with("unroll") || D.Rest.starts_with("nounroll") ||
          D.Rest.starts_with("clang loop") ||
          D.Rest.starts_with("GCC unroll") || D.Rest.starts_with("GCC ivdep"));
}

/// Every `#if` inside is closed inside and has no other branch open at its
/// level: lines before and after then belong to the same configurations.
static bool directivesBalanced(llvm::ArrayRef<const RawDirective *> List) {
  int Depth = 0;
  for (const RawDirective *D : List) {
    if (D->Name.starts_with("if"))
      ++Depth;
    else if (D->Name == "endif")
      --Depth;
    else if (D->Name.starts_with("el") && Depth == 0)
      return false;
    if (Depth < 0)
      return false;
  }
  return Depth == 0;
}

/// The token at \p From stands in parentheses that the innermost braces around
/// it do not enclose: in the head of a for loop, or in an argument list.
static bool isInParentheses(const SourceLines &L, size_t From) {
  int Braces = 0, Parens = 0;
  for (size_t I = From + 1; I-- > 0;) {
    switch (L.tokens()[I].Kind) {
    case tok::r_brace:
      ++Braces;
      break;
    case tok::l_brace:
      if (Braces-- == 0)
        return false;
      break;
    case tok::r_paren:
      ++Parens;
      break;
    case tok::l_paren:
      if (Parens-- == 0)
        return true;
      break;
    default:
      break;
    }
  }
  return false;
}

/// What kind of place the token \p Before leaves for a statement after it, and
/// the offset of what owns the statement.
template <typename Kind>
static std::optional<std::pair<Kind, unsigned>> placeAfter(const SourceLines &L,
                                                           size_t Before) {
  const RawToken &T = L.tokens()[Before];
  switch (T.Kind) {
  case tok::l_brace:
  case tok::r_brace:
  case tok::semi:
    return std::pair(Kind::InCompound, T.Offset);
  case tok::colon:
    return std::pair(Kind::AfterLabel, T.Offset);
  case tok::raw_identifier:
    if (L.spelling(T) == "else" || L.spelling(T) == "do")
      return std::pair(Kind::SoleChild, T.Offset);
    return std::nullopt;
  case tok::r_paren:
    break;
  default:
    return std::nullopt;
  }
  std::optional<size_t> Open = L.matchingOpen(Before);
  if (!Open || *Open == 0)
    return std::nullopt;
  const RawToken *Word = &L.tokens()[*Open - 1];
  if (L.spelling(*Word) == "constexpr" && *Open >= 2)
    Word = &L.tokens()[*Open - 2];
  bool Header = llvm::StringSwitch<bool>(L.spelling(*Word))
                    .Cases({"if", "for", "while"}, true)
                    .Default(false);
  if (!Header)
    return std::nullopt;
  return std::pair(Kind::SoleChild, Word->Offset);
}

/// Where lines before the statement go, given the directives between it and the
/// token before it; nothing when its pragma cannot be told apart from others.
static std::optional<unsigned>
headOf(unsigned Begin, llvm::ArrayRef<const RawDirective *> Between) {
  unsigned Head = Begin;
  bool OtherAfter = false;
  for (const RawDirective *D : llvm::reverse(Between)) {
    if (!isLoopPragma(*D)) {
      OtherAfter = true;
      continue;
    }
    if (OtherAfter) // #pragma unroll under an #if
      return std::nullopt;
    Head = D->Offset;
  }
  return Head;
}

std::optional<EditBuilder::StatementPlace>
EditBuilder::place(const Stmt *S, std::string &Obstacle) const {
  const SourceManager &SM = P.sources(Where);
  // An AttributedStmt of a pragma begins at the pragma.
  while (const auto *Attributed = dyn_cast<AttributedStmt>(S))
    S = Attributed->getSubStmt();
  for (SourceLocation Loc = S->getBeginLoc(); Loc.isMacroID();
       Loc = SM.getImmediateExpansionRange(Loc).getBegin()) {
    if (SM.isMacroArgExpansion(Loc)) {
      Obstacle = "it stands in a macro's arguments";
      return std::nullopt;
    }
  }
  std::optional<FileRange> R = fileRange(S->getSourceRange(), Obstacle);
  if (!R)
    return std::nullopt;

  const SourceLines &L = lines(R->Path);
  StatementPlace At;
  At.Path = R->Path;
  At.Begin = R->Begin;
  At.End = R->End;
  At.IsDeclaration = isa<DeclStmt>(S);
  if (needsSemicolon(S)) {
    std::optional<size_t> Next = L.tokenFrom(R->End);
    if (!Next || L.tokens()[*Next].Kind != tok::semi) {
      Obstacle = "no semicolon follows";
      return std::nullopt;
    }
    At.End = L.tokens()[*Next].End;
  }
  std::optional<size_t> Before = L.tokenBefore(R->Begin);
  auto Kind =
      Before ? placeAfter<StatementPlace::Kind>(L, *Before) : std::nullopt;
  if (!Kind || isInParentheses(L, *Before)) {
    Obstacle = "it is not a statement of its own";
    return std::nullopt;
  }
  std::tie(At.Where, At.Owner) = *Kind;
  At.PreviousEnd = L.tokens()[*Before].End;
  std::optional<unsigned> Head =
      headOf(At.Begin, L.directivesIn(At.PreviousEnd, At.Begin));
  if (!Head || !directivesBalanced(L.directivesIn(At.Begin, At.End))) {
    Obstacle = "preprocessor conditionals stand around or across it";
    return std::nullopt;
  }
  At.Head = *Head;
  return At;
}

bool EditBuilder::hasLoopPragma(const Stmt *S) const {
  std::string Obstacle;
  std::optional<FileRange> R = fileRange(S->getSourceRange(), Obstacle);
  if (!R)
    return false;
  const SourceLines &L = lines(R->Path);
  std::optional<size_t> Before = L.tokenBefore(R->Begin);
  return llvm::any_of(
      L.directivesIn(Before ? L.tokens()[*Before].End : 0, R->Begin),
      [](const RawDirective *D) { return isLoopPragma(*D); });
}

//===----------------------------------------------------------------------===//
// Changes of whole lines
//===----------------------------------------------------------------------===//

/// \p Lines, each with \p Indent before it, joined by the file's line breaks.
/// The first line gets no indentation, nor does an empty one.
std::string EditBuilder::indented(const SourceLines &L, llvm::StringRef Lines,
                                  llvm::StringRef Indent) const {
  llvm::SmallVector<llvm::StringRef> Parts;
  Lines.split(Parts, '\n');
  std::string Result;
  for (auto [I, Part] : llvm::enumerate(Parts)) {
    if (I)
      Result += L.newline();
    if (I && !Part.empty())
      Result += Indent;
    Result += Part;
  }
  return Result;
}

/// Lines that end in a line break are meant without it.
static llvm::StringRef trimmed(llvm::StringRef Lines) {
  Lines.consume_back("\n");
  return Lines;
}

void EditBuilder::addBefore(const StatementPlace &At, llvm::StringRef Lines,
                            llvm::StringRef Indent) {
  const SourceLines &L = lines(At.Path);
  std::string Body = indented(L, trimmed(Lines), Indent);
  if (L.isFirstOnLine(At.Head)) {
    unsigned Start = L.lineStart(At.Head);
    return add(At.Path,
               {Start, Start, false, (Indent + Body + L.newline()).str()});
  }
  // Other code stands before it on the line: break the line there.
  unsigned From = At.Head;
  while (From > At.PreviousEnd && llvm::is_contained(" \t", L.text()[From - 1]))
    --From;
  add(At.Path, {From, At.Head, false,
                (L.newline() + Indent + Body + L.newline() + Indent).str()});
}

void EditBuilder::addAfter(const StatementPlace &At, llvm::StringRef Lines,
                           llvm::StringRef Indent) {
  const SourceLines &L = lines(At.Path);
  std::string Body = indented(L, trimmed(Lines), Indent);
  if (L.isLastOnLine(At.End)) {
    unsigned End = L.lineEnd(At.End);
    return add(At.Path, {End, End, true, (L.newline() + Indent + Body).str()});
  }
  unsigned To = At.End;
  while (To < L.text().size() && llvm::is_contained(" \t", L.text()[To]))
    ++To;
  add(At.Path, {At.End, To, true,
                (L.newline() + Indent + Body + L.newline() + Indent).str()});
}

void EditBuilder::insertLinesBefore(const Stmt *S, llvm::StringRef Lines) {
  std::string Obstacle;
  std::optional<StatementPlace> At = place(S, Obstacle);
  if (!At)
    return refuse("cannot insert lines before the statement", S->getBeginLoc(),
                  Obstacle);
  if (At->Where != StatementPlace::InCompound &&
      !Lines.ltrim().starts_with("#pragma"))
    return refuse("cannot insert lines before the statement", S->getBeginLoc(),
                  "it needs braces first");
  addBefore(*At, Lines, lines(At->Path).indentation(At->Begin));
}

void EditBuilder::insertLinesAfter(const Stmt *S, llvm::StringRef Lines,
                                   const Stmt *Like) {
  std::string Obstacle;
  std::optional<StatementPlace> At = place(S, Obstacle);
  if (At && At->Where != StatementPlace::InCompound)
    Obstacle = "it needs braces first";
  std::optional<StatementPlace> Model =
      At && Like != S ? place(Like, Obstacle) : At;
  if (!Obstacle.empty())
    return refuse("cannot insert lines after the statement", S->getBeginLoc(),
                  Obstacle);
  addAfter(*At, Lines, lines(Model->Path).indentation(Model->Begin));
}

void EditBuilder::insertAround(const Stmt *S, llvm::StringRef Before,
                               llvm::StringRef After) {
  std::string Obstacle;
  std::optional<StatementPlace> At = place(S, Obstacle);
  if (At && At->Where == StatementPlace::AfterLabel && At->IsDeclaration)
    Obstacle = "a declaration after a label cannot be put in braces";
  if (!Obstacle.empty())
    return refuse("cannot insert lines around the statement", S->getBeginLoc(),
                  Obstacle);
  if (At->Where != StatementPlace::InCompound)
    return addBraced(*At, Before, After);
  llvm::StringRef Indent = lines(At->Path).indentation(At->Begin);
  if (!Before.empty())
    addBefore(*At, Before, Indent);
  if (!After.empty())
    addAfter(*At, After, Indent);
}

void EditBuilder::addBraced(const StatementPlace &At, llvm::StringRef Before,
                            llvm::StringRef After) {
  const SourceLines &L = lines(At.Path);
  std::string Outer = L.indentation(At.Owner).str();
  std::string Inner = L.isFirstOnLine(At.Begin) ? L.indentation(At.Begin).str()
                                                : Outer + L.indentUnit();
  add(At.Path, {At.PreviousEnd, At.PreviousEnd, true, " {"});
  if (!Before.empty()) {
    addBefore(At, Before, Inner);
  } else if (!L.isFirstOnLine(At.Head)) {
    add(At.Path, {At.Head, At.Head, false, (L.newline() + Inner).str()});
  }
  std::string Tail = Outer + "}";
  if (!After.empty())
    Tail =
        Inner + indented(L, trimmed(After), Inner) + L.newline().str() + Tail;
  // `} else` stays on one line when the author has it so: only the closing
  // brace follows then, and what comes after it is left where it is.
  if (L.isLastOnLine(At.End)) {
    unsigned End = L.lineEnd(At.End);
    return add(At.Path, {End, End, true, (L.newline() + Tail).str()});
  }
  add(At.Path, {At.End, At.End, true, (L.newline() + Tail).str()});
}

void EditBuilder::removeStatement(const Stmt *S) {
  std::string Obstacle;
  std::optional<StatementPlace> At = place(S, Obstacle);
  if (At && !lines(At->Path).directivesIn(At->Head, At->End).empty())
    Obstacle = "a preprocessor directive stands inside";
  if (!Obstacle.empty())
    return refuse("cannot remove the statement", S->getBeginLoc(), Obstacle);
  if (At->Where != StatementPlace::InCompound)
    return add(At->Path, {At->Begin, At->End, false, ";"});
  const SourceLines &L = lines(At->Path);
  unsigned Begin = At->Begin, End = At->End;
  bool WholeLine = L.isFirstOnLine(Begin) &&
                   L.text().slice(End, L.lineEnd(End)).trim().empty();
  if (WholeLine) {
    Begin = L.lineStart(Begin);
    End = L.lineEnd(End);
    if (L.text().substr(End).starts_with(L.newline()))
      End += L.newline().size();
  }
  add(At->Path, {Begin, End, false, ""});
}

} // namespace cudal1

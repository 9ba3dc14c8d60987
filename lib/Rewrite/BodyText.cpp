//===- BodyText.cpp - The text of a kernel's body, to be moved ------------===//

#include "BodyText.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

BodyText::BodyText(const Kernel &K, EditBuilder &Texts)
    : SM(K.Context->getSourceManager()), Texts(Texts) {
  SourceRange Body = K.Pattern->getBody()->getSourceRange();
  Unit = Texts.indentUnit(Body.getBegin());
  llvm::StringRef Braced = Texts.text(Body);
  if (Body.getBegin().isMacroID() || Braced.size() < 2) {
    Texts.fail("the kernel's body is made by a macro");
    return;
  }
  Text = Braced.drop_front().drop_back().str();
  Start = SM.getFileOffset(Body.getBegin()) + 1;
  // Lines that are one only for the compiler cannot be moved.
  if (Text.find("\\\n") != std::string::npos ||
      Text.find("\\\r") != std::string::npos ||
      Text.find("R\"") != std::string::npos)
    Texts.fail("a line of the kernel's body goes on in the next one");
}

std::optional<std::pair<unsigned, unsigned>>
BodyText::placeOf(SourceRange Range) const {
  llvm::StringRef Found = Texts.text(Range);
  if (!Texts.canEdit(Range) || Found.empty()) {
    Texts.fail("a place in the kernel cannot be edited");
    return std::nullopt;
  }
  unsigned Begin = SM.getFileOffset(SM.getFileLoc(Range.getBegin()));
  if (Begin < Start || Begin + Found.size() > Start + Text.size()) {
    Texts.fail("a place does not lie in the kernel");
    return std::nullopt;
  }
  Begin -= Start;
  return std::pair(Begin, unsigned(Begin + Found.size()));
}

std::string BodyText::indentationAt(unsigned At) const {
  size_t Line = llvm::StringRef(Text).rfind('\n', At);
  Line = Line == llvm::StringRef::npos ? 0 : Line + 1;
  llvm::StringRef Rest = llvm::StringRef(Text).substr(Line, At - Line);
  return Rest.substr(0, Rest.find_first_not_of(" \t")).str();
}

static std::string indented(llvm::StringRef Lines, const std::string &Indent) {
  std::string Result;
  for (char C : Lines) {
    Result += C;
    if (C == '\n')
      Result += Indent;
  }
  return Result;
}

void BodyText::add(Change C) {
  llvm::erase_if(Changes, [&](const Change &Inner) {
    return Inner.Begin >= C.Begin && Inner.End <= C.End;
  });
  Changes.push_back(std::move(C));
}

void BodyText::replace(SourceRange Range, llvm::StringRef New) {
  if (auto Place = placeOf(Range))
    add({Place->first, Place->second,
         indented(New, indentationAt(Place->first))});
}

/// The last token of \p Parent before its sole child \p S.
static SourceLocation endOfHead(const Stmt *Parent, const Stmt *S) {
  if (const auto *If = dyn_cast<IfStmt>(Parent))
    return S == If->getElse() ? If->getElseLoc() : If->getRParenLoc();
  if (const auto *For = dyn_cast<ForStmt>(Parent))
    return For->getRParenLoc();
  if (const auto *While = dyn_cast<WhileStmt>(Parent))
    return While->getRParenLoc();
  return SourceLocation();
}

void BodyText::replaceStatement(const Stmt *Parent, const Stmt *S,
                                llvm::StringRef New) {
  auto Place = placeOf(S->getSourceRange());
  if (!Place || isa<CompoundStmt>(Parent) || !New.contains('\n'))
    return replace(S->getSourceRange(), New);
  // The head of the parent ends where nothing but blanks follows.
  llvm::StringRef Before =
      llvm::StringRef(Text).take_front(Place->first).rtrim();
  size_t Semicolon = Text.find_first_not_of(" \t", Place->second);
  auto Head = placeOf(SourceRange(endOfHead(Parent, S)));
  if (!Head || Head->second != Before.size() ||
      Semicolon == std::string::npos || Text[Semicolon] != ';')
    return Texts.fail("a statement cannot be put in braces");
  std::string Outer = indentationAt(unsigned(Before.size()) - 1);
  add({unsigned(Before.size()), unsigned(Semicolon) + 1,
       " {\n" + Outer + Unit + indented(New, Outer + Unit) + ";\n" + Outer +
           "}"});
}

/// Past the semicolon of a statement whose last token ends at \p End.
std::optional<unsigned> BodyText::endOf(unsigned End) const {
  if (Text[End - 1] == '}' || Text[End - 1] == ';')
    return End;
  size_t Next = Text.find_first_not_of(" \t", End);
  if (Next != std::string::npos && Text[Next] == ';')
    return unsigned(Next) + 1;
  Texts.fail("the end of a statement is not seen");
  return std::nullopt;
}

void BodyText::openBlock(const Stmt *S, llvm::StringRef Head,
                         llvm::StringRef First) {
  auto Place = placeOf(S->getSourceRange());
  auto End = Place ? endOf(Place->second) : std::nullopt;
  if (!End)
    return;
  std::string Indent = indentationAt(Place->first);
  std::string New = indented(Head, Indent) + " {" + Level;
  if (!First.empty())
    New += "\n" + Indent + First.str();
  add({Place->first, *End, New});
}

void BodyText::continueAtReturns(const StatementTree &Tree,
                                 const Stmt *Except) {
  std::vector<const Stmt *> Returns;
  findIn(Tree.body(), [&](const Stmt *S) {
    if (isa<ReturnStmt>(S) && !(Except && Tree.contains(Except, S)))
      Returns.push_back(S);
    return false;
  });
  for (const Stmt *Return : Returns) {
    const Stmt *Around = Tree.parent(Return);
    while (Around != Tree.body() &&
           isa_and_nonnull<CompoundStmt, IfStmt>(Around))
      Around = Tree.parent(Around);
    if (Around != Tree.body())
      return Texts.fail("a return leaves a loop");
    replace(Return->getSourceRange(), "continue");
  }
}

void BodyText::remove(const Stmt *S) {
  auto Place = placeOf(S->getSourceRange());
  auto End = Place ? endOf(Place->second) : std::nullopt;
  if (!End)
    return;
  size_t Line = Text.find_first_not_of(" \t\r", *End);
  size_t Begin = Text.find_last_not_of(" \t", Place->first - 1);
  bool Alone = Line != std::string::npos && Text[Line] == '\n' &&
               Begin != std::string::npos && Text[Begin] == '\n';
  add({Alone ? unsigned(Begin) : Place->first, Alone ? unsigned(Line) : *End,
       ""});
}

/// The text with all changes.
std::string BodyText::changed() const {
  std::vector<Change> Sorted = Changes;
  llvm::sort(Sorted, [](const Change &X, const Change &Y) {
    return std::pair(X.Begin, X.End) < std::pair(Y.Begin, Y.End);
  });
  std::string All;
  unsigned At = 0;
  for (const Change &C : Sorted) {
    if (C.Begin < At) {
      Texts.fail("two changes of one rewrite overlap");
      break;
    }
    All += Text.substr(At, C.Begin - At) + C.Text;
    At = C.End;
  }
  All += Text.substr(At);
  llvm::erase(All, '\r');
  return All;
}

std::string BodyText::changedText(SourceRange Range) const {
  auto Place = placeOf(Range);
  if (!Place)
    return "";
  std::vector<Change> Sorted;
  for (const Change &C : Changes)
    if (C.Begin >= Place->first && C.End <= Place->second)
      Sorted.push_back(C);
  llvm::sort(Sorted, [](const Change &X, const Change &Y) {
    return X.Begin < Y.Begin;
  });
  std::string Result;
  unsigned At = Place->first;
  for (const Change &C : Sorted) {
    Result += Text.substr(At, C.Begin - At) + C.Text;
    At = C.End;
  }
  Result += Text.substr(At, Place->second - At);
  return Result;
}

static std::string levels(const std::string &Unit, size_t Count) {
  std::string Result;
  for (; Count; --Count)
    Result += Unit;
  return Result;
}

std::string BodyText::lines() const {
  std::string All = changed();
  llvm::SmallVector<llvm::StringRef> Parts;
  llvm::StringRef(All).rtrim().split(Parts, '\n');
  // What stands behind the brace gets a line of its own, or is nothing.
  Parts.front() = Parts.front().trim();
  bool Behind = !Parts.front().empty();
  if (!Behind)
    Parts.erase(Parts.begin());
  // Directives and comments may stand further to the left.
  size_t Common = 0;
  for (llvm::StringRef Part : llvm::drop_begin(Parts, Behind ? 1 : 0))
    if (!Part.trim().empty() && !Part.ltrim().starts_with("#")) {
      Common = Part.find_first_not_of(" \t");
      break;
    }
  std::string Result;
  size_t Depth = 0;
  for (auto [I, Part] : llvm::enumerate(Parts)) {
    size_t Blanks = Part.size() - Part.ltrim(" \t").size();
    std::string Line = Part.drop_front(std::min(Common, Blanks)).str();
    size_t Opens = llvm::count(Line, Level);
    llvm::erase(Line, Level);
    Result += I ? "\n" : "";
    if (Part.starts_with("#"))
      Result += Line;
    else if (!llvm::StringRef(Line).trim().empty())
      Result += levels(Unit, Depth) + Line;
    Depth += Opens;
  }
  while (Depth > 0)
    Result += "\n" + levels(Unit, --Depth) + "}";
  return Result;
}

} // namespace cudal1

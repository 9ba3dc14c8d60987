//===- EditBuilder.cpp - Safe construction of an Edit ---------------------===//

#include "cudal1/Rewrite/EditBuilder.h"
#include "SourceLines.h"
#include "StatementPlace.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

EditBuilder::EditBuilder(const Program &P, Side S) : P(P), Where(S) {}
EditBuilder::~EditBuilder() = default;

const SourceLines &EditBuilder::lines(const std::string &Path) const {
  std::unique_ptr<SourceLines> &Entry = Files[Path];
  if (!Entry)
    Entry = std::make_unique<SourceLines>(P.textOf(Path));
  return *Entry;
}

//===----------------------------------------------------------------------===//
// What may be edited
//===----------------------------------------------------------------------===//

/// The contiguous text behind \p Range: macro arguments map to where they are
/// written, a range that is a whole macro expansion to the macro's use.
std::optional<EditBuilder::FileRange>
EditBuilder::fileRange(SourceRange Range, std::string &Obstacle) const {
  const SourceManager &SM = P.sources(Where);
  if (Range.isInvalid()) {
    Obstacle = "it has no place in the source";
    return std::nullopt;
  }
  CharSourceRange Chars =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), SM,
                               P.context(Where).getLangOpts());
  if (Chars.isInvalid()) {
    Obstacle = "it is made by a macro";
    return std::nullopt;
  }
  auto [Id, Begin] = SM.getDecomposedLoc(Chars.getBegin());
  FileRange Result;
  Result.Path = P.pathOf(Where, Id);
  Result.Begin = Begin;
  Result.End = SM.getFileOffset(Chars.getEnd());
  if (!P.isEditable(Where, Id) || SM.isInSystemHeader(Chars.getBegin())) {
    Obstacle = "it stands in a file that is not the project's own";
    return std::nullopt;
  }
  if (Result.End > P.textOf(Result.Path).size()) {
    Obstacle = "its place does not fit the file's text";
    return std::nullopt;
  }
  return Result;
}

std::optional<EditBuilder::FileRange>
EditBuilder::editableRange(SourceRange Range, std::string &Obstacle) const {
  std::optional<FileRange> R = fileRange(Range, Obstacle);
  if (!R)
    return std::nullopt;
  if (!lines(R->Path).directivesIn(R->Begin, R->End).empty()) {
    Obstacle = "a preprocessor directive stands inside";
    return std::nullopt;
  }
  return R;
}

bool EditBuilder::canEdit(SourceRange Range) const {
  std::string Obstacle;
  return editableRange(Range, Obstacle).has_value();
}

bool EditBuilder::canInsertAround(const Stmt *S) const {
  std::string Obstacle;
  return place(S, Obstacle).has_value();
}

llvm::StringRef EditBuilder::text(SourceRange Range) const {
  if (Range.isInvalid())
    return {};
  return Lexer::getSourceText(CharSourceRange::getTokenRange(Range),
                              P.sources(Where), P.context(Where).getLangOpts());
}

//===----------------------------------------------------------------------===//
// Changes of tokens
//===----------------------------------------------------------------------===//

void EditBuilder::replace(SourceRange Range, llvm::StringRef Text) {
  std::string Obstacle;
  std::optional<FileRange> R = editableRange(Range, Obstacle);
  if (!R)
    return refuse("cannot replace the code", Range.getBegin(), Obstacle);
  add(R->Path, {R->Begin, R->End, false,
                indented(lines(R->Path), Text, llvm::StringRef())});
}

void EditBuilder::removeDefinition(SourceRange Range) {
  std::string Obstacle;
  std::optional<FileRange> R = editableRange(Range, Obstacle);
  if (!R)
    return refuse("cannot remove the definition", Range.getBegin(), Obstacle);
  const SourceLines &L = lines(R->Path);
  unsigned End = R->End;
  if (L.isFirstOnLine(R->Begin))
    while (End < L.text().size() &&
           L.text().slice(End, L.lineEnd(End)).trim().empty())
      End = std::min<size_t>(L.lineEnd(End) + L.newline().size(),
                             L.text().size());
  add(R->Path, {R->Begin, End, false, ""});
}

void EditBuilder::replaceBody(const CompoundStmt *Body, llvm::StringRef Lines,
                              bool DropsBranches) {
  std::string Obstacle;
  SourceRange Range(Body->getLBracLoc(), Body->getRBracLoc());
  std::optional<FileRange> R = fileRange(Range, Obstacle);
  if (R && Range.getBegin().isMacroID())
    Obstacle = "it is made by a macro";
  if (R && !DropsBranches)
    for (const RawDirective *D : lines(R->Path).directivesIn(R->Begin, R->End))
      if (D->Name != "pragma")
        Obstacle = "a preprocessor directive stands inside";
  if (!R || !Obstacle.empty())
    return refuse("cannot replace the body", Range.getBegin(), Obstacle);
  const SourceLines &L = lines(R->Path);
  llvm::StringRef Indent = L.indentation(R->End - 1);
  add(R->Path,
      {R->Begin, R->End, false,
       "{" + L.newline().str() + Indent.str() + indented(L, Lines, Indent) +
           L.newline().str() + Indent.str() + "}"});
}

std::string EditBuilder::indentUnit(SourceLocation Loc) const {
  const SourceManager &SM = P.sources(Where);
  return lines(P.pathOf(Where, SM.getFileID(SM.getFileLoc(Loc)))).indentUnit();
}

/// Where the token at \p Loc begins in a file, seen through macro arguments and
/// through being the first token of an expansion.
static SourceLocation fileLocOfBegin(SourceLocation Loc,
                                     const SourceManager &SM,
                                     const LangOptions &Options) {
  while (Loc.isMacroID()) {
    SourceLocation Begin;
    if (SM.isMacroArgExpansion(Loc))
      Loc = SM.getImmediateSpellingLoc(Loc);
    else if (Lexer::isAtStartOfMacroExpansion(Loc, SM, Options, &Begin))
      Loc = Begin;
    else
      return SourceLocation();
  }
  return Loc;
}

std::optional<EditBuilder::FileRange>
EditBuilder::insertionPoint(SourceLocation Loc, std::string &Obstacle) const {
  const LangOptions &Options = P.context(Where).getLangOpts();
  SourceLocation Begin = fileLocOfBegin(Loc, P.sources(Where), Options);
  if (Begin.isValid())
    return editableRange({Begin, Begin}, Obstacle);
  Obstacle = "it is made by a macro";
  return std::nullopt;
}

bool EditBuilder::canInsertBefore(SourceLocation Loc) const {
  std::string Obstacle;
  return insertionPoint(Loc, Obstacle).has_value();
}

void EditBuilder::insertBefore(SourceLocation Loc, llvm::StringRef Text) {
  std::string Obstacle;
  std::optional<FileRange> R = insertionPoint(Loc, Obstacle);
  if (!R)
    return refuse("cannot insert before the code", Loc, Obstacle);
  add(R->Path, {R->Begin, R->Begin, false,
                indented(lines(R->Path), Text, llvm::StringRef())});
}

void EditBuilder::insertAfterToken(SourceLocation Loc, llvm::StringRef Text) {
  std::string Obstacle;
  std::optional<FileRange> R = editableRange({Loc, Loc}, Obstacle);
  if (!R)
    return refuse("cannot insert after the code", Loc, Obstacle);
  add(R->Path, {R->End, R->End, true,
                indented(lines(R->Path), Text, llvm::StringRef())});
}

void EditBuilder::add(const std::string &Path, Change C) {
  // One text may stand behind several nodes (a macro argument that is used
  // twice): the same change again is no second change.
  auto Same = [&](const Change &Other) {
    return C.Begin != C.End && Other.Begin == C.Begin && Other.End == C.End &&
           Other.Text == C.Text;
  };
  std::vector<Change> &List = Changes[Path];
  if (llvm::any_of(List, Same))
    return;
  C.Number = List.size();
  List.push_back(std::move(C));
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

void EditBuilder::fail(const llvm::Twine &Reason) {
  if (Failed)
    return;
  Failed = true;
  Why = Reason.str();
}

void EditBuilder::refuse(llvm::StringRef What, SourceLocation At,
                         llvm::StringRef Obstacle) {
  std::string Position;
  if (At.isValid()) {
    PresumedLoc Line = P.sources(Where).getPresumedLoc(
        P.sources(Where).getFileLoc(At), /*UseLineDirectives=*/false);
    if (Line.isValid())
      Position =
          llvm::formatv(" at {0}:{1}", Line.getFilename(), Line.getLine());
  }
  fail(What + llvm::Twine(Position) + ": " + Obstacle);
}

llvm::Expected<Edit> EditBuilder::finish() {
  Edit Result;
  Result.Launch = Launch;
  for (auto &[Path, List] : Changes) {
    llvm::sort(List, [](const Change &A, const Change &B) {
      bool AInserts = A.Begin == A.End, BInserts = B.Begin == B.End;
      return std::tuple(A.Begin, !AInserts, !A.FollowsToken, A.Number) <
             std::tuple(B.Begin, !BInserts, !B.FollowsToken, B.Number);
    });
    // Changes that touch become one, so that their order is fixed here.
    std::vector<Change> Merged;
    for (Change &C : List) {
      if (Merged.empty() || Merged.back().End < C.Begin) {
        Merged.push_back(std::move(C));
        continue;
      }
      if (C.Begin < Merged.back().End) {
        fail("two changes of one rewrite overlap at " + Path + ":" +
             llvm::Twine(lines(Path).lineNumber(C.Begin)));
        break;
      }
      Merged.back().End = C.End;
      Merged.back().Text += C.Text;
    }
    for (const Change &C : Merged) {
      llvm::Error Clash = Result.Files[Path].add(
          tooling::Replacement(Path, C.Begin, C.End - C.Begin, C.Text));
      if (Clash)
        fail(llvm::toString(std::move(Clash)));
    }
  }
  if (Failed)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), Why);
  return Result;
}

} // namespace cudal1

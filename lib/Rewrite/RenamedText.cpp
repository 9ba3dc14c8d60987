//===- RenamedText.cpp - A kernel's text under other names ----------------===//

#include "RenamedText.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace cudal1 {

RenamedText::RenamedText(const Kernel &K, const NewNames &Names)
    : K(K), SM(K.Context->getSourceManager()),
      File(SM.getFileID(SM.getFileLoc(K.Function->getBody()->getBeginLoc()))),
      Buffer(SM.getBufferData(File)) {
  class Finder : public RecursiveASTVisitor<Finder> {
  public:
    Finder(RenamedText &Text, const NewNames &Names)
        : Text(Text), Names(Names) {}
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      if (const auto *V = dyn_cast<VarDecl>(E->getDecl()))
        see(V, E->getLocation());
      return true;
    }
    bool VisitVarDecl(VarDecl *V) {
      see(V, V->getLocation());
      return true;
    }
    void see(const VarDecl *V, SourceLocation Loc) {
      auto It = Names.find(V);
      if (It != Names.end() && V->getName() != It->second)
        Text.rename(Loc, V->getName(), It->second);
    }
    RenamedText &Text;
    const NewNames &Names;
  } Search(*this, Names);
  Search.TraverseStmt(K.Function->getBody());
}

unsigned RenamedText::offsetOf(SourceLocation Loc) {
  if (Loc.isMacroID())
    Loc = SM.isMacroArgExpansion(Loc) ? SM.getSpellingLoc(Loc)
                                      : SM.getExpansionLoc(Loc);
  if (Loc.isMacroID() || SM.getFileID(Loc) != File) {
    fail("part of the kernel stands in another file");
    return 0;
  }
  return SM.getFileOffset(Loc);
}

void RenamedText::rename(SourceLocation Loc, llvm::StringRef Old,
                         llvm::StringRef New) {
  unsigned At = offsetOf(Loc);
  if (!Buffer.substr(At).starts_with(Old))
    return fail("a macro names " + Old);
  Changes[At] = {unsigned(At + Old.size()), New.str()};
}

void RenamedText::replace(SourceRange Range, llvm::StringRef Text) {
  CharSourceRange Whole = SM.getExpansionRange(Range);
  SourceLocation Behind = Lexer::getLocForEndOfToken(Whole.getEnd(), 0, SM,
                                                     K.Context->getLangOpts());
  if (Range.getBegin().isMacroID() || Range.getEnd().isMacroID() ||
      Behind.isInvalid())
    return fail("part of the kernel is made by a macro");
  unsigned Begin = offsetOf(Whole.getBegin()), End = offsetOf(Behind);
  Changes.erase(Changes.lower_bound(Begin), Changes.lower_bound(End));
  Changes[Begin] = {End, Text.str()};
}

void RenamedText::remove(const Stmt *S) {
  unsigned Begin = beginOf(S), End = endOf(S);
  size_t Line = Buffer.find_first_not_of(" \t\r", End);
  size_t Before = Buffer.find_last_not_of(" \t", Begin ? Begin - 1 : 0);
  if (Line != llvm::StringRef::npos && Buffer[Line] == '\n' &&
      Before != llvm::StringRef::npos && Buffer[Before] == '\n') {
    Begin = Before;
    End = Line;
  }
  Changes.erase(Changes.lower_bound(Begin), Changes.lower_bound(End));
  Changes[Begin] = {End, ""};
}

unsigned RenamedText::beginOf(const Stmt *S) {
  return offsetOf(SM.getExpansionRange(S->getSourceRange()).getBegin());
}

unsigned RenamedText::endOf(const Stmt *S) {
  SourceLocation Behind = Lexer::getLocForEndOfToken(
      SM.getExpansionRange(S->getSourceRange()).getEnd(), 0, SM,
      K.Context->getLangOpts());
  unsigned End = offsetOf(Behind);
  if (End && (Buffer[End - 1] == '}' || Buffer[End - 1] == ';'))
    return End;
  size_t Next = Buffer.find_first_not_of(" \t\r\n", End);
  return Next != llvm::StringRef::npos && Buffer[Next] == ';'
             ? unsigned(Next) + 1
             : End;
}

std::string RenamedText::changed(unsigned Begin, unsigned End) const {
  std::string Result;
  unsigned At = Begin;
  for (auto It = Changes.lower_bound(Begin);
       It != Changes.end() && It->second.End <= End; ++It) {
    Result += Buffer.slice(At, It->first);
    Result += It->second.Text;
    At = It->second.End;
  }
  Result += Buffer.slice(At, End);
  llvm::erase(Result, '\r');
  return Result;
}

std::string RenamedText::between(unsigned Begin, unsigned End) {
  // A comment behind the last statement belongs to it.
  llvm::StringRef Rest = Buffer.substr(End);
  if (Rest.ltrim(" \t").starts_with("//"))
    End += Rest.find_first_of("\r\n");
  std::string Text = changed(Begin, End);
  llvm::StringRef All = Text;
  size_t First = All.find_first_not_of(" \t\r\n");
  if (First == llvm::StringRef::npos)
    return "";
  size_t Break = All.take_front(First).rfind('\n');
  llvm::StringRef Indent;
  if (Break != llvm::StringRef::npos) {
    Indent = All.slice(Break + 1, First);
  } else {
    size_t Line = Buffer.take_front(Begin).rfind('\n');
    Line = Line == llvm::StringRef::npos ? 0 : Line + 1;
    Indent = Buffer.substr(Line);
    Indent = Indent.take_front(Indent.find_first_not_of(" \t"));
  }
  llvm::SmallVector<llvm::StringRef> Parts;
  All.drop_front(First).rtrim().split(Parts, '\n');
  std::string Result;
  for (llvm::StringRef Part : Parts) {
    if (!Result.empty())
      Result += '\n';
    Part.consume_front(Indent);
    Result += Part.rtrim();
  }
  return Result;
}

std::string RenamedText::of(const Expr *E) {
  CharSourceRange Whole = SM.getExpansionRange(E->getSourceRange());
  SourceLocation Behind = Lexer::getLocForEndOfToken(Whole.getEnd(), 0, SM,
                                                     K.Context->getLangOpts());
  std::string Text = changed(offsetOf(Whole.getBegin()), offsetOf(Behind));
  if (Text.find("//") != std::string::npos)
    fail("a comment stands in a condition");
  // Lines that were broken join with one blank.
  llvm::SmallVector<llvm::StringRef> Parts;
  llvm::StringRef(Text).split(Parts, '\n');
  std::string Result;
  for (llvm::StringRef Part : Parts)
    Result += (Result.empty() ? "" : " ") + Part.trim().str();
  return Result;
}

} // namespace cudal1

//===- ScopedText.cpp - The author's statements in new scopes -------------===//

#include "ScopedText.h"

#include "cudal1/Analysis/BuiltinVariables.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

void Lines::add(const llvm::Twine &Line) {
  std::string Content = Line.str();
  if (!Content.empty())
    for (unsigned I = 0; I < Level; ++I)
      Text += Unit;
  Text += Content;
  Text += '\n';
}

void Lines::addBlock(llvm::StringRef Block, llvm::StringRef Indent) {
  llvm::SmallVector<llvm::StringRef> Parts;
  Block.split(Parts, '\n');
  for (llvm::StringRef Part : Parts) {
    Part = Part.rtrim();
    if (&Part != &Parts.front())
      Part.consume_front(Indent);
    add(Part);
  }
}

std::string Lines::take() {
  llvm::StringRef Result = Text;
  return Result.rtrim('\n').str();
}

namespace {

/// Which variable each declaration statement declares.
class DeclarationFinder : public RecursiveASTVisitor<DeclarationFinder> {
public:
  explicit DeclarationFinder(
      llvm::DenseMap<const VarDecl *, const DeclStmt *> &Out)
      : Out(Out) {}
  bool VisitDeclStmt(DeclStmt *S) {
    for (const Decl *D : S->decls())
      if (const auto *V = dyn_cast<VarDecl>(D))
        Out[V] = S;
    return true;
  }
  llvm::DenseMap<const VarDecl *, const DeclStmt *> &Out;
};

/// The parentheses around each expression.
class ParenFinder : public RecursiveASTVisitor<ParenFinder> {
public:
  explicit ParenFinder(llvm::DenseMap<const Expr *, const ParenExpr *> &Out)
      : Out(Out) {}
  bool VisitParenExpr(ParenExpr *E) {
    Out[E->getSubExpr()] = E;
    return true;
  }
  llvm::DenseMap<const Expr *, const ParenExpr *> &Out;
};

/// Variables that statements mention, and thread indices.
class Mentions : public RecursiveASTVisitor<Mentions> {
public:
  explicit Mentions(Statements Except) : Except(std::move(Except)) {}
  bool TraverseStmt(Stmt *S) {
    if (!S || llvm::is_contained(Except, S))
      return true;
    if (const auto *E = dyn_cast<Expr>(S))
      if (auto Builtin = asBuiltinVariable(E)) {
        Raw |= Builtin->Axis < 2;
        return true;
      }
    return RecursiveASTVisitor::TraverseStmt(S);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *V = dyn_cast<VarDecl>(E->getDecl()))
      Variables.insert(V);
    return true;
  }
  const Statements Except;
  llvm::SmallPtrSet<const VarDecl *, 8> Variables;
  bool Raw = false;
};

} // namespace

ScopedText::ScopedText(const Kernel &K, const ProgramAnalysis &A,
                       ScopedVariables Given)
    : K(K), Variables(std::move(Given)), Texts(A.program(), Side::Device),
      SM(K.Context->getSourceManager()) {
  Unit = Texts.indentUnit(K.Pattern->getBody()->getBeginLoc());
  DeclarationFinder(Statement).TraverseStmt(K.Function->getBody());
  ParenFinder(Parens).TraverseStmt(K.Function->getBody());
  Known = Variables.Declarations;
  for (const Stmt *S : Variables.Body)
    if (const auto *Decls = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Decls->decls())
        Known.push_back(cast<VarDecl>(D));
}

bool ScopedText::isCoordinate(const VarDecl *V,
                              const ContractionCoordinate &C) const {
  return llvm::is_contained(C.Variables, V);
}

bool ScopedText::isCoordinate(const VarDecl *V) const {
  return llvm::any_of(
      Variables.Coordinates,
      [&](const ContractionCoordinate &C) { return isCoordinate(V, C); });
}

bool ScopedText::isTemporary(const VarDecl *V) const {
  return !llvm::is_contained(Variables.Declarations, V);
}

std::vector<const VarDecl *> ScopedText::needs(const Statements &S,
                                               const Statements &Except) const {
  Mentions Found(Except);
  for (const Stmt *Part : S)
    Found.TraverseStmt(const_cast<Stmt *>(Part));
  std::vector<const VarDecl *> Result;
  for (const VarDecl *V : llvm::reverse(Known)) {
    if (!Found.Variables.contains(V))
      continue;
    Result.insert(Result.begin(), V);
    // What a coordinate is computed from is not needed: it gets a new value.
    if (V->getInit() && !isCoordinate(V))
      Found.TraverseStmt(const_cast<Expr *>(V->getInit()));
  }
  return Result;
}

bool ScopedText::dependsOn(const Statements &S, const ContractionCoordinate &C,
                           const Statements &Except) const {
  return llvm::any_of(needs(S, Except),
                      [&](const VarDecl *V) { return isCoordinate(V, C); });
}

bool ScopedText::isUniform(const VarDecl *V) const {
  if (isTemporary(V) || isCoordinate(V) || !V->getInit())
    return false;
  return llvm::none_of(Variables.Coordinates,
                       [&](const ContractionCoordinate &C) {
                         return dependsOn({V->getInit()}, C);
                       });
}

bool ScopedText::usesRawIndices(const Statements &S) const {
  Mentions Found{Statements()};
  for (const Stmt *Part : S)
    Found.TraverseStmt(const_cast<Stmt *>(Part));
  for (const VarDecl *V : needs(S)) {
    if (isCoordinate(V))
      continue;
    // The value of a variable that nothing initialises means nothing.
    if (!V->getInit() || declaration(V).empty())
      return true;
    Found.TraverseStmt(const_cast<Expr *>(V->getInit()));
  }
  return Found.Raw;
}

std::string ScopedText::typeOf(const VarDecl *V) const {
  PrintingPolicy Policy(K.Context->getLangOpts());
  Policy.SuppressTagKeyword = true;
  QualType Type = V->getType().getUnqualifiedType();
  if (Type->isPointerType())
    return Type.getAsString(Policy);
  return spellElementType(V, Type, *K.Context);
}

std::string ScopedText::declare(const VarDecl *V, bool Const) const {
  return (Const ? "const " : "") + typeOf(V) + " " + V->getNameAsString() +
         " = ";
}

std::string ScopedText::declaration(const VarDecl *V) const {
  const DeclStmt *S = Statement.lookup(V);
  if (!S || !V->getInit())
    return "";
  if (S->isSingleDecl())
    return patched(S, {});
  std::string Init = text(V->getInit());
  if (Init.empty() || V->getType()->isPointerType())
    return "";
  return declare(V, V->getType().isConstQualified()) + Init + ";";
}

CharSourceRange ScopedText::fileRange(SourceRange Range) const {
  return Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), SM,
                                  K.Context->getLangOpts());
}

SourceRange ScopedText::written(const Stmt *S) const {
  const auto *E = dyn_cast<Expr>(S);
  while (E && fileRange(E->getSourceRange()).isInvalid() && Parens.contains(E))
    E = Parens.lookup(E);
  return E ? E->getSourceRange() : S->getSourceRange();
}

std::string ScopedText::patched(CharSourceRange Whole,
                                const std::vector<Patch> &Patches) const {
  if (Whole.isInvalid())
    return "";
  std::string Result =
      Lexer::getSourceText(Whole, SM, K.Context->getLangOpts()).str();
  auto Begin = SM.getDecomposedLoc(Whole.getBegin());
  struct Place {
    unsigned Begin, End;
    const std::string *Text;
  };
  std::vector<Place> Places;
  for (const Patch &P : Patches) {
    CharSourceRange Part = fileRange(P.Range);
    if (Part.isInvalid())
      return "";
    auto From = SM.getDecomposedLoc(Part.getBegin());
    unsigned Length = SM.getFileOffset(Part.getEnd()) - From.second;
    if (From.first != Begin.first || From.second < Begin.second ||
        From.second + Length > Begin.second + Result.size())
      continue; // stands elsewhere
    unsigned Offset = From.second - Begin.second;
    Places.push_back({Offset, Offset + Length, &P.Text});
  }
  llvm::sort(Places,
             [](const Place &L, const Place &R) { return L.Begin > R.Begin; });
  const Place *Last = nullptr;
  for (const Place &P : Places) {
    // A macro may use its argument, which is written once, several times.
    if (Last && P.Begin == Last->Begin && P.End == Last->End &&
        *P.Text == *Last->Text)
      continue;
    if (Last && P.End > Last->Begin)
      return "";
    Result.replace(P.Begin, P.End - P.Begin, *P.Text);
    Last = &P;
  }
  return Result;
}

std::string ScopedText::patched(const Stmt *S,
                                const std::vector<Patch> &Patches) const {
  return patched(fileRange(written(S)), Patches);
}

/// Past the last token of \p S and its semicolon.
SourceLocation ScopedText::endOf(const Stmt *S) const {
  CharSourceRange Range = fileRange(S->getSourceRange());
  if (Range.isInvalid())
    return SourceLocation();
  SourceLocation End = Range.getEnd();
  auto Next = Lexer::findNextToken(End.getLocWithOffset(-1), SM,
                                   K.Context->getLangOpts());
  return Next && Next->is(tok::semi) ? Next->getEndLoc() : End;
}

std::string ScopedText::statement(const Stmt *S,
                                  const std::vector<Patch> &Patches) const {
  SourceLocation Begin = fileRange(S->getSourceRange()).getBegin();
  SourceLocation End = endOf(S);
  if (Begin.isInvalid() || End.isInvalid())
    return "";
  llvm::StringRef Rest =
      SM.getBufferData(SM.getFileID(End)).substr(SM.getFileOffset(End));
  llvm::StringRef Line = Rest.take_until([](char C) { return C == '\n'; });
  bool Comments = Line.ltrim(" \t").starts_with("//");
  std::string Text =
      patched(CharSourceRange::getCharRange(Begin, End), Patches);
  return Text.empty() || !Comments ? Text : Text + Line.rtrim().str();
}

std::vector<std::string> ScopedText::comments(const Stmt *S) const {
  std::vector<std::string> Result;
  SourceLocation Begin = SM.getFileLoc(S->getBeginLoc());
  llvm::StringRef Before =
      SM.getBufferData(SM.getFileID(Begin)).take_front(SM.getFileOffset(Begin));
  Before = Before.rtrim(" \t");
  while (Before.consume_back("\n")) {
    llvm::StringRef Line = Before.substr(Before.rfind('\n') + 1);
    if (!Line.trim().starts_with("//"))
      break;
    Result.insert(Result.begin(), Line.trim().str());
    Before = Before.drop_back(Line.size());
  }
  return Result;
}

std::string ScopedText::following(const Stmt *Loop, const Stmt *Last,
                                  const std::vector<Patch> &Patches) const {
  SourceLocation Begin = endOf(Loop), End = endOf(Last);
  if (Begin.isInvalid() || End.isInvalid())
    return "";
  llvm::StringRef Text = SM.getBufferData(SM.getFileID(Begin));
  unsigned Offset = SM.getFileOffset(Begin);
  // A comment on the loop's last line belongs to the loop.
  llvm::StringRef Line = Text.substr(Offset, Text.find('\n', Offset) - Offset);
  size_t Skipped = 0;
  if (Line.ltrim().starts_with("//"))
    Skipped = Line.size();
  llvm::StringRef Rest = Text.substr(Offset + Skipped);
  Skipped += Rest.size() - Rest.ltrim().size();
  return patched(
      CharSourceRange::getCharRange(Begin.getLocWithOffset(int(Skipped)), End),
      Patches);
}

std::string ScopedText::compared(const Expr *E) const {
  const Expr *Plain = E->IgnoreImpCasts();
  std::string Result = text(E);
  const auto *Binary = dyn_cast<BinaryOperator>(Plain);
  bool Binds = Binary ? Binary->isAdditiveOp() || Binary->isMultiplicativeOp()
                      : !isa<AbstractConditionalOperator>(Plain);
  return Binds ? Result : "(" + Result + ")";
}

std::string allOf(std::initializer_list<std::string> Conditions) {
  std::string Result;
  for (const std::string &C : Conditions)
    if (!C.empty())
      Result += (Result.empty() ? "" : " && ") + C;
  return Result;
}

std::string ScopedText::guard(const ContractionCoordinate &C, int64_t Tile,
                              int64_t Ahead) const {
  std::string Result;
  for (const CoordinateGuard &G : C.Guards) {
    if (!G.Bound && G.BoundForm.constant().value_or(1) % Tile == 0)
      continue; // no tile reaches beyond it
    std::string Bound = G.Bound ? compared(G.Bound) : G.BoundText;
    Result = allOf({Result, G.Variable->getNameAsString() +
                                (Ahead ? " + " + std::to_string(Ahead) : "") +
                                (G.Op == BO_LT ? " < " : " <= ") + Bound});
  }
  return Result;
}

std::string ScopedText::indentation(const Stmt *S) const {
  return indentationOf(S, *K.Context);
}

} // namespace cudal1

//===- StatementTree.cpp - Where statements of a kernel stand -------------===//

#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace cudal1 {

StatementTree::StatementTree(const Kernel &K)
    : Body(K.Function->getBody()), Parents(const_cast<Stmt *>(Body)) {}

const Stmt *StatementTree::parentOfValue(const Stmt *S) const {
  const Stmt *P = parent(S);
  while (P && isa<ParenExpr, FullExpr>(P))
    P = parent(P);
  return P;
}

bool StatementTree::contains(const Stmt *Outer, const Stmt *Inner) const {
  for (const Stmt *S = Inner; S; S = parent(S))
    if (S == Outer)
      return true;
  return false;
}

const Stmt *StatementTree::withAttributes(const Stmt *S) const {
  while (const auto *A = dyn_cast_or_null<AttributedStmt>(parent(S)))
    S = A;
  return S;
}

const CompoundStmt *StatementTree::block(const Stmt *S) const {
  return dyn_cast_or_null<CompoundStmt>(parent(withAttributes(S)));
}

std::vector<const Stmt *> StatementTree::before(const Stmt *S) const {
  std::vector<const Stmt *> Result;
  const CompoundStmt *Block = block(S);
  if (!Block || isa_and_nonnull<SwitchStmt>(parent(Block)))
    return Result;
  const Stmt *Own = withAttributes(S);
  for (const Stmt *Child : Block->body()) {
    if (Child == Own)
      break;
    Result.insert(Result.begin(), Child);
  }
  return Result;
}

bool StatementTree::canDeclareBefore(const Stmt *S) const {
  const CompoundStmt *Block = block(S);
  return !(Block && isa_and_nonnull<SwitchStmt>(parent(Block))) &&
         !findIn(Body, [&](const Stmt *Child) {
           return isa<LabelStmt>(Child) || isBuriedCase(Child);
         });
}

/// A case that stands deeper than in the block of its switch: what comes before
/// it there may not have been executed, whatever the statements around it say.
bool StatementTree::isBuriedCase(const Stmt *S) const {
  if (!isa<SwitchCase>(S))
    return false;
  const Stmt *Around = parent(S);
  while (isa_and_nonnull<SwitchCase>(Around))
    Around = parent(Around);
  return !isa_and_nonnull<SwitchStmt>(Around) &&
         !(isa_and_nonnull<CompoundStmt>(Around) &&
           isa_and_nonnull<SwitchStmt>(parent(Around)));
}

namespace {

/// Where a child stands in the parent, as far as execution goes.
enum class Place { Always, LoopBody, Sometimes };

Place placeIn(const Stmt *Parent, const Stmt *Child) {
  if (const auto *If = dyn_cast<IfStmt>(Parent))
    return Child == If->getThen() || Child == If->getElse() ? Place::Sometimes
                                                            : Place::Always;
  if (const auto *For = dyn_cast<ForStmt>(Parent)) {
    if (Child == For->getBody())
      return Place::LoopBody;
    return Child == For->getInc() ? Place::Sometimes : Place::Always;
  }
  if (const auto *While = dyn_cast<WhileStmt>(Parent))
    return Child == While->getBody() ? Place::LoopBody : Place::Always;
  if (const auto *Do = dyn_cast<DoStmt>(Parent))
    return Child == Do->getBody() ? Place::LoopBody : Place::Sometimes;
  if (const auto *Conditional = dyn_cast<AbstractConditionalOperator>(Parent))
    return Child == Conditional->getTrueExpr() ||
                   Child == Conditional->getFalseExpr()
               ? Place::Sometimes
               : Place::Always;
  if (const auto *Binary = dyn_cast<BinaryOperator>(Parent))
    return Binary->isLogicalOp() && Child == Binary->getRHS() ? Place::Sometimes
                                                              : Place::Always;
  if (isa<CompoundStmt, DeclStmt, ReturnStmt, AttributedStmt>(Parent))
    return Place::Always;
  if (isa<LambdaExpr, StmtExpr, UnaryExprOrTypeTraitExpr, CXXNoexceptExpr,
          CXXTypeidExpr>(Parent))
    return Place::Sometimes;
  return isa<Expr>(Parent) ? Place::Always : Place::Sometimes;
}

} // namespace

bool StatementTree::alwaysRunsIn(
    const Stmt *S, const Stmt *Scope,
    llvm::function_ref<bool(const Stmt *)> RunsOnce) const {
  for (const Stmt *Child = S; Child != Scope;) {
    const Stmt *Parent = parent(Child);
    if (!Parent)
      return false;
    switch (placeIn(Parent, Child)) {
    case Place::Sometimes:
      return false;
    case Place::LoopBody:
      if (Parent != Scope && !RunsOnce(Parent))
        return false;
      break;
    case Place::Always:
      break;
    }
    if (const auto *Block = dyn_cast<CompoundStmt>(Parent))
      for (const Stmt *Sibling : Block->body()) {
        if (Sibling == Child)
          break;
        if (hasJump(Sibling))
          return false;
      }
    Child = Parent;
  }
  return true;
}

const Stmt *findIn(const Stmt *S,
                   llvm::function_ref<bool(const Stmt *)> Predicate) {
  if (!S)
    return nullptr;
  if (Predicate(S))
    return S;
  // The semantic form of a property (`threadIdx.x`) repeats the syntactic one.
  if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(S))
    return findIn(Pseudo->getSyntacticForm(), Predicate);
  if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
    if (const Stmt *Found = findIn(Lambda->getBody(), Predicate))
      return Found;
  for (const Stmt *Child : S->children())
    if (const Stmt *Found = findIn(Child, Predicate))
      return Found;
  return nullptr;
}

unsigned mentionsIn(const Stmt *S, const ValueDecl *V) {
  unsigned Count = 0;
  findIn(S, [&](const Stmt *Inner) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Inner);
    Count += Ref && Ref->getDecl() == V;
    return false;
  });
  return Count;
}

namespace {

const VarDecl *variableOf(const Expr *E) {
  E = E->IgnoreParenCasts();
  // `v.x = 1` and `v[2] = 1` change the variable v.
  while (true) {
    if (const auto *Member = dyn_cast<MemberExpr>(E);
        Member && !Member->isArrow())
      E = Member->getBase()->IgnoreParenCasts();
    else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E);
             Subscript && Subscript->getBase()
                              ->IgnoreParenImpCasts()
                              ->getType()
                              ->isArrayType())
      E = Subscript->getBase()->IgnoreParenCasts();
    else
      break;
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

bool isValueRead(const Stmt *Parent) {
  const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent);
  return Cast && (Cast->getCastKind() == CK_LValueToRValue ||
                  Cast->getCastKind() == CK_ArrayToPointerDecay);
}

/// Adds every variable that is named other than for its value: assigned,
/// incremented, bound to a reference or with its address taken.
void collectChanged(const Stmt *S, const Stmt *Parent, VariableSet &Out) {
  if (!S)
    return;
  // A read of a built-in such as `threadIdx.x`.
  if (isa<PseudoObjectExpr>(S))
    return;
  if (const auto *Decls = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Decls->decls())
      if (const auto *Variable = dyn_cast<VarDecl>(D))
        Out.insert(Variable);
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(S)) {
    const CXXMethodDecl *Method = Call->getMethodDecl();
    if (!Method || !Method->isConst())
      if (const VarDecl *Variable =
              variableOf(Call->getImplicitObjectArgument()))
        Out.insert(Variable);
  }
  if (const auto *E = dyn_cast<Expr>(S); E && E->isLValue())
    if (!isValueRead(Parent) && !isa<ParenExpr>(Parent ? Parent : S) &&
        !isa_and_nonnull<MemberExpr, ArraySubscriptExpr>(Parent))
      if (const VarDecl *Variable = variableOf(E))
        Out.insert(Variable);
  if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
    collectChanged(Lambda->getBody(), S, Out);
  for (const Stmt *Child : S->children())
    collectChanged(Child, S, Out);
}

} // namespace

VariableSet variablesChangedIn(const Stmt *S) {
  VariableSet Result;
  collectChanged(S, nullptr, Result);
  return Result;
}

VariableSet variablesReadIn(const Stmt *S) {
  VariableSet Result;
  findIn(S, [&](const Stmt *Child) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Child))
      if (const auto *Variable = dyn_cast<VarDecl>(Ref->getDecl()))
        Result.insert(Variable);
    return false;
  });
  return Result;
}

bool hasJump(const Stmt *S) {
  return findIn(S, [](const Stmt *Child) {
    return isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, IndirectGotoStmt,
               LabelStmt>(Child);
  });
}

bool mayLeaveFunctionOrJump(const Stmt *S) {
  return findIn(S, [](const Stmt *Child) {
    return isa<ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt>(Child);
  });
}

bool spansDirective(const ASTContext &Context, SourceRange Range) {
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Begin = SM.getExpansionLoc(Range.getBegin());
  SourceLocation End = SM.getExpansionRange(Range.getEnd()).getEnd();
  auto [File, Offset] = SM.getDecomposedLoc(Begin);
  auto [EndFile, EndOffset] = SM.getDecomposedLoc(End);
  if (File != EndFile || EndOffset < Offset)
    return true;
  llvm::StringRef Text = SM.getBufferData(File);
  Lexer Raw(SM.getLocForStartOfFile(File), Context.getLangOpts(), Text.begin(),
            Text.begin() + Offset, Text.end());
  Token Current;
  bool AtLineStart = false;
  while (true) {
    bool AtEnd = Raw.LexFromRawLexer(Current);
    if (SM.getFileOffset(Current.getLocation()) > EndOffset || AtEnd)
      return false;
    AtLineStart = Current.isAtStartOfLine();
    if (!AtLineStart || Current.isNot(tok::hash))
      continue;
    Raw.LexFromRawLexer(Current);
    if (Current.is(tok::raw_identifier) &&
        Current.getRawIdentifier() == "pragma")
      continue;
    return true;
  }
}

} // namespace cudal1

//===- CoarsenedKernel.cpp - Threads that make several elements -----------===//

#include "CoarsenedKernel.h"

#include "BuiltinUses.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// The statement of \p E that declares \p V.
static const DeclStmt *declarationOf(const ElementKernel &E, const VarDecl *V) {
  for (const Stmt *S : E.Statements)
    if (const auto *Decls = dyn_cast<DeclStmt>(S))
      if (llvm::is_contained(Decls->decls(), V))
        return Decls;
  return nullptr;
}

CoarsenedKernel::CoarsenedKernel(const Kernel &K, const ProgramAnalysis &A,
                                 ElementKernel Elements, unsigned Axis,
                                 const BlockExtents &Extents)
    : K(K), E(std::move(Elements)), Tree(K), Axis(Axis),
      IsBlock(Axis > 0 && Extents[Axis] == 1) {
  Number = E.along(Axis).Variables.front();
  Declared = declarationOf(E, Number);
  EditBuilder Texts(A.program(), Side::Device);
  Unit = Texts.indentUnit(K.Pattern->getBody()->getBeginLoc());
  Item = freshName(K.Function, "item");
  if (!Declared || Tree.parent(Declared) != Tree.body())
    no("the number of a thread is declared in an inner block");
  else if (Axis < 2 && E.Along[Axis].Threads)
    no("the kernel cuts its blocks into rows");
  else if (usesItsNumberOnly(Texts))
    startsAfresh();
}

/// \p Use stands in the value of the coordinate, or in that of a variable that
/// serves nothing else.
bool CoarsenedKernel::servesNumber(const Expr *Use) const {
  if (Tree.contains(Number->getInit(), Use))
    return true;
  for (const VarDecl *V : E.Declarations) {
    if (!V->getInit() || !Tree.contains(V->getInit(), Use))
      continue;
    return !findIn(Tree.body(), [&](const Stmt *S) {
      const auto *Ref = dyn_cast<DeclRefExpr>(S);
      return Ref && Ref->getDecl() == V &&
             !Tree.contains(Number->getInit(), Ref);
    });
  }
  return false;
}

/// Along the axis, thread and block serve the coordinate alone.
bool CoarsenedKernel::usesItsNumberOnly(const EditBuilder &Texts) {
  auto Uses = builtinUses(K, Texts, Obstacle);
  if (!Uses)
    return false;
  for (const BuiltinUse &Use : *Uses) {
    if (Use.Axis != Axis || Use.Kind == SymbolKind::BlockDim)
      continue;
    if (Use.Kind == SymbolKind::GridDim || !servesNumber(Use.Expression))
      return no("the number of a thread or block is used by itself");
    if (Use.Kind == SymbolKind::BlockIdx) {
      if (Block || !Tree.contains(Number->getInit(), Use.Expression))
        return no("the number of a block is used by itself");
      Block = Use.Expression;
    }
  }
  return Block || no("the number of a block is not used");
}

/// No iteration sees what the one before has left in a variable.
bool CoarsenedKernel::startsAfresh() {
  Assignments Changes = Assignments::of(K.Function->getBody());
  for (const Stmt *S : E.Statements) {
    if (S == Declared)
      return true;
    const auto *Decls = dyn_cast<DeclStmt>(S);
    if (!Decls)
      return no("work is done before the number of a thread is known");
    for (const Decl *D : Decls->decls())
      if (Changes.isAssigned(cast<VarDecl>(D)))
        return no("a variable goes from one element to the next");
  }
  return no("the number of a thread is not declared");
}

/// `if (i < n)` or `if (i >= n) return;` right behind the number, and no other
/// condition.
bool CoarsenedKernel::isGridStride() const {
  if (Axis != 0 || !Declared->isSingleDecl() || E.Conditions.size() != 1 ||
      E.Along[0].Guards.size() != 1 || E.Along[0].Guards[0].Op != BO_LT ||
      !E.Along[0].Guards[0].Bound || E.Along[0].Guards[0].Variable != Number ||
      strideText().empty())
    return false;
  const auto *Body = cast<CompoundStmt>(Tree.body());
  const auto *At = llvm::find(Body->body(), Declared);
  return At != Body->body_end() && std::next(At) != Body->body_end() &&
         *std::next(At) == E.Conditions.front();
}

/// `blockDim.x * gridDim.x`
std::string CoarsenedKernel::strideText() const {
  const Stmt *Around = Tree.parent(Block);
  while (isa_and_nonnull<Expr>(Around) && !isa<BinaryOperator>(Around))
    Around = Tree.parent(Around);
  const auto *Product = dyn_cast_or_null<BinaryOperator>(Around);
  if (!Product || Product->getOpcode() != BO_Mul)
    return "";
  const Expr *Threads = Tree.contains(Product->getLHS(), Block)
                            ? Product->getRHS()
                            : Product->getLHS();
  std::string Text = spellOperand(Threads->IgnoreParenImpCasts(), *K.Context);
  return Text.empty() ? "" : Text + " * gridDim.x";
}

/// `for (int i = ...; i < n; i += blockDim.x * gridDim.x)`
std::string CoarsenedKernel::head() const {
  std::string Name = Number->getNameAsString();
  const Expr *Bound = E.Along[0].Guards[0].Bound;
  std::string Init = spell(Number->getInit(), *K.Context);
  std::string Limit = spellOperand(Bound->IgnoreParenImpCasts(), *K.Context);
  if (isa<BinaryOperator>(Bound->IgnoreParenImpCasts()))
    Limit = spell(Bound->IgnoreParenImpCasts(), *K.Context);
  std::string Type = spellElementType(
      Number, Number->getType().getUnqualifiedType(), *K.Context);
  if (Init.empty() || Limit.empty())
    return "";
  return "for (" + Type + " " + Name + " = " + Init + "; " + Name + " < " +
         Limit + "; " + Name + " += " + strideText() + ")";
}

/// `int i = ...; if (i < n)` becomes the head of a loop, where nothing follows.
bool CoarsenedKernel::writeAroundGuard(EditBuilder &Builder) const {
  const IfStmt *If = E.Conditions.front();
  const auto *Body = cast<CompoundStmt>(Tree.body());
  if (isa<ReturnStmt>(If->getThen()) || Body->body_back() != If || E.Returns)
    return false;
  SourceRange Both(Declared->getBeginLoc(), If->getRParenLoc());
  llvm::StringRef Text = Builder.text(Both);
  if (Text.contains("//") || Text.contains("/*"))
    return false;
  if (const auto *Block = dyn_cast<CompoundStmt>(If->getThen());
      Block && Block->size() == 1 && isa<ReturnStmt>(Block->body_front()))
    return false;
  Builder.replace(Both, head());
  return true;
}

/// The declaration with the number of one of a thread's elements.
std::string CoarsenedKernel::declaration(EditBuilder &Builder,
                                         int64_t Items) const {
  const SourceManager &SM = K.Context->getSourceManager();
  SourceRange Whole = Declared->getSourceRange();
  std::string Text = Builder.text(Whole).str();
  const Expr *Part = Axis == 0 ? Block : Number->getInit();
  std::string Old = Builder.text(Part->getSourceRange()).str();
  if (Text.empty() || Old.empty()) {
    Builder.fail("the number of a thread is made by a macro");
    return "";
  }
  std::string Count = std::to_string(Items);
  // Fewer registers than with a thread's number that is always 0.
  std::string Times = "(" + Old + ") * ";
  if (IsBlock)
    Times = std::string("blockIdx.") + "xyz"[Axis] + " * ";
  std::string New = Axis == 0 ? "(" + Old + " * " + Count + " + " + Item + ")"
                              : Times + Count + " + " + Item;
  size_t At = SM.getFileOffset(SM.getFileLoc(Part->getBeginLoc())) -
              SM.getFileOffset(SM.getFileLoc(Whole.getBegin()));
  Text.replace(At, Old.size(), New);
  return Text;
}

void CoarsenedKernel::write(EditBuilder &Builder, int64_t Items) const {
  bool Strides = isGridStride();
  if (Strides && head().empty())
    return Builder.fail("a bound is made by a macro");
  if (Strides && writeAroundGuard(Builder))
    return;
  BodyText Body(K, Builder);
  if (Builder.failed())
    return;
  const IfStmt *Guard = Strides ? E.Conditions.front() : nullptr;
  bool Leaves = Guard && !findIn(Guard->getThen(), [](const Stmt *S) {
                  return !isa<ReturnStmt, CompoundStmt>(S);
                });
  Body.continueAtReturns(Tree, Leaves ? Guard : nullptr);
  if (Leaves) {
    Body.openBlock(Declared, head());
    Body.remove(Guard);
  } else {
    std::string Pragma = Axis != 0 ? "#pragma unroll\n" : "";
    Body.openBlock(Declared,
                   Pragma + "for (int " + Item + " = 0; " + Item + " < " +
                       std::to_string(Items) + "; ++" + Item + ")",
                   declaration(Builder, Items));
  }
  std::string Lines;
  llvm::SmallVector<llvm::StringRef> Parts;
  std::string Text = Body.lines();
  llvm::StringRef(Text).split(Parts, '\n');
  for (llvm::StringRef Part : Parts)
    Lines += (Part.empty() ? "" : Unit + Part.str()) + "\n";
  Builder.replaceBody(cast<CompoundStmt>(K.Pattern->getBody()),
                      llvm::StringRef(Lines).rtrim('\n'));
}

} // namespace cudal1

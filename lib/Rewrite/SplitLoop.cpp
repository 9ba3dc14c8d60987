//===- SplitLoop.cpp - Several warps for one loop -------------------------===//

#include "SplitLoop.h"

#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

static bool isPlainReturn(const Stmt *S) {
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return Block->size() == 1 && isPlainReturn(*Block->body_begin());
  return isa<ReturnStmt>(S);
}

/// `<` for `>=` and so on: the condition under which a guard lets threads pass.
static std::string passes(const IfStmt &Guard, bool Leaves,
                          const EditBuilder &Texts) {
  const auto *Cond =
      cast<BinaryOperator>(Guard.getCond()->IgnoreParenImpCasts());
  BinaryOperatorKind Kind =
      Leaves ? BinaryOperator::negateComparisonOp(Cond->getOpcode())
             : Cond->getOpcode();
  return (Texts.text(Cond->getLHS()->getSourceRange()) + " " +
          BinaryOperator::getOpcodeStr(Kind) + " " +
          Texts.text(Cond->getRHS()->getSourceRange()))
      .str();
}

/// One comparison, written in the kernel itself.
bool SplitLoop::isGuard(const IfStmt *If, bool ThenLeaves) {
  const auto *Cond =
      dyn_cast<BinaryOperator>(If->getCond()->IgnoreParenImpCasts());
  if (!Cond || !Cond->isRelationalOp() || If->getElse() || If->getInit() ||
      If->getConditionVariable() || If->isConstexpr() ||
      Cond->getBeginLoc().isMacroID() || Cond->getEndLoc().isMacroID() ||
      Cond->HasSideEffects(*K.Context))
    return no("the guard of the columns is no plain comparison");
  Guard = If;
  Leaves = ThenLeaves;
  return true;
}

/// The guard is all there is in the body but declarations, or it returns.
bool SplitLoop::findGuard() {
  const CompoundStmt *Block = Tree.block(loop().For);
  if (!Block)
    return no("the loop stands in no block");
  if (Block != Tree.body()) {
    const auto *If = dyn_cast_or_null<IfStmt>(Tree.parent(Block));
    if (!If || If->getThen() != Block || Tree.block(If) != Tree.body() ||
        cast<CompoundStmt>(Tree.body())->body_back() != If)
      return no("more than the guard of the columns stands around the loop");
    return isGuard(If, /*ThenLeaves=*/false);
  }
  const IfStmt *Found = nullptr;
  for (const Stmt *S : cast<CompoundStmt>(Tree.body())->body())
    if (mayLeaveFunctionOrJump(S)) {
      const auto *If = dyn_cast<IfStmt>(S);
      if (Found || !If || !isPlainReturn(If->getThen()))
        return no("threads leave the kernel in several places");
      Found = If;
    }
  if (!Found || !llvm::is_contained(Tree.before(loop().For), Found))
    return no("the guard of the columns does not stand before the loop");
  return isGuard(Found, /*ThenLeaves=*/true);
}

/// Declares a variable that the loop reduces into, or sets such an element.
bool SplitLoop::isFirstValue(const Stmt *S) const {
  if (llvm::any_of(Rows.Elements,
                   [&](const RowElement &E) { return E.First == S; }))
    return true;
  const auto *Decls = dyn_cast<DeclStmt>(S);
  return Decls && Decls->isSingleDecl() &&
         llvm::any_of(loop().Reductions, [&](const Reduction &R) {
           return R.Variable && R.Variable == Decls->getSingleDecl();
         });
}

bool SplitLoop::beginsWithConstant(const Reduction &R) const {
  const RowElement *Element = Names.elementOf(R);
  const Expr *Value = Element      ? Element->First->getRHS()
                      : R.Variable ? R.Variable->getInit()
                                   : nullptr;
  if (!R.isIdempotent())
    return Names.isNeutral(R, Value);
  Expr::EvalResult Result;
  return Value && !Value->isValueDependent() &&
         Value->EvaluateAsRValue(Result, *K.Context) && !Result.HasSideEffects;
}

/// What is computed before the loop may be computed by threads that have no
/// column, and what the loop reduces into begins with a constant.
bool SplitLoop::startsAnew() {
  std::vector<const Stmt *> Before = Tree.before(loop().For);
  if (!Leaves)
    llvm::append_range(Before, Tree.before(Guard));
  for (const Stmt *S : Before) {
    if (S == Guard || S == Rows.Declaration || isFirstValue(S))
      continue;
    bool Guarded = !Leaves && llvm::is_contained(Tree.before(loop().For), S);
    if (!isa<DeclStmt>(S) || Guarded ||
        llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
          return Tree.contains(S, Access.Expression);
        }))
      return no("more is done before the loop than to set first values");
  }
  for (const Reduction &R : loop().Reductions)
    if (!beginsWithConstant(R) ||
        (R.Variable && llvm::none_of(Before, [&](const Stmt *S) {
           const auto *Decls = dyn_cast<DeclStmt>(S);
           return Decls && Decls->isSingleDecl() &&
                  Decls->getSingleDecl() == R.Variable;
         })))
      return no("a value does not begin with a constant");
  return true;
}

bool SplitLoop::find() {
  if (!Rows.Row || Rows.Loops.size() != 1 || loop().Reductions.empty())
    return no("there is not one loop with a reduction");
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.writes() && Access.Space != MemorySpace::Local &&
        Tree.contains(loop().For, Access.Expression) &&
        llvm::none_of(loop().Reductions, [&](const Reduction &R) {
          return llvm::is_contained(R.Element, &Access);
        }))
      return no("the loop stores more than what it reduces");
  return findGuard() && startsAnew();
}

std::optional<SplitLoop> SplitLoop::of(const Kernel &K,
                                       const StatementTree &Tree,
                                       const RowKernel &Rows,
                                       std::string &Obstacle) {
  SplitLoop Result(K, Tree, Rows);
  if (Result.find())
    return Result;
  Obstacle = Result.Obstacle;
  return std::nullopt;
}

void SplitLoop::head(EditBuilder &Builder, int64_t Parts) {
  std::string Count = std::to_string(Parts);
  std::string Text =
      "// The " + Count + " warps of a block share the loop of 32 columns.\n";
  for (const Reduction &R : loop().Reductions) {
    Partial.push_back(Names.fresh("partial"));
    Text += "__shared__ " + Names.typeOf(R) + " " + Partial.back() + "[" +
            Count + "][32];\n";
  }
  Text += "const int " + Lane + " = threadIdx.x % 32, " + Part +
          " = threadIdx.x / 32;";
  Builder.insertLinesBefore(Rows.Declaration, Text);
  Builder.replace(Rows.Row->getInit()->getSourceRange(),
                  "blockIdx.x * 32 + " + Lane);
}

/// First values are needed by threads without a column too.
void SplitLoop::hoistFirstValues(EditBuilder &Builder) const {
  std::vector<const Stmt *> Before = Tree.before(loop().For);
  for (const Stmt *S : llvm::reverse(Before)) {
    std::string Text;
    if (isa<DeclStmt>(S))
      Text = Builder.text(S->getSourceRange()).str();
    for (size_t I = 0; I < Rows.Elements.size(); ++I)
      if (Rows.Elements[I].First == S)
        Text = Names.elementType(I) + " " + Names.elementName(I) + " = " +
               Builder.text(Rows.Elements[I].First->getRHS()->getSourceRange())
                   .str() +
               ";";
    if (Text.empty())
      return Builder.fail("a first value is set by a macro");
    Builder.insertLinesBefore(Guard, Text);
    Builder.removeStatement(S);
  }
}

/// What every warp does behind the loop.
std::string SplitLoop::exchange() const {
  std::string Text;
  const std::vector<Reduction> &All = loop().Reductions;
  for (size_t I = 0; I < All.size(); ++I)
    Text += Partial[I] + "[" + Part + "][" + Lane +
            "] = " + Names.nameOf(All[I]) + ";\n";
  return Text + "__syncthreads();\n";
}

/// What the first warp does with the results, each line at \p Indent.
std::string SplitLoop::combination(int64_t Parts,
                                   const std::string &Indent) const {
  const std::vector<Reduction> &All = loop().Reductions;
  bool Several = All.size() > 1;
  std::string Text = Indent + "for (int " + Other + " = 1; " + Other + " < " +
                     std::to_string(Parts) + "; ++" + Other + ")" +
                     (Several ? " {\n" : "\n");
  for (size_t I = 0; I < All.size(); ++I)
    Text += Indent + Unit +
            Names.textOf(All[I]).combine(Names.nameOf(All[I]),
                                         Partial[I] + "[" + Other + "][" +
                                             Lane + "]") +
            "\n";
  if (Several)
    Text += Indent + "}\n";
  for (size_t I = 0; I < Rows.Elements.size(); ++I)
    if (Tree.withAttributes(Rows.Elements[I].Last) ==
        Tree.withAttributes(loop().For))
      Text += Indent + Names.storeOf(I) + "\n";
  return Text;
}

void SplitLoop::write(EditBuilder &Builder, int64_t Parts) {
  Unit = Builder.indentUnit(K.Pattern->getBody()->getBeginLoc());
  Lane = Names.fresh("lane");
  Part = Names.fresh("part");
  Other = Names.fresh("other");
  Names.nameElements();
  head(Builder, Parts);
  std::string Passes = passes(*Guard, Leaves, Builder);
  const RowLoop &L = loop();
  Builder.replace(L.Start->getSourceRange(), Names.startOf(L, Part, Builder));
  Builder.replace(L.Step->getSourceRange(), L.L->Variable->getNameAsString() +
                                                " += " + std::to_string(Parts));
  std::string Behind;
  if (Leaves) {
    Behind = exchange() + "if (" + Part + " > 0 || " +
             Builder.text(Guard->getCond()->getSourceRange()).str() + ")\n" +
             Unit + "return;\n" + combination(Parts, "");
    Builder.insertBefore(L.For->getCond()->getBeginLoc(), Passes + " && ");
    Builder.removeStatement(Guard);
    for (size_t I = 0; I < Rows.Elements.size(); ++I)
      Names.declareInPlace(Builder, I);
  } else {
    Behind = "}\n" + exchange() + "if (" + Part + " == 0 && " + Passes +
             ") {\n" + combination(Parts, Unit);
    hoistFirstValues(Builder);
    for (size_t I = 0; I < Rows.Elements.size(); ++I)
      Names.nameUses(Builder, I);
  }
  Builder.insertLinesAfter(
      Tree.withAttributes(L.For), llvm::StringRef(Behind).rtrim('\n'),
      Leaves ? Tree.withAttributes(L.For) : static_cast<const Stmt *>(Guard));
  for (size_t I = 0; I < Rows.Elements.size(); ++I)
    if (const Stmt *Last = Rows.Elements[I].Last;
        Tree.withAttributes(Last) != Tree.withAttributes(L.For))
      Builder.insertLinesAfter(Last, Names.storeOf(I));
}

} // namespace cudal1

//===- RowKernelEdits.cpp - Several threads for each row ------------------===//

#include "RowKernelEdits.h"

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

RowKernelEdits::RowKernelEdits(const Kernel &K, const StatementTree &Tree,
                               const RowKernel &Rows, int64_t Threads)
    : K(K), Tree(Tree), Rows(Rows), Threads(Threads), Names(K, Rows) {
  Lane = Names.fresh(isWarp() ? "lane" : "thread");
  Offset = Names.fresh("offset");
  if (!isWarp())
    Warp = Names.fresh("warp");
  Names.nameElements();
  if (!isWarp())
    chooseSlots();
}

/// Reductions of one loop need slots of their own; loops share them.
void RowKernelEdits::chooseSlots() {
  for (const RowLoop &L : Rows.Loops) {
    std::vector<const Slot *> Used;
    for (const Reduction &R : L.Reductions) {
      std::string Type = Names.typeOf(R);
      auto Count = llvm::count_if(L.Reductions, [&](const Reduction &Other) {
        return Names.typeOf(Other) == Type;
      });
      while (llvm::count_if(
                 Slots, [&](const Slot &S) { return S.Type == Type; }) < Count)
        Slots.push_back({Type, Names.fresh("partial")});
    }
  }
}

std::vector<RowKernelEdits::Written>
RowKernelEdits::writtenOf(const RowLoop &L) const {
  std::vector<Written> Result;
  std::vector<std::string> Used;
  for (const Reduction &R : L.Reductions) {
    Written W{Names.nameOf(R), Names.typeOf(R), &R, ""};
    for (const Slot &S : Slots)
      if (S.Type == W.Type && !llvm::is_contained(Used, S.Name)) {
        W.Partial = S.Name;
        Used.push_back(S.Name);
        break;
      }
    Result.push_back(std::move(W));
  }
  return Result;
}

/// The statements that are executed before \p S, nearest first, each of them in
/// any case that leads to S; conditions around S are among them.
static std::vector<const Stmt *> pathTo(const StatementTree &Tree,
                                        const Stmt *S) {
  std::vector<const Stmt *> Result;
  for (; S && S != Tree.body(); S = Tree.parent(S)) {
    llvm::append_range(Result, Tree.before(S));
    if (const auto *If = dyn_cast<IfStmt>(S))
      Result.push_back(If->getCond());
  }
  return Result;
}

/// All threads may begin with the value that the variable has: it is neutral,
/// or may be taken into account by all of them.
bool RowKernelEdits::startsNeutral(const RowLoop &L, const Reduction &R) const {
  if (R.isIdempotent())
    return true;
  const RowElement *Element = Names.elementOf(R);
  for (const Stmt *S : pathTo(Tree, L.For)) {
    if (Element) {
      if (S == Element->First)
        return Names.isNeutral(R, Element->First->getRHS());
      if (llvm::any_of(Element->Uses, [&](const MemoryAccess *Use) {
            return Use->writes() && Tree.contains(S, Use->Expression);
          }))
        return false;
      continue;
    }
    if (const auto *Decls = dyn_cast<DeclStmt>(S))
      if (llvm::is_contained(Decls->decls(), R.Variable))
        return Names.isNeutral(R, R.Variable->getInit());
    if (!Assignments::of(S).isAssigned(R.Variable))
      continue;
    const auto *Assign = dyn_cast<BinaryOperator>(S);
    const auto *Ref =
        Assign && Assign->getOpcode() == BO_Assign
            ? dyn_cast<DeclRefExpr>(Assign->getLHS()->IgnoreParens())
            : nullptr;
    return Ref && Ref->getDecl() == R.Variable &&
           Names.isNeutral(R, Assign->getRHS());
  }
  return false;
}

void RowKernelEdits::head(EditBuilder &Builder) const {
  std::string Text;
  std::string Count = std::to_string(Threads);
  if (!Rows.Row) {
    Text = "// The " + Count + " threads of a block share the work.\n";
  } else if (isWarp()) {
    Text = "// The 32 lanes of a warp share a row.\n";
  } else {
    Text = "// The " + Count + " threads of a block share a row.\n";
  }
  for (const Slot &S : Slots)
    Text += "__shared__ " + S.Type + " " + S.Name + "[" +
            std::to_string(Threads / WarpThreads) + "];\n";
  Text += "const int " + Lane + " = threadIdx.x" +
          (isWarp() && Rows.Row ? " % 32;" : ";");
  const Stmt *First = Rows.Declaration;
  Builder.insertLinesBefore(First ? First : *Tree.body()->child_begin(), Text);
}

void RowKernelEdits::row(EditBuilder &Builder) const {
  if (!Rows.Row)
    return;
  Builder.replace(Rows.Row->getInit()->getSourceRange(),
                  isWarp() ? "blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32"
                           : "blockIdx.x");
}

std::string RowKernelEdits::before(const RowLoop &L) const {
  std::string Text;
  for (const Written &W : writtenOf(L))
    if (!startsNeutral(L, *W.R))
      Text += Unit + W.Name + " = " + Names.textOf(*W.R).neutral() + ";\n";
  if (Text.empty())
    return "";
  bool Several = llvm::count(Text, '\n') > 1;
  Text = "if (" + Lane + " > 0)" + (Several ? " {\n" : "\n") + Text;
  return Several ? Text + "}" : llvm::StringRef(Text).rtrim('\n').str();
}

/// Lines that give every thread of the row what all of them have found.
std::string RowKernelEdits::after(const RowLoop &L, bool First) const {
  std::vector<Written> All = writtenOf(L);
  if (All.empty())
    return !llvm::is_contained(Rows.Barriers, L.For) ? ""
           : isWarp() && Rows.Row                    ? "__syncwarp();\n"
                                                     : "__syncthreads();\n";
  std::string Text, Open = All.size() > 1 ? " {\n" : "\n";
  std::string Close = All.size() > 1 ? "}\n" : "";
  Text = "for (" + ReductionText::lanesLoop(Offset) + ")" + Open;
  for (const Written &W : All)
    Text += Unit + Names.textOf(*W.R).combineWithLane(W.Name, Offset) + "\n";
  Text += Close;
  if (isWarp())
    return Text +
           (llvm::is_contained(Rows.Barriers, L.For) ? "__syncwarp();\n" : "");
  // The slots may still be read by slower warps.
  if (!First)
    Text += "__syncthreads();\n";
  Text += "if (" + Lane + " % 32 == 0)" + Open;
  for (const Written &W : All)
    Text += Unit + W.Partial + "[" + Lane + " / 32] = " + W.Name + ";\n";
  Text += Close + "__syncthreads();\n";
  for (const Written &W : All)
    Text += W.Name + " = " + W.Partial + "[0];\n";
  Text += "for (int " + Warp + " = 1; " + Warp + " < " +
          std::to_string(Threads / WarpThreads) + "; ++" + Warp + ")" + Open;
  for (const Written &W : All)
    Text += Unit +
            Names.textOf(*W.R).combine(W.Name, W.Partial + "[" + Warp + "]") +
            "\n";
  return Text + Close;
}

/// Stores of elements whose last use is \p S.
std::string RowKernelEdits::storesAfter(const Stmt *S) const {
  std::string Text;
  for (size_t I = 0; I < Rows.Elements.size(); ++I) {
    const RowElement &Element = Rows.Elements[I];
    if (Tree.withAttributes(Element.Last) != Tree.withAttributes(S))
      continue;
    Text += "if (" + Lane + " == 0)\n" + Unit + Names.storeOf(I) + "\n";
  }
  return Text;
}

void RowKernelEdits::loop(EditBuilder &Builder, const RowLoop &L, bool First) {
  Builder.replace(L.Start->getSourceRange(),
                  L.FromZero ? Lane : Names.startOf(L, Lane, Builder));
  Builder.replace(L.Step->getSourceRange(),
                  L.L->Variable->getNameAsString() +
                      " += " + std::to_string(Threads));
  std::string After = after(L, First) + storesAfter(L.For);
  Builder.insertAround(L.For, before(L), llvm::StringRef(After).rtrim('\n'));
}

void RowKernelEdits::elements(EditBuilder &Builder) const {
  for (size_t I = 0; I < Rows.Elements.size(); ++I) {
    Names.declareInPlace(Builder, I);
    const RowElement &Element = Rows.Elements[I];
    bool IsLoop = llvm::any_of(Rows.Loops, [&](const RowLoop &L) {
      return Tree.withAttributes(L.For) == Tree.withAttributes(Element.Last);
    });
    if (!IsLoop) {
      std::string After = storesAfter(Element.Last);
      Builder.insertLinesAfter(Element.Last,
                               llvm::StringRef(After).rtrim('\n'));
    }
  }
}

/// An `else` behind \p S would belong to an `if` written before it.
static bool isBeforeElse(const StatementTree &Tree, const Stmt *S) {
  for (const Stmt *Parent = Tree.parent(S);
       Parent && !isa<CompoundStmt>(Parent); Parent = Tree.parent(Parent))
    if (const auto *If = dyn_cast<IfStmt>(Parent); If && If->getElse())
      return true;
  return false;
}

/// `&&` may follow the condition as it stands.
static bool mayExtend(const IfStmt &If) {
  const Expr *Condition = If.getCond()->IgnoreImpCasts();
  if (If.getInit() || If.getConditionVariable() || If.isConstexpr() ||
      Condition->getBeginLoc().isMacroID() ||
      Condition->getEndLoc().isMacroID())
    return false;
  const auto *Binary = dyn_cast<BinaryOperator>(Condition);
  return isa<DeclRefExpr>(Condition) ||
         (Binary &&
          (Binary->isComparisonOp() || Binary->getOpcode() == BO_LAnd));
}

void RowKernelEdits::stores(EditBuilder &Builder) const {
  const std::string Guard = "if (" + Lane + " == 0)";
  for (size_t I = 0; I < Rows.Stores.size();) {
    const Stmt *Block = Tree.parent(Rows.Stores[I]);
    if (isBeforeElse(Tree, Rows.Stores[I]))
      return Builder.fail("a store stands before an `else`");
    if (const auto *If = dyn_cast<IfStmt>(Block); If && mayExtend(*If)) {
      Builder.insertAfterToken(If->getCond()->getEndLoc(),
                               " && " + Lane + " == 0");
      ++I;
      continue;
    }
    // Neighbours share a guard.
    size_t End = I + 1;
    while (End < Rows.Stores.size() && isa<CompoundStmt>(Block) &&
           Tree.parent(Rows.Stores[End]) == Block &&
           Tree.before(Rows.Stores[End]).front() == Rows.Stores[End - 1])
      ++End;
    std::string Indent = indentationOf(Rows.Stores[I], *K.Context);
    for (size_t J = I; J < End; ++J)
      Builder.insertBefore(
          Rows.Stores[J]->getBeginLoc(),
          J > I ? Unit : Guard + (End > I + 1 ? " {\n" : "\n") + Indent + Unit);
    if (End > I + 1)
      Builder.insertLinesAfter(Rows.Stores[End - 1], "}");
    I = End;
  }
}

void RowKernelEdits::write(EditBuilder &Builder) {
  Unit = Builder.indentUnit(K.Pattern->getBody()->getBeginLoc());
  head(Builder);
  row(Builder);
  bool First = true;
  for (const RowLoop &L : Rows.Loops) {
    loop(Builder, L, First);
    First &= L.Reductions.empty();
  }
  elements(Builder);
  stores(Builder);
}

} // namespace cudal1

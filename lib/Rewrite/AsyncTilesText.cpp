//===- AsyncTilesText.cpp - The lines of a pipeline of copies -------------===//

#include "AsyncTiles.h"

#include "ScopedText.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// The text of \p E, with `[Stage]` behind each mention of an array.
std::string AsyncTiles::staged(EditBuilder &Builder, const Expr *E,
                               llvm::StringRef Stage) const {
  BodyText Body(*K, Builder);
  for (const DeclRefExpr *Ref : Copied)
    if (Tree->contains(E, Ref))
      Body.replace(Ref->getSourceRange(),
                   Ref->getDecl()->getNameAsString() + "[" + Stage.str() + "]");
  return Body.changedText(E->getSourceRange());
}

/// `__pipeline_memcpy_async(&tile[stage][i], &a[j], sizeof(float))`, under its
/// condition.
std::string AsyncTiles::copyText(EditBuilder &Builder, const TileWrite &W,
                                 llvm::StringRef Stage) const {
  const Expr *Target = W.Assignment->getLHS()->IgnoreParens();
  std::string To = staged(Builder, Target, Stage);
  const auto *Load = dyn_cast<CallExpr>(W.Source);
  std::string From = Load
                         ? Builder.text(Load->getArg(0)->getSourceRange()).str()
                         : "&" + Builder.text(W.Source->getSourceRange()).str();
  if (To.empty() || From.size() < 2)
    Builder.fail("a copy is made by a macro");
  auto Array = llvm::find_if(Arrays, [&](const ArrayVariable *Candidate) {
    return Assignments::mentions(Target, Candidate->Decl);
  });
  std::string Copy =
      "__pipeline_memcpy_async(&" + To + ", " + From + ", sizeof(" +
      spellElementType((*Array)->Decl, (*Array)->ElementType, *K->Context) +
      "))";
  if (!W.Choice)
    return Copy;
  bool First = W.Source == W.Choice->getTrueExpr()->IgnoreParens();
  const Expr *Other =
      First ? W.Choice->getFalseExpr() : W.Choice->getTrueExpr();
  const Expr *Cond = W.Choice->getCond()->IgnoreParens();
  std::string Condition = Builder.text(Cond->getSourceRange()).str();
  if (Condition.empty() || Builder.text(Other->getSourceRange()).empty())
    Builder.fail("a copy is made by a macro");
  std::string Value = To + " = " + Builder.text(Other->getSourceRange()).str();
  std::string Unit = Builder.indentUnit(W.Assignment->getBeginLoc());
  return "if (" + Condition + ")\n" + Unit + (First ? Copy : Value) +
         ";\nelse\n" + Unit + (First ? Value : Copy);
}

/// The author's copies into one stage.
std::string AsyncTiles::copies(EditBuilder &Builder,
                               llvm::StringRef Stage) const {
  BodyText Body(*K, Builder);
  for (const TileWrite &W : Writes) {
    if (W.Source) {
      Body.replaceStatement(Tree->parent(W.Assignment), W.Assignment,
                            copyText(Builder, W, Stage));
      continue;
    }
    const Expr *Target = W.Assignment->getLHS();
    Body.replace(Target->getSourceRange(), staged(Builder, Target, Stage));
  }
  std::string Barrier = Builder.text(Ready->getSourceRange()).str();
  std::string Text =
      Body.changedText({Copies.front()->getBeginLoc(), Ready->getEndLoc()});
  llvm::StringRef Rest = Text;
  if (Barrier.empty() || !Rest.consume_back(Barrier))
    Builder.fail("the copies are made by a macro");
  return Rest.rtrim().str();
}

void AsyncTiles::write(EditBuilder &Builder, int64_t Stages) const {
  std::vector<std::string> Taken;
  auto Name = [&](llvm::ArrayRef<llvm::StringRef> Words) {
    Taken.push_back(freshName(K->Function, joinWords(*K, Words), Taken));
    return Taken.back();
  };
  std::string Copy = Name({"copy", "tiles"}), Stage = Name({"stage"}),
              Turn = Name({"s"});
  std::string Variable = L->Variable->getNameAsString();
  std::string Type =
      spellElementType(L->Variable, L->Variable->getType(), *K->Context);
  const auto *Cond = cast<BinaryOperator>(For->getCond()->IgnoreParens());
  std::string Below = " " + Cond->getOpcodeStr().str() + " " +
                      Builder.text(Bound->getSourceRange()).str();
  std::string Begin = spellOperand(First, *K->Context);
  if (Begin.empty() || Builder.text(Bound->getSourceRange()).empty())
    return Builder.fail("the loop's range is made by a macro");
  int64_t Step = *L->Step, Ahead = Stages - 1;
  std::string Count = std::to_string(Stages);

  Lines Out(Builder.indentUnit(For->getBeginLoc()));
  Out.close("");
  Out.add("// Copies run " + std::to_string(Ahead) + " turn" +
          (Ahead > 1 ? "s" : "") + " ahead.");
  Out.open("auto " + Copy + " = [&](" + Type + " " + Variable + ", int " +
           Stage + ") {");
  Out.addBlock(copies(Builder, Stage),
               indentationOf(Copies.front(), *K->Context));
  Out.close("};");
  std::string At = Begin;
  bool FromZero = Begin == "0";
  if (Ahead > 1) {
    std::string Offset = Turn + (Step == 1 ? "" : " * " + std::to_string(Step));
    At = FromZero ? Offset : Begin + " + " + Offset;
    Out.add("#pragma unroll");
    Out.open("for (int " + Turn + " = 0; " + Turn + " < " +
             std::to_string(Ahead) + "; ++" + Turn + ") {");
  }
  Out.add("if (" + At + Below + ")");
  Out.indent();
  Out.add(Copy + "(" + At + ", " + (Ahead > 1 ? Turn : "0") + ");");
  Out.close("");
  Out.add("__pipeline_commit();");
  if (Ahead > 1)
    Out.close();
  Out.add("int " + Stage + " = 0;");
  Builder.insertLinesBefore(Tree->withAttributes(For), Out.take());

  std::string Later = Variable + " + " + std::to_string(Ahead * Step);
  std::string Next =
      Ahead == 1 ? Stage + " ^ 1"
                 : "(" + Stage + " + " + std::to_string(Ahead) + ") % " + Count;
  std::string Indent = indentationOf(Copies.front(), *K->Context);
  std::string Unit = Builder.indentUnit(For->getBeginLoc());
  Builder.replace({Copies.front()->getBeginLoc(), Ready->getEndLoc()},
                  "__pipeline_wait_prior(" + std::to_string(Stages - 2) +
                      ");\n" + Indent + "__syncthreads();\n" + Indent + "if (" +
                      Later + Below + ")\n" + Indent + Unit + Copy + "(" +
                      Later + ", " + Next + ");\n" + Indent +
                      "__pipeline_commit()");
  for (const DeclRefExpr *Ref : Used)
    Builder.insertAfterToken(Ref->getLocation(), "[" + Stage + "]");
  std::string Move = Ahead == 1 ? Stage + " ^= 1"
                                : Stage + " = (" + Stage + " + 1) % " + Count;
  if (KeepsLastBarrier)
    Builder.insertLinesAfter(Done, Move + ";");
  else
    Builder.replace(Done->getSourceRange(), Move);
  for (const ArrayVariable *Array : Arrays)
    Builder.insertAfterToken(Array->Decl->getLocation(), "[" + Count + "]");
}

} // namespace cudal1

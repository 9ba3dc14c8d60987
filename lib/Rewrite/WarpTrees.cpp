//===- WarpTrees.cpp - A warp in place of a block with a tree -------------===//

#include "WarpTrees.h"

#include "KernelReferences.h"
#include "LaunchCoverage.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

/// `if (tid == 0) ...` of the result and of what is the same for all threads.
bool WarpTrees::isEnd(const Stmt *S) const {
  const auto *If = dyn_cast<IfStmt>(S);
  if (!If || If->getElse() || If->getInit() || If->getConditionVariable())
    return false;
  const auto *Equal =
      dyn_cast<BinaryOperator>(If->getCond()->IgnoreParenImpCasts());
  Expr::EvalResult Zero;
  if (!Equal || Equal->getOpcode() != BO_EQ ||
      spell(Equal->getLHS()->IgnoreParenImpCasts(), *K->Context) !=
          tree().Thread ||
      !Equal->getRHS()->EvaluateAsInt(Zero, *K->Context) ||
      !Zero.Val.getInt().isZero())
    return false;
  return !findIn(If->getThen(), [&](const Stmt *Inner) {
    if (isa<DeclStmt, ReturnStmt, GotoStmt, LambdaExpr>(Inner))
      return true;
    if (llvm::any_of(Uses, [&](const BuiltinUse &Use) {
          return Use.Expression == Inner && Use.Kind == SymbolKind::ThreadIdx;
        }))
      return true;
    const auto *Ref = dyn_cast<DeclRefExpr>(Inner);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return V && !isa<ParmVarDecl>(V) && V != array().Array &&
           V->hasLocalStorage();
  });
}

/// Declarations and conditions, the thread's own element, the tree, the end.
bool WarpTrees::parts(std::string &Obstacle) {
  auto No = [&](llvm::StringRef Why) {
    Obstacle = Why.str();
    return false;
  };
  const auto *Body = dyn_cast<CompoundStmt>(Tree->body());
  const auto *Assignment = array().Assignment;
  if (!Body || !Assignment || array().Own.size() != 1 ||
      Assignment->getOpcode() != BO_Assign ||
      Assignment->getLHS()->IgnoreParens() !=
          array().Own.front()->Expression->IgnoreParens())
    return No("a thread does more to its element than to set it");
  enum { First, Set, Reduced, Ended } At = First;
  for (const Stmt *S : Body->body()) {
    if (At == First && S == Assignment) {
      At = Set;
    } else if (At == First) {
      const auto *Decls = dyn_cast<DeclStmt>(S);
      bool OfArray = Decls && Decls->isSingleDecl() &&
                     Decls->getSingleDecl() == array().Array;
      if (mayLeaveFunctionOrJump(S) || isa<LabelStmt>(S))
        return No("a thread may leave before the tree");
      if (!OfArray)
        Before.push_back(S);
    } else if (At == Set && (S == tree().Before || S == tree().Counter)) {
      continue;
    } else if (At == Set && S == tree().Loop) {
      At = Reduced;
    } else if (At == Reduced && isEnd(S)) {
      End = cast<IfStmt>(S);
      At = Ended;
    } else {
      return No("more is done beside the tree");
    }
  }
  if (At != Ended)
    return No("more is done beside the tree");
  // Nothing that is done before may be seen by other threads.
  for (const MemoryAccess &Access : K->Accesses)
    if (Access.Space == MemorySpace::Shared && Access.Base != array().Array)
      return No("threads share more than the tree");
    else if (Access.writes() && Access.Space != MemorySpace::Local &&
             Access.Base != array().Array &&
             !Tree->contains(End, Access.Expression))
      return No("a thread writes before the tree");
  for (const Barrier &B : K->Barriers)
    if (B.Call != tree().Before && !Tree->contains(tree().Loop, B.Call) &&
        !(tree().Before && Tree->contains(tree().Before, B.Call)))
      return No("there are other barriers");
  return true;
}

bool WarpTrees::bound(std::string &Obstacle) {
  for (const KernelParameter &P : K->Parameters)
    if (P.Decl->getType()->isSignedIntegerType() && !P.Reassigned &&
        K->Context->getTypeSize(P.Decl->getType()) == 32 &&
        startsBlocksFor(*P.Decl, 0, Launches, *A)) {
      Count = P.Decl;
      return true;
    }
  Obstacle = "the number of blocks is not seen to be what a parameter needs";
  return false;
}

std::optional<WarpTrees> WarpTrees::of(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       const StatementTree &Tree,
                                       const SharedTrees &Trees,
                                       std::string &Obstacle) {
  auto No = [&](llvm::StringRef Why) {
    Obstacle = Why.str();
    return std::nullopt;
  };
  WarpTrees W(K, A, Tree, Trees);
  if (Trees.Trees.size() != 1 || W.tree().Arrays.size() != 1 ||
      K.SharedArrays.size() != 1 || K.SharedArrays.front().Dynamic ||
      K.IsTemplate || K.HasLaunchBounds || !K.WarpOperations.empty() ||
      !K.UnknownCalls.empty() || K.HasAsm || K.HasEarlyReturn ||
      showsOrder(K) || findReferences(A.program(), K).escapes())
    return No("the kernel does more than to reduce");
  const Reduction &R = W.array().R;
  bool MayStart = R.Type->isIntegerType() || R.Op == ReductionOp::Sum ||
                  R.Op == ReductionOp::Product;
  ReductionText Text{R.Op, R.Type,
                     spellElementType(W.array().Array, R.Type, *K.Context),
                     false};
  if (!MayStart || Text.neutral().empty())
    return No("no value changes nothing when it is combined");
  EditBuilder Texts(A.program(), Side::Device);
  auto Uses = builtinUses(K, Texts, Obstacle);
  if (!Uses)
    return std::nullopt;
  for (const BuiltinUse &Use : *Uses)
    if (Use.Axis != 0 || Use.Kind == SymbolKind::GridDim)
      return No("blocks are more than a line, or the grid's size is used");
  W.Uses = std::move(*Uses);
  auto Set = editableLaunches(K, A, Obstacle);
  if (!Set)
    return std::nullopt;
  W.Launches = std::move(*Set);
  for (const Launch *L : W.Launches.All)
    if (!geometryOf(L->Grid, A) || !geometryOf(L->Block, A) ||
        L->GridExtent[1].Value != 1 || L->GridExtent[2].Value != 1)
      return No("a launch cannot be rewritten");
  if (!W.parts(Obstacle) || !W.bound(Obstacle))
    return std::nullopt;
  std::vector<std::string> Taken;
  auto Fresh = [&](llvm::StringRef Wanted) {
    Taken.push_back(freshName(K.Function, Wanted, Taken));
    return Taken.back();
  };
  W.Lane = Fresh("lane");
  W.Block = Fresh("block");
  W.Item = Fresh("item");
  W.Value = Fresh("value");
  W.Result = Fresh(Text.word());
  W.Offset = Fresh("offset");
  return W;
}

std::string WarpTrees::evidence() const {
  return launchesAre(Launches) +
         " in this unit, of as many blocks as the elements that `" +
         Count->getNameAsString() + "` counts need";
}

/// The text from \p Begin to the token at \p End, for a thread of a block as an
/// element of a lane.
std::string WarpTrees::patched(const EditBuilder &Builder, SourceLocation Begin,
                               SourceLocation Last) const {
  const SourceManager &SM = K->Context->getSourceManager();
  std::string Text = Builder.text({Begin, Last}).str();
  unsigned Start = SM.getFileOffset(SM.getExpansionLoc(Begin));
  struct Patch {
    unsigned At;
    size_t Length;
    std::string Text;
  };
  std::vector<Patch> Patches;
  auto Add = [&](const Expr *E, const std::string &New) {
    unsigned At = SM.getFileOffset(SM.getExpansionLoc(E->getBeginLoc()));
    size_t Length = Builder.text(E->getSourceRange()).size();
    if (At >= Start && At + Length <= Start + Text.size())
      Patches.push_back({At - Start, Length, New});
    return Length > 0;
  };
  for (const MemoryAccess *Access : array().Results)
    if (!Add(Access->Expression, Result))
      return "";
  for (const BuiltinUse &Use : Uses) {
    if (llvm::any_of(array().Results, [&](const MemoryAccess *Access) {
          return Tree->contains(Access->Expression, Use.Expression);
        }))
      continue;
    bool Written =
        Add(Use.Expression, Use.Kind == SymbolKind::ThreadIdx
                                ? "(" + Item + " + " + Lane + ")"
                            : Use.Kind == SymbolKind::BlockIdx
                                ? Block
                                : std::to_string(Trees->BlockSize) + "u");
    if (!Written)
      return "";
  }
  llvm::sort(Patches,
             [](const Patch &X, const Patch &Y) { return X.At > Y.At; });
  for (const Patch &P : Patches)
    Text.replace(P.At, P.Length, P.Text);
  return Text;
}

static std::string indented(llvm::StringRef Text, llvm::StringRef Old,
                            llvm::StringRef Unit) {
  std::string Result;
  for (llvm::StringRef Line : llvm::split(Text, '\n')) {
    Line.consume_front(Old);
    Result +=
        (Line.trim().empty() ? "" : Unit.str()) + Line.rtrim().str() + "\n";
  }
  return Result;
}

/// The range of \p S leaves out its semicolon.
static bool endsWithExpression(const Stmt *S) {
  if (const auto *If = dyn_cast<IfStmt>(S))
    return endsWithExpression(If->getElse() ? If->getElse() : If->getThen());
  if (const auto *For = dyn_cast<ForStmt>(S))
    return endsWithExpression(For->getBody());
  if (const auto *While = dyn_cast<WhileStmt>(S))
    return endsWithExpression(While->getBody());
  if (const auto *Attributed = dyn_cast<AttributedStmt>(S))
    return endsWithExpression(Attributed->getSubStmt());
  return isa<Expr, DoStmt, BreakStmt, ContinueStmt>(S);
}

/// The comment lines between the statement before \p S in its block and \p S.
static std::string commentsAbove(const Stmt *S, const StatementTree &Tree,
                                 const SourceManager &SM) {
  auto Before = Tree.before(S);
  SourceLocation From =
      SM.getExpansionLoc(Before.empty() ? Tree.body()->getBeginLoc()
                                        : Before.front()->getEndLoc());
  auto [File, Begin] = SM.getDecomposedLoc(From);
  unsigned End = SM.getFileOffset(SM.getExpansionLoc(S->getBeginLoc()));
  llvm::StringRef Text = SM.getBufferData(File);
  if (Begin >= End || End > Text.size())
    return "";
  std::string Result;
  // What follows the statement before on its own line belongs to that.
  llvm::StringRef Rest = Text.slice(Begin, End).split('\n').second;
  for (llvm::StringRef Line : llvm::split(Rest, '\n'))
    if (Line.trim().starts_with("//"))
      Result += Line.trim().str() + "\n";
  return Result;
}

void WarpTrees::writeKernel(EditBuilder &Builder, int64_t Warps) const {
  const ASTContext &Context = *K->Context;
  std::string Unit = Builder.indentUnit(K->Pattern->getBody()->getBeginLoc());
  const Reduction &R = array().R;
  std::string Type = spellElementType(array().Array, R.Type, Context);
  ReductionText Reduce{R.Op, R.Type, Type, false};
  std::string Size = std::to_string(Trees->BlockSize);
  std::string Text =
      "// Each warp does what a block of " + Size + " threads did.\n" +
      "const unsigned " + Lane + " = threadIdx.x % 32;\n" + "const unsigned " +
      Block + " = blockIdx.x * " + std::to_string(Warps) +
      " + threadIdx.x / 32;\n" + "if (" + Block + " > (" +
      Count->getNameAsString() + " - 1) / " + Size + ")\n" + Unit +
      "return;\n" + Type + " " + Result + " = " + Reduce.neutral() +
      ";\n#pragma unroll\nfor (unsigned " + Item + " = 0; " + Item + " < " +
      Size + "; " + Item + " += 32) {\n";
  for (const Stmt *S : Before) {
    std::string Part = patched(Builder, S->getBeginLoc(), S->getEndLoc());
    if (Part.empty())
      Builder.fail("a statement is made by a macro");
    if (endsWithExpression(S))
      Part += ";";
    std::string Comments = commentsAbove(S, *Tree, Context.getSourceManager());
    if (!Comments.empty())
      Text += indented(llvm::StringRef(Comments).rtrim(), "", Unit);
    Text += indented(Part, indentationOf(S, Context), Unit);
  }
  const Expr *Set = array().Assignment->getRHS();
  std::string New = patched(Builder, Set->getBeginLoc(), Set->getEndLoc());
  std::string Then = patched(Builder, End->getThen()->getBeginLoc(),
                             End->getThen()->getEndLoc());
  if (New.empty() || Then.empty())
    return Builder.fail("a statement is made by a macro");
  Text += indented("const " + Type + " " + Value + " = " + New + ";",
                   indentationOf(array().Assignment, Context), Unit) +
          Unit + Reduce.combine(Result, Value) + "\n}\n" + "for (" +
          ReductionText::lanesLoop(Offset) + ")\n" + Unit +
          Reduce.combineWithLane(Result, Offset) + "\n";
  bool Braces = isa<CompoundStmt>(End->getThen());
  Text += "if (" + Lane + " == 0)" + (Braces ? " " : "\n" + Unit) +
          llvm::StringRef(indented(Then, indentationOf(End, Context), ""))
              .rtrim()
              .str() +
          (Braces ? "" : ";");
  Builder.replaceBody(cast<CompoundStmt>(K->Pattern->getBody()),
                      llvm::StringRef(indented(Text, "", Unit)).rtrim());
}

void WarpTrees::write(EditBuilder &Builder, int64_t Warps) const {
  writeKernel(Builder, Warps);
  Builder.setSide(Side::Host);
  std::string Threads = std::to_string(Warps * WarpThreads);
  for (const Launch *L : Launches.Places) {
    auto Grid = geometryOf(L->Grid, *A), Shape = geometryOf(L->Block, *A);
    if (!Grid || !Shape)
      return Builder.fail("a launch cannot be rewritten");
    Builder.replace(Grid->Argument->getSourceRange(),
                    sharedBlocksText(*Grid, 0, Warps));
    Builder.replace(Shape->Argument->getSourceRange(), Threads);
  }
  LaunchTransform T = LaunchTransform::identity();
  T.Grid[0] = ExtentExpr::ceilDiv(ExtentExpr::oldGrid(0),
                                  ExtentExpr::constant(uint64_t(Warps)));
  T.Block[0] = ExtentExpr::constant(uint64_t(Warps * WarpThreads));
  Builder.setLaunch(T);
  Builder.setSide(Side::Device);
}

} // namespace cudal1

//===- ShuffledTrees.cpp - Trees of a block by shuffles -------------------===//

#include "ShuffledTrees.h"

#include "cudal1/Analysis/BuiltinVariables.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

ShuffledTrees::ShuffledTrees(const Kernel &K, const SharedTrees &Trees)
    : K(K), Trees(Trees) {
  std::vector<std::string> Taken;
  auto Fresh = [&](llvm::StringRef Wanted) {
    Taken.push_back(freshName(K.Function, Wanted, Taken));
    return Taken.back();
  };
  for (const SharedTree &T : Trees.Trees)
    for (const TreeArray &Array : T.Arrays) {
      Written W{&T, &Array, "", {}};
      W.Text = {Array.R.Op, Array.R.Type,
                spellElementType(Array.Array, Array.R.Type, *K.Context),
                K.IsTemplate};
      W.Name = Fresh(W.Text.word());
      Variables.push_back(std::move(W));
    }
  Offset = Fresh("offset");
}

/// The expression between the brackets of an array's declaration.
static const Expr *sizeOf(const VarDecl *Array) {
  const TypeSourceInfo *Info = Array->getTypeSourceInfo();
  auto Loc = Info ? Info->getTypeLoc().getAs<ArrayTypeLoc>() : ArrayTypeLoc();
  return Loc.isNull() ? nullptr : Loc.getSizeExpr();
}

static bool isName(llvm::StringRef Text) {
  return !Text.empty() && !llvm::isDigit(Text.front()) &&
         llvm::all_of(Text,
                      [](char C) { return llvm::isAlnum(C) || C == '_'; });
}

/// The threads of a block divided by \p Divisor: by the name that the array's
/// declaration or the loop has for them.
std::string ShuffledTrees::perWarp(const SharedTree &T, int64_t Divisor) const {
  const Expr *Size = sizeOf(T.Arrays.front().Array);
  Expr::EvalResult Value;
  std::string By = " / " + std::to_string(Divisor);
  if (Size && !Size->isValueDependent() &&
      Size->EvaluateAsInt(Value, *K.Context) &&
      Value.Val.getInt() == Trees.BlockSize) {
    std::string Text = spell(Size, *K.Context);
    return isName(Text) ? Text + By : std::to_string(Trees.BlockSize / Divisor);
  }
  auto NamesBlock = [](const Stmt *S) {
    const auto *E = dyn_cast<Expr>(S);
    auto Builtin = E ? asBuiltinVariable(E) : std::nullopt;
    return Builtin && Builtin->Kind == SymbolKind::BlockDim;
  };
  return findIn(T.Loop, NamesBlock) || findIn(T.Counter, NamesBlock)
             ? "blockDim.x" + By
             : std::to_string(Trees.BlockSize / Divisor);
}

/// A slot for each warp of as many threads as there were elements.
void ShuffledTrees::declaration(EditBuilder &Builder,
                                const VarDecl *Array) const {
  const Expr *Size = sizeOf(Array);
  if (!Size)
    return; // as many bytes as the launch asks for
  Expr::EvalResult Value;
  if (Size->isValueDependent() || !Size->EvaluateAsInt(Value, *K.Context))
    return Builder.fail("the size of an array is not known");
  int64_t Elements = Value.Val.getInt().getExtValue();
  std::string Text = spell(Size, *K.Context);
  Builder.replace(
      Size->getSourceRange(),
      isName(Text) && Elements % WarpThreads == 0
          ? Text + " / 32"
          : std::to_string((Elements + WarpThreads - 1) / WarpThreads));
}

/// The barrier before the loop orders nothing but the elements that threads no
/// longer exchange.
bool ShuffledTrees::mayDrop(const SharedTree &T) const {
  const SourceManager &SM = K.Context->getSourceManager();
  auto Own = [&](const ValueDecl *D) {
    return llvm::any_of(
        T.Arrays, [&](const TreeArray &Array) { return Array.Array == D; });
  };
  for (const ArrayVariable &Array : K.SharedArrays)
    if (!Own(Array.Decl))
      return false;
  for (const TreeArray &Array : T.Arrays)
    if (Array.IsUsedBefore)
      return false;
  return llvm::none_of(K.Accesses, [&](const MemoryAccess &Access) {
    return Access.writes() && Access.Space != MemorySpace::Local &&
           !Own(Access.Base) &&
           SM.isBeforeInTranslationUnit(
               SM.getExpansionLoc(Access.Expression->getBeginLoc()),
               SM.getExpansionLoc(T.Loop->getBeginLoc()));
  });
}

void ShuffledTrees::accesses(EditBuilder &Builder, const Written &W) const {
  const TreeArray &Array = *W.Array;
  for (const auto *List : {&Array.Own, &Array.Results})
    for (const MemoryAccess *Access : *List) {
      bool Declares = Array.Assignment && Access == Array.Own.front();
      Builder.replace(Access->Expression->getSourceRange(),
                      Declares ? W.Text.Spelled + " " + W.Name : W.Name);
    }
  if (!Array.Assignment)
    Builder.insertLinesBefore(Array.First, W.Text.Spelled + " " + W.Name + ";");
}

/// A loop of shuffles of all variables of the tree.
std::string ShuffledTrees::shuffles(const SharedTree &T,
                                    const std::string &Head) const {
  bool Several = T.Arrays.size() > 1;
  std::string Text = "for (" + Head + ")" + (Several ? " {\n" : "\n");
  for (const Written &W : Variables)
    if (W.Tree == &T)
      Text += Unit + W.Text.combineWithLane(W.Name, Offset) + "\n";
  return Text + (Several ? "}\n" : "");
}

/// What takes the place of the loop. The order in which distances follow one
/// another stays as it was.
std::string ShuffledTrees::lines(const SharedTree &T) const {
  std::string Warps = perWarp(T, WarpThreads);
  bool Several = T.Arrays.size() > 1;
  bool UsedBefore = llvm::any_of(
      T.Arrays, [](const TreeArray &Array) { return Array.IsUsedBefore; });
  std::string Stores, Loads;
  for (const Written &W : Variables) {
    if (W.Tree != &T)
      continue;
    std::string Array = W.Array->Array->getNameAsString();
    Stores += Unit + Array + "[" + T.Thread + " / 32] = " + W.Name + ";\n";
    Loads +=
        W.Name + " = " + Array + "[" + T.Thread + " % " +
        (llvm::StringRef(Warps).contains(' ') ? "(" + Warps + ")" : Warps) +
        "];\n";
  }
  std::string Lanes = ReductionText::lanesLoop(Offset);
  std::string Slots = "int " + Offset + " = " + perWarp(T, 2 * WarpThreads) +
                      "; " + Offset + " > 0; " + Offset + " /= 2";
  if (T.Doubles) {
    auto Upwards = [&](const std::string &End) {
      return "int " + Offset + " = 1; " + Offset + " < " + End + "; " + Offset +
             " *= 2";
    };
    Lanes = Upwards("32");
    Slots = Upwards(Warps);
  }
  std::string Text = "// First among the lanes of each warp, then among the "
                     "warps.\n" +
                     shuffles(T, Lanes);
  if (UsedBefore && !T.Before)
    Text += "__syncthreads();\n";
  Text += "if (" + T.Thread + " % 32 == 0)" + (Several ? " {\n" : "\n") +
          Stores + (Several ? "}\n" : "") + "__syncthreads();\n" + Loads +
          shuffles(T, Slots);
  Text.pop_back();
  return Text;
}

void ShuffledTrees::write(EditBuilder &Builder) {
  Unit = Builder.indentUnit(K.Pattern->getBody()->getBeginLoc());
  std::vector<const VarDecl *> Declared;
  for (const Written &W : Variables) {
    accesses(Builder, W);
    if (!llvm::is_contained(Declared, W.Array->Array)) {
      Declared.push_back(W.Array->Array);
      declaration(Builder, W.Array->Array);
    }
  }
  for (const SharedTree &T : Trees.Trees) {
    if (T.Counter)
      Builder.removeStatement(T.Counter);
    if (T.Before && mayDrop(T))
      Builder.removeStatement(T.Before);
    std::string Indent = indentationOf(T.Loop, *K.Context), Text;
    for (char C : lines(T)) {
      Text += C;
      if (C == '\n')
        Text += Indent;
    }
    Builder.replace(T.Loop->getSourceRange(), Text);
  }
}

} // namespace cudal1

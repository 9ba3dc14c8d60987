//===- KeptValuesText.cpp - Loops that keep values in registers -----------===//

#include "KeptValuesText.h"

#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

KeptValuesText::KeptValuesText(const Kernel &K, const KeptGroup &Group,
                               int64_t Elements)
    : K(K), Group(Group), Elements(Elements), Tree(K) {
  std::vector<std::string> Taken;
  for (const KeptValue &V : Group.Values) {
    std::string Word;
    if (V.isLoad()) {
      Word = plainName(V.Base);
    } else {
      const auto *Call = cast<CallExpr>(V.Mentions.front().E);
      llvm::StringRef Function = Call->getDirectCallee()->getName().ltrim('_');
      if (Function.size() > 1)
        Function.consume_back("f");
      Word = Function.str();
    }
    Names.push_back(freshName(K.Function, joinWords(K, {"kept", Word}), Taken));
    Taken.push_back(Names.back());
  }
  Counter = freshName(K.Function, "k", Taken);
}

std::string KeptValuesText::typeOf(const KeptValue &V) const {
  if (V.isLoad())
    return spellElementType(V.Base, V.Type, *K.Context);
  return V.Type.getAsString(PrintingPolicy(K.Context->getLangOpts()));
}

std::string KeptValuesText::declarations() const {
  std::string Count = std::to_string(Elements);
  std::string Text =
      "// The first " + Count + " elements of a thread stay in registers.\n";
  for (size_t V = 0; V < Group.Values.size(); ++V)
    Text += typeOf(Group.Values[V]) + " " + Names[V] + "[" + Count + "];\n";
  return Text;
}

/// The text of \p Range with \p Patches, none of which overlap.
std::string KeptValuesText::patched(EditBuilder &Builder, SourceRange Range,
                                    std::vector<Patch> Patches) const {
  const SourceManager &SM = K.Context->getSourceManager();
  std::string Text = Builder.text(Range).str();
  if (Text.empty()) {
    Builder.fail("what a loop does is made by a macro");
    return "";
  }
  unsigned Begin = SM.getFileOffset(SM.getExpansionLoc(Range.getBegin()));
  llvm::sort(Patches, [&](const Patch &X, const Patch &Y) {
    return SM.getFileOffset(X.Range.getBegin()) >
           SM.getFileOffset(Y.Range.getBegin());
  });
  for (const Patch &P : Patches) {
    unsigned At = SM.getFileOffset(P.Range.getBegin());
    size_t Length = Builder.text(P.Range).size();
    if (At < Begin || At - Begin + Length > Text.size() || !Length) {
      Builder.fail("what a loop does is made by a macro");
      return "";
    }
    Text.replace(At - Begin, Length, P.Text);
  }
  return Text;
}

/// What stands for the values that \p S mentions in loop \p InLoop. Where
/// \p DefinesCalls, calls are evaluated as written.
std::vector<KeptValuesText::Patch>
KeptValuesText::patchesIn(EditBuilder &Builder, const Stmt *S, size_t InLoop,
                          bool DefinesCalls) const {
  std::vector<Patch> Result;
  std::vector<const Expr *> Outer;
  auto Add = [&](size_t V) {
    const KeptValue &Value = Group.Values[V];
    for (const KeptValue::Mention &M : Value.Mentions) {
      if (M.InLoop != InLoop || !Tree.contains(S, M.E) ||
          llvm::any_of(Outer,
                       [&](const Expr *E) { return Tree.contains(E, M.E); }))
        continue;
      std::string Name = Names[V] + "[" + Counter + "]";
      if (Value.InPlace && M.E == Value.Mentions.front().E)
        Name = "(" + Name + " = " + definition(Builder, V) + ")";
      Result.push_back({M.E->getSourceRange(), Name});
      Outer.push_back(M.E);
    }
  };
  // Calls hold loads.
  for (size_t V = Group.Values.size(); V-- > 0;)
    if (Group.Values[V].isLoad() || !DefinesCalls)
      Add(V);
  return Result;
}

/// The first mention of a value, in terms of what is kept already.
std::string KeptValuesText::definition(EditBuilder &Builder, size_t V) const {
  const KeptValue::Mention &M = Group.Values[V].Mentions.front();
  if (Group.Values[V].isLoad())
    return Builder.text(M.E->getSourceRange()).str();
  return patched(Builder, M.E->getSourceRange(),
                 patchesIn(Builder, M.E, M.InLoop, /*DefinesCalls=*/true));
}

/// \p Text without \p Indent at the beginning of its lines.
static std::string withoutIndent(llvm::StringRef Text, llvm::StringRef Indent) {
  llvm::SmallVector<llvm::StringRef> Parts;
  Text.split(Parts, '\n');
  for (llvm::StringRef &Line : Parts) {
    Line.consume_front(Indent);
    Line = Line.rtrim();
  }
  return llvm::join(Parts, "\n");
}

/// The statements of loop \p I as lines, indented from 0 on.
std::string KeptValuesText::body(EditBuilder &Builder, size_t I) const {
  const Stmt *Body = Group.Loops[I].For->getBody();
  std::vector<Patch> Patches = patchesIn(Builder, Body, I, false);
  std::string Text = patched(Builder, Body->getSourceRange(), Patches);
  if (const auto *Block = dyn_cast<CompoundStmt>(Body)) {
    if (Block->body_empty() || Text.size() < 2)
      return "";
    // What stands between the braces.
    Text = llvm::StringRef(Text).drop_front().drop_back().ltrim("\r\n").str();
    Text = llvm::StringRef(Text).rtrim().str();
    return withoutIndent(Text, indentationOf(Block->body_front(), *K.Context));
  }
  const Stmt *Last = Body;
  while (const auto *If = dyn_cast<IfStmt>(Last))
    Last = If->getElse() ? If->getElse() : If->getThen();
  if (isa<Expr>(Last))
    Text += ";";
  return withoutIndent(Text, indentationOf(Body, *K.Context));
}

static std::string indented(llvm::StringRef Text, llvm::StringRef Indent) {
  std::string Result;
  for (llvm::StringRef Line : llvm::split(Text, '\n'))
    Result += (Line.empty() ? "" : Indent.str()) + Line.str() + "\n";
  return Result;
}

/// \p E as it may stand before a `+`.
static std::string spellSummand(const Expr *E, const ASTContext &Context) {
  const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  bool Tight =
      Binary && (Binary->isAdditiveOp() || Binary->isMultiplicativeOp());
  return Tight ? spell(E, Context) : spellOperand(E, Context);
}

/// The loop over the iterations that keep their values, up to their number.
std::string KeptValuesText::head(EditBuilder &Builder,
                                 const KeptLoop &L) const {
  std::string Unit = Builder.indentUnit(K.Pattern->getBody()->getBeginLoc());
  const VarDecl *V = L.L->Variable;
  std::string Count = std::to_string(Elements);
  std::string Type =
      Builder.text(V->getTypeSourceInfo()->getTypeLoc().getSourceRange()).str();
  std::string Start = spellSummand(L.Start, *K.Context);
  std::string Step = spellOperand(L.Step, *K.Context);
  std::string Condition = spell(L.Condition, *K.Context);
  if (Type.empty() || Start.empty() || Step.empty() || Condition.empty())
    Builder.fail("the head of a loop is made by a macro");
  return "#pragma unroll\nfor (int " + Counter + " = 0; " + Counter + " < " +
         Count + "; ++" + Counter + ") {\n" + Unit + "const " + Type + " " +
         V->getNameAsString() + " = " + Start + " + " + Counter + " * " + Step +
         ";\n";
}

/// The call may also be made for elements that the row does not have, which
/// were set to zero: without a branch around it, those of several elements
/// overlap. It reads nothing else, and divides no integers.
bool KeptValuesText::mayRunBeyond(const KeptValue &V) const {
  const Expr *Call = V.Mentions.front().E;
  for (const MemoryAccess &Access : K.Accesses) {
    if (!Tree.contains(Call, Access.Expression) ||
        Access.Space == MemorySpace::Local)
      continue;
    bool Kept = llvm::any_of(Group.Values, [&](const KeptValue &Other) {
      return Other.isLoad() && !Other.InPlace &&
             llvm::any_of(Other.Mentions, [&](const KeptValue::Mention &M) {
               return M.E == Access.Expression;
             });
    });
    if (!Kept)
      return false;
  }
  return !findIn(Call, [](const Stmt *S) {
    const auto *Binary = dyn_cast<BinaryOperator>(S);
    return Binary && Binary->getType()->isIntegerType() &&
           (Binary->getOpcode() == BO_Div || Binary->getOpcode() == BO_Rem);
  });
}

/// A loop of its own for what loop \p I reads first: loads among conditional
/// statements would wait for one another.
std::string KeptValuesText::loads(EditBuilder &Builder, size_t I) const {
  std::string Unit = Builder.indentUnit(K.Pattern->getBody()->getBeginLoc());
  const KeptLoop &L = Group.Loops[I];
  std::string Text;
  for (size_t V = 0; V < Group.Values.size(); ++V) {
    const KeptValue &Value = Group.Values[V];
    if (Value.isLoad() && !Value.InPlace && Value.Mentions.front().InLoop == I)
      Text += Unit + Names[V] + "[" + Counter +
              "] = " + spell(L.Condition, *K.Context) + " ? " +
              definition(Builder, V) + " : " +
              spellZero(Value.Type, typeOf(Value)) + ";\n";
  }
  return Text.empty() ? "" : head(Builder, L) + Text + "}\n";
}

void KeptValuesText::write(EditBuilder &Builder) const {
  std::string Unit = Builder.indentUnit(K.Pattern->getBody()->getBeginLoc());
  bool Declared = false;
  for (size_t I = 0; I < Group.Loops.size(); ++I) {
    bool Takes = llvm::any_of(Group.Values, [&](const KeptValue &V) {
      return llvm::any_of(V.Mentions, [&](const KeptValue::Mention &M) {
        return M.InLoop == I;
      });
    });
    if (!Takes)
      continue;
    const KeptLoop &L = Group.Loops[I];
    std::string Text = Declared ? "" : declarations();
    Declared = true;
    Text += loads(Builder, I) + head(Builder, L);
    std::string Inner;
    for (size_t V = 0; V < Group.Values.size(); ++V) {
      const KeptValue &Value = Group.Values[V];
      if (Value.isLoad() || Value.InPlace || Value.Mentions.front().InLoop != I)
        continue;
      std::string Line =
          Names[V] + "[" + Counter + "] = " + definition(Builder, V) + ";\n";
      (mayRunBeyond(Value) ? Text : Inner) +=
          mayRunBeyond(Value) ? Unit + Line : Line;
    }
    Text += Unit + "if (" + spell(L.Condition, *K.Context) + ") {\n";
    Inner += body(Builder, I);
    Text +=
        indented(llvm::StringRef(Inner).rtrim(), Unit + Unit) + Unit + "}\n}";
    Builder.insertAround(L.For, Text, "");
    std::string Start = spellSummand(L.Start, *K.Context);
    std::string Ahead = L.L->Step ? std::to_string(*L.L->Step * Elements)
                                  : std::to_string(Elements) + " * " +
                                        spellOperand(L.Step, *K.Context);
    Builder.replace(L.Start->getSourceRange(), Start + " + " + Ahead);
  }
}

} // namespace cudal1

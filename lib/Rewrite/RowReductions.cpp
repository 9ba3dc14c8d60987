//===- RowReductions.cpp - Names and texts of a row's reductions ----------===//

#include "RowReductions.h"

#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

std::string RowReductions::fresh(llvm::StringRef Wanted) {
  Taken.push_back(freshName(K.Function, Wanted, Taken));
  return Taken.back();
}

void RowReductions::nameElements() {
  for (const RowElement &Element : Rows.Elements) {
    llvm::StringRef Word = "value";
    for (const RowLoop &L : Rows.Loops)
      for (const Reduction &R : L.Reductions)
        if (elementOf(R) == &Element)
          Word = ReductionText{R.Op, R.Type, "", false}.word();
    ElementNames.push_back(fresh(Word));
  }
}

const RowElement *RowReductions::elementOf(const Reduction &R) const {
  if (!R.Variable)
    for (const RowElement &Element : Rows.Elements)
      if (Element.Uses.front()->Base == R.Element.front()->Base)
        return &Element;
  return nullptr;
}

std::string RowReductions::nameOf(const Reduction &R) const {
  if (R.Variable)
    return R.Variable->getNameAsString();
  const RowElement *Element = elementOf(R);
  return Element ? ElementNames[Element - Rows.Elements.data()] : "";
}

std::string RowReductions::typeOf(const Reduction &R) const {
  const ValueDecl *D = R.Variable;
  if (!D)
    D = R.Element.front()->Base;
  return spellElementType(D, R.Type, *K.Context);
}

ReductionText RowReductions::textOf(const Reduction &R) const {
  return {R.Op, R.Type, typeOf(R), K.IsTemplate};
}

bool RowReductions::isNeutral(const Reduction &R, const Expr *Value) const {
  Expr::EvalResult Result;
  if (!Value || Value->isValueDependent() ||
      !Value->EvaluateAsRValue(Result, *K.Context) || Result.HasSideEffects)
    return false;
  int64_t Wanted = R.Op == ReductionOp::Product ? 1 : 0;
  if (Result.Val.isInt())
    return Result.Val.getInt() == Wanted;
  return Result.Val.isFloat() &&
         Result.Val.getFloat().convertToDouble() == double(Wanted);
}

std::string RowReductions::startOf(const RowLoop &L, const std::string &Lane,
                                   EditBuilder &Builder) const {
  Expr::EvalResult Value;
  const Expr *Start = L.Start->IgnoreParenImpCasts();
  if (isa<IntegerLiteral>(Start) && Start->EvaluateAsInt(Value, *K.Context) &&
      Value.Val.getInt().isZero())
    return Lane;
  std::string Text = Builder.text(L.Start->getSourceRange()).str();
  if (Text.empty())
    Builder.fail("the first value of a loop is made by a macro");
  const auto *Binary = dyn_cast<BinaryOperator>(Start);
  bool Loose =
      isa<AbstractConditionalOperator>(Start) ||
      (Binary && !Binary->isAdditiveOp() && !Binary->isMultiplicativeOp()) ||
      L.Start->getBeginLoc().isMacroID();
  return (Loose ? "(" + Text + ")" : Text) + " + " + Lane;
}

std::string RowReductions::storeOf(size_t I) const {
  return spell(Rows.Elements[I].First->getLHS(), *K.Context) + " = " +
         ElementNames[I] + ";";
}

void RowReductions::nameUses(EditBuilder &Builder, size_t I) const {
  const RowElement &Element = Rows.Elements[I];
  for (const MemoryAccess *Use : Element.Uses)
    if (Use != Element.Uses.front())
      Builder.replace(Use->Expression->getSourceRange(), ElementNames[I]);
  if (spell(Element.First->getLHS(), *K.Context).empty())
    Builder.fail("an element is written by a macro");
}

std::string RowReductions::elementType(size_t I) const {
  const MemoryAccess &First = *Rows.Elements[I].Uses.front();
  return spellElementType(First.Base, First.ElementType, *K.Context);
}

void RowReductions::declareInPlace(EditBuilder &Builder, size_t I) const {
  nameUses(Builder, I);
  Builder.replace(Rows.Elements[I].Uses.front()->Expression->getSourceRange(),
                  elementType(I) + " " + ElementNames[I]);
}

} // namespace cudal1

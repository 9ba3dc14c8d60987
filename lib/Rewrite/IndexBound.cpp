//===- IndexBound.cpp - How many bins can an index name? ------------------===//

#include "IndexBound.h"

#include "IntegerRange.h"
#include "cudal1/Rewrite/Guards.h"
#include "cudal1/Rewrite/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudal1 {

/// Bins kept close by where only a run tells how many there are: 4 KiB of
/// numbers of 32 bits, and most histograms.
static constexpr int64_t ElementsWhenUnknown = 1024;

namespace {

class BoundFinder {
public:
  BoundFinder(const Kernel &K, const ProgramAnalysis &A,
              const StatementTree &Tree, int64_t MostElements)
      : K(K), Tree(Tree), Changes(Assignments::of(Tree.body())),
        Ranges(K, A, Changes), MostElements(MostElements) {}

  std::optional<IndexBound> find(const Expr *Array, const Expr *Index) const;

private:
  std::optional<IndexBound> ofExtent(const Expr *Array) const;
  std::optional<IndexBound> ofRange(const Expr *Index) const;
  std::optional<IndexBound> ofRemainder(const Expr *Index) const;
  std::optional<IndexBound> ofGuards(const Expr *Index) const;
  std::optional<IndexBound> ofConstantGuards(const Guards &Known,
                                             const Polynomial &Form) const;
  std::optional<IndexBound> ofParameter(const ParmVarDecl *P, bool NonNegative,
                                        const llvm::Twine &Reason) const;
  bool isOwnElement(const Expr *Index) const;
  const Expr *definition(const Expr *E) const;
  bool restsOnLaunches(const Expr *E) const;
  std::string constantText(const Expr *Index, int64_t Count) const;

  const Kernel &K;
  const StatementTree &Tree;
  Assignments Changes;
  RangeAnalysis Ranges;
  int64_t MostElements;
};

} // namespace

/// What a local variable was set to, when nothing changes it afterwards.
const Expr *BoundFinder::definition(const Expr *E) const {
  while (true) {
    E = E->IgnoreParenImpCasts();
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V || !V->isLocalVarDecl() || !V->getInit() ||
        V->getType()->isReferenceType() || Changes.isAssigned(V) ||
        !K.Context->hasSameUnqualifiedType(
            V->getType(), V->getInit()->IgnoreParenImpCasts()->getType()))
      return E;
    E = V->getInit();
  }
}

/// A parameter's value takes part in \p E, other than by what lies in memory.
bool BoundFinder::restsOnLaunches(const Expr *E) const {
  return findIn(definition(E), [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (!Ref || !Ref->getType()->isIntegerType())
      return false;
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    for (const Stmt *Around = S; Around && Around != E;
         Around = Tree.parent(Around))
      if (isa<ArraySubscriptExpr>(Around))
        return false;
    return V && (isa<ParmVarDecl>(V) ||
                 (V->isLocalVarDecl() && V->getInit() &&
                  !Changes.isAssigned(V) && restsOnLaunches(V->getInit())));
  });
}

/// The name that the author gave to the number of bins in `f % BINS`.
std::string BoundFinder::constantText(const Expr *Index, int64_t Count) const {
  const auto *Op = dyn_cast<BinaryOperator>(definition(Index));
  Expr::EvalResult Value;
  if (Op && Op->getOpcode() == BO_Rem &&
      Op->getRHS()->EvaluateAsInt(Value, *K.Context) &&
      Value.Val.getInt() == Count) {
    std::string Text = spell(Op->getRHS()->IgnoreParens(), *K.Context);
    bool IsName = !Text.empty() && !llvm::isDigit(Text.front()) &&
                  llvm::all_of(Text, [](char C) {
                    return llvm::isAlnum(C) || C == '_' || C == ':';
                  });
    const auto *Ref =
        dyn_cast<DeclRefExpr>(Op->getRHS()->IgnoreParenImpCasts());
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (IsName && !(V && V->isLocalVarDeclOrParm()))
      return Text;
  }
  return std::to_string(Count);
}

/// An access outside of an array of known extent is undefined.
std::optional<IndexBound> BoundFinder::ofExtent(const Expr *Array) const {
  const auto *Type = K.Context->getAsConstantArrayType(
      Array->IgnoreParenImpCasts()->getType());
  if (!Type || Type->getSize().getActiveBits() > 31)
    return std::nullopt;
  IndexBound B;
  B.Count = int64_t(Type->getZExtSize());
  B.Text = std::to_string(B.Count);
  B.Proved = B.NonNegative = true;
  B.Reason = "the array has " + B.Text + " elements";
  return B;
}

std::optional<IndexBound> BoundFinder::ofRange(const Expr *Index) const {
  auto R = Ranges.of(Index);
  if (!R || R->Min < 0 || R->Max >= MostElements)
    return std::nullopt;
  IndexBound B;
  B.Count = R->Max + 1;
  B.Text = constantText(Index, B.Count);
  B.NonNegative = true;
  B.Proved = !restsOnLaunches(Index);
  // An index of a type without a sign stays so, whatever is passed.
  if (!B.Proved)
    B.NonNegative = Index->IgnoreParenImpCasts()
                        ->getType()
                        ->isUnsignedIntegerOrEnumerationType();
  B.Reason = "an index is less than " + std::to_string(B.Count) +
             (B.Proved ? "" : " at all launches of this unit");
  return B;
}

/// As many bins as \p P counts: those that all launches pass, or a number of
/// our own.
std::optional<IndexBound>
BoundFinder::ofParameter(const ParmVarDecl *P, bool NonNegative,
                         const llvm::Twine &Reason) const {
  auto Passed = Ranges.of(P);
  IndexBound B;
  B.Count = std::min(ElementsWhenUnknown, MostElements);
  if (Passed && Passed->Max >= 1 && Passed->Max <= MostElements)
    B.Count = Passed->Max;
  B.Text = std::to_string(B.Count);
  B.NonNegative = NonNegative;
  B.Reason = Reason.str();
  return B;
}

/// `f % n`: of a number with a sign it may be negative.
std::optional<IndexBound> BoundFinder::ofRemainder(const Expr *Index) const {
  const auto *Op = dyn_cast<BinaryOperator>(definition(Index));
  if (!Op || Op->getOpcode() != BO_Rem)
    return std::nullopt;
  bool Unsigned = Op->getType()->isUnsignedIntegerType();
  Expr::EvalResult Value;
  if (!Op->getRHS()->isValueDependent() &&
      Op->getRHS()->EvaluateAsInt(Value, *K.Context)) {
    if (!Value.Val.getInt().isRepresentableByInt64() ||
        Value.Val.getInt().getExtValue() < 1 ||
        Value.Val.getInt().getExtValue() > MostElements)
      return std::nullopt;
    IndexBound B;
    B.Count = Value.Val.getInt().getExtValue();
    B.Text = constantText(Index, B.Count);
    B.NonNegative = Unsigned;
    B.Reason = "an index is a remainder by " + B.Text;
    return B;
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(definition(Op->getRHS()));
  const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  if (!P || Changes.isAssigned(P))
    return std::nullopt;
  return ofParameter(P, Unsigned,
                     "an index is a remainder by `" + P->getName() + "`");
}

std::optional<IndexBound>
BoundFinder::ofConstantGuards(const Guards &Known,
                              const Polynomial &Form) const {
  std::optional<IndexBound> Least;
  findIn(Tree.body(), [&](const Stmt *S) {
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (!Op || !Op->isRelationalOp())
      return false;
    for (const Expr *Side : {Op->getLHS(), Op->getRHS()}) {
      const Polynomial *Bound = K.formOf(Side);
      auto Value = Bound ? Bound->constant() : std::nullopt;
      // `f <= last` allows one more.
      for (int64_t More : {0, 1})
        if (Value && *Value + More >= 1 && *Value + More <= MostElements &&
            (!Least || *Value + More < Least->Count) &&
            Known.provesNonNegative(Polynomial(*Value + More - 1) - Form)) {
          Least.emplace();
          Least->Count = *Value + More;
          Least->Text = std::to_string(Least->Count);
        }
    }
    return false;
  });
  if (Least)
    Least->Reason = "a condition keeps an index below " + Least->Text;
  return Least;
}

std::optional<IndexBound> BoundFinder::ofGuards(const Expr *Index) const {
  const Polynomial *Form = K.formOf(Index);
  if (!Form)
    return std::nullopt;
  Guards Known(K, Tree, Index);
  bool NonNegative = Known.provesNonNegative(*Form);
  if (auto B = ofConstantGuards(Known, *Form)) {
    B->Proved = B->NonNegative = NonNegative;
    return B;
  }
  for (const KernelParameter &P : K.Parameters) {
    auto Symbol = K.Symbols.findVariable(P.Decl);
    if (P.Decl->getType()->isIntegerType() && !P.Reassigned && Symbol &&
        Known.provesNonNegative(Polynomial::symbol(*Symbol) - 1 - *Form))
      return ofParameter(P.Decl, NonNegative,
                         "a condition keeps an index below `" +
                             P.Decl->getName() + "`");
  }
  return std::nullopt;
}

/// Neighbouring threads use neighbouring elements: no few bins for many.
bool BoundFinder::isOwnElement(const Expr *Index) const {
  const Polynomial *Form = K.formOf(Index);
  auto NamesThread = [&](SymbolId Id) {
    SymbolKind Kind = K.Symbols[Id].Kind;
    return Kind == SymbolKind::ThreadIdx || Kind == SymbolKind::BlockIdx;
  };
  return Form && Form->usesAny([&](SymbolId Id) {
    return NamesThread(Id) || llvm::any_of(K.Loops, [&](const auto &L) {
             return L->Variable && L->VariableSymbol == Id &&
                    L->Lower.usesAny(NamesThread);
           });
  });
}

std::optional<IndexBound> BoundFinder::find(const Expr *Array,
                                            const Expr *Index) const {
  if (Index->isValueDependent() ||
      Index->HasSideEffects(*K.Context, /*IncludePossibleEffects=*/false) ||
      isOwnElement(Index))
    return std::nullopt;
  std::optional<IndexBound> B = ofExtent(Array);
  if (!B)
    B = ofRange(Index);
  if (!B)
    B = ofRemainder(Index);
  if (!B)
    B = ofGuards(Index);
  return B && B->Count <= MostElements ? B : std::nullopt;
}

std::optional<IndexBound> boundOfIndex(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       const StatementTree &Tree,
                                       const Expr *Array, const Expr *Index,
                                       int64_t MostElements) {
  return BoundFinder(K, A, Tree, MostElements).find(Array, Index);
}

} // namespace cudal1

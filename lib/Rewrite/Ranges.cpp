//===- Ranges.cpp - Between which numbers an index lies -------------------===//

#include "cudal1/Rewrite/Ranges.h"
#include "llvm/Support/MathExtras.h"

namespace cudal1 {

/// The largest block extent of all launches in one axis.
static std::optional<int64_t> largestBlock(const Kernel &K, unsigned Axis) {
  int64_t Most = 0;
  for (const Launch *L : K.Launches) {
    const LaunchExtent &Extent = L->BlockExtent[Axis];
    if (!Extent.Known || !Extent.Value || *Extent.Value < 1)
      return std::nullopt;
    Most = std::max(Most, *Extent.Value);
  }
  return K.Launches.empty() ? std::nullopt : std::optional(Most);
}

/// Without sign, `i >= 0` holds for ever and i wraps below zero.
static bool countsDownWithSign(const Loop &L) {
  const auto *For = dyn_cast<clang::ForStmt>(L.Statement);
  const auto *Comparison = For && For->getCond()
                               ? dyn_cast<clang::BinaryOperator>(
                                     For->getCond()->IgnoreParenImpCasts())
                               : nullptr;
  return Comparison && Comparison->getLHS()->getType()->isSignedIntegerType() &&
         L.Variable->getType()->isSignedIntegerType();
}

static std::optional<Range> loopRange(const Kernel &K, SymbolId Id) {
  std::optional<Range> Result;
  for (const auto &L : K.Loops) {
    if (!L->Counted || L->VariableSymbol != Id)
      continue;
    std::optional<Range> Lower = rangeOf(K, L->Lower);
    std::optional<Range> Upper = rangeOf(K, L->Upper);
    if (!Lower || !Upper || !L->Step ||
        (*L->Step < 0 && !countsDownWithSign(*L)))
      return std::nullopt;
    Range Own;
    if (*L->Step > 0) {
      Own = {Lower->Least, Upper->Most - 1};
      // The last value is reached in whole steps from a known first one.
      if (Lower->Least == Lower->Most && Own.Most > Own.Least)
        Own.Most = Own.Least + (Own.Most - Own.Least) / *L->Step * *L->Step;
    } else {
      Own = {Upper->Least + 1, Lower->Most};
    }
    if (Own.Least > Own.Most)
      Own = {Lower->Least, Lower->Least};
    Result = Result ? Range{std::min(Result->Least, Own.Least),
                            std::max(Result->Most, Own.Most)}
                    : Own;
  }
  return Result;
}

static std::optional<Range> symbolRange(const Kernel &K, SymbolId Id) {
  const Symbol &S = K.Symbols[Id];
  switch (S.Kind) {
  case SymbolKind::ThreadIdx:
    if (std::optional<int64_t> Extent = largestBlock(K, S.Axis))
      return Range{0, *Extent - 1};
    return std::nullopt;
  case SymbolKind::BlockDim:
    if (std::optional<int64_t> Extent = largestBlock(K, S.Axis))
      return Range{1, *Extent};
    return std::nullopt;
  case SymbolKind::LoopVariable:
    return loopRange(K, Id);
  default:
    return std::nullopt;
  }
}

std::optional<Range> rangeOf(const Kernel &K, const Polynomial &P) {
  Range Sum;
  for (const auto &[Monomial, Coefficient] : P.terms()) {
    Range Term{Coefficient, Coefficient};
    for (SymbolId Id : Monomial) {
      std::optional<Range> Factor = symbolRange(K, Id);
      if (!Factor)
        return std::nullopt;
      int64_t Corners[4];
      if (llvm::MulOverflow(Term.Least, Factor->Least, Corners[0]) ||
          llvm::MulOverflow(Term.Least, Factor->Most, Corners[1]) ||
          llvm::MulOverflow(Term.Most, Factor->Least, Corners[2]) ||
          llvm::MulOverflow(Term.Most, Factor->Most, Corners[3]))
        return std::nullopt;
      Term = {*std::min_element(Corners, Corners + 4),
              *std::max_element(Corners, Corners + 4)};
    }
    if (llvm::AddOverflow(Sum.Least, Term.Least, Sum.Least) ||
        llvm::AddOverflow(Sum.Most, Term.Most, Sum.Most))
      return std::nullopt;
  }
  return Sum;
}

} // namespace cudal1

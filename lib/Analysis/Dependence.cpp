//===- Dependence.cpp - Do two accesses of a loop nest meet? --------------===//

#include "cudal1/Analysis/Dependence.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Distances up to this many iterations are tried for steps of unknown size.
static constexpr int64_t MostTried = 8;

namespace {

/// Sum of Stride * distance over the loops = Offset.
class DistanceEquation {
public:
  DistanceEquation(llvm::ArrayRef<const Loop *> Nest,
                   llvm::function_ref<bool(const Polynomial &)> IsPositive)
      : IsPositive(IsPositive) {
    Result.Distances.resize(Nest.size());
  }

  void addTerm(size_t Index, const Loop &L, const Polynomial &Stride) {
    // A negative stride is a positive one, counted the other way round.
    bool Falls = isGreater(Polynomial(0), Stride);
    Terms.push_back({Index, &L, Falls ? -Stride : Stride, Falls});
  }
  /// The distances that solve the equation; nothing when none can.
  std::optional<Dependence> solve(Polynomial Offset);

private:
  struct Term {
    size_t Index;
    const Loop *L;
    Polynomial Stride;
    bool Falls;
  };

  bool isGreater(const Polynomial &A, const Polynomial &B) const {
    Polynomial Difference = A - B;
    if (auto Value = Difference.constant())
      return *Value > 0;
    return IsPositive(Difference);
  }
  std::optional<Polynomial> reach(const Term &Without) const;
  bool solveTerm(size_t Number, Polynomial &Offset);

  llvm::function_ref<bool(const Polynomial &)> IsPositive;
  std::vector<Term> Terms;
  Dependence Result;
};

} // namespace

/// The most that all terms but \p Without can add up to, either way.
std::optional<Polynomial> DistanceEquation::reach(const Term &Without) const {
  Polynomial Sum(0);
  for (const Term &T : Terms) {
    if (&T == &Without)
      continue;
    if (!isGreater(T.Stride, Polynomial(0)))
      return std::nullopt;
    if (T.L->TripCount) {
      Sum = Sum + T.Stride * Polynomial(int64_t(*T.L->TripCount) - 1);
      continue;
    }
    if (!T.L->Counted || T.L->Step != 1)
      return std::nullopt;
    Sum = Sum + T.Stride * (T.L->Upper - T.L->Lower - Polynomial(1));
  }
  return Sum;
}

/// Finds the one distance of a term whose stride is beyond the reach of all
/// others, and takes it out of the equation.
bool DistanceEquation::solveTerm(size_t Number, Polynomial &Offset) {
  const Term T = Terms[Number];
  auto Others = reach(Terms[Number]);
  if (!Others || !isGreater(T.Stride, *Others))
    return false;
  for (int64_t Tried = 0; Tried <= MostTried; ++Tried)
    for (int64_t Distance : {Tried, -Tried}) {
      Polynomial Left = Offset - T.Stride * Polynomial(Distance);
      if (!isGreater(T.Stride - *Others, Left) ||
          !isGreater(T.Stride - *Others, -Left))
        continue;
      Result.Distances[T.Index] = T.Falls ? -Distance : Distance;
      Offset = Left;
      Terms.erase(Terms.begin() + ptrdiff_t(Number));
      return true;
    }
  return false;
}

std::optional<Dependence> DistanceEquation::solve(Polynomial Offset) {
  bool Progress = true;
  while (Progress && !Terms.empty()) {
    Progress = false;
    for (size_t I = 0; I < Terms.size() && !Progress; ++I) {
      const Term &T = Terms[I];
      auto Stride = T.Stride.constant();
      auto Value = Offset.constant();
      if (Terms.size() == 1 && Stride && *Stride != 0 && Value) {
        if (*Value % *Stride != 0)
          return std::nullopt;
        int64_t Distance = *Value / *Stride;
        if (T.L->TripCount && std::abs(Distance) >= int64_t(*T.L->TripCount))
          return std::nullopt;
        Result.Distances[T.Index] = T.Falls ? -Distance : Distance;
        return Result;
      }
      Progress = solveTerm(I, Offset);
    }
  }
  // No loop moves the one onto the other.
  if (Terms.empty())
    if (auto Left = Offset.constant(); Left && *Left != 0)
      return std::nullopt;
  return Result;
}

static bool changesWithin(const Kernel &K, const Polynomial &P,
                          llvm::ArrayRef<const Loop *> Nest) {
  return !K.isInvariantIn(P, *Nest.front());
}

std::optional<Dependence>
findDependence(const Kernel &K, const MemoryAccess &First,
               const MemoryAccess &Second, llvm::ArrayRef<const Loop *> Nest,
               llvm::function_ref<bool(const Polynomial &)> IsPositive) {
  Dependence Unknown;
  Unknown.Distances.resize(Nest.size());
  if (Nest.empty() || First.InCallee || Second.InCallee || !First.Base ||
      First.Base != Second.Base || First.ElementSize != Second.ElementSize ||
      First.ElementSize == 0)
    return Unknown;
  Polynomial Start = First.Index, End = Second.Index;
  DistanceEquation Equation(Nest, IsPositive);
  for (size_t I = 0; I < Nest.size(); ++I) {
    const Loop &L = *Nest[I];
    auto Stride = First.Index.coefficientOf(L.VariableSymbol);
    auto Other = Second.Index.coefficientOf(L.VariableSymbol);
    // In a triangle the variable's values are others in each outer iteration.
    if (!L.Counted || !L.Step || !Stride || !Other || !(*Stride == *Other) ||
        changesWithin(K, *Stride, Nest) || changesWithin(K, L.Lower, Nest) ||
        changesWithin(K, L.Upper, Nest))
      return Unknown;
    Start = Start.without(L.VariableSymbol);
    End = End.without(L.VariableSymbol);
    if (!Stride->isZero())
      Equation.addTerm(I, L, *Stride * Polynomial(*L.Step));
  }
  if (changesWithin(K, Start, Nest) || changesWithin(K, End, Nest))
    return Unknown;
  return Equation.solve(Start - End);
}

} // namespace cudal1

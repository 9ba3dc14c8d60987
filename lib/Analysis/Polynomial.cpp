//===- Polynomial.cpp - Index expressions as integer polynomials ----------===//

#include "cudal1/Analysis/Polynomial.h"

#include <algorithm>

namespace cudal1 {

Polynomial::Polynomial(int64_t Constant) {
  if (Constant != 0)
    Terms[{}] = Constant;
}

Polynomial Polynomial::symbol(SymbolId Id) {
  Polynomial P;
  P.Terms[{Id}] = 1;
  return P;
}

// Coefficients wrap around like the machine's own index arithmetic does.
static int64_t wrappingAdd(int64_t A, int64_t B) {
  return int64_t(uint64_t(A) + uint64_t(B));
}
static int64_t wrappingMul(int64_t A, int64_t B) {
  return int64_t(uint64_t(A) * uint64_t(B));
}

void Polynomial::add(const Monomial &M, int64_t Coefficient) {
  auto [It, New] = Terms.try_emplace(M, Coefficient);
  if (!New)
    It->second = wrappingAdd(It->second, Coefficient);
  if (It->second == 0)
    Terms.erase(It);
}

Polynomial Polynomial::operator+(const Polynomial &Other) const {
  Polynomial Sum = *this;
  for (const auto &[M, C] : Other.Terms)
    Sum.add(M, C);
  return Sum;
}

Polynomial Polynomial::operator-(const Polynomial &Other) const {
  Polynomial Difference = *this;
  for (const auto &[M, C] : Other.Terms)
    Difference.add(M, wrappingMul(-1, C));
  return Difference;
}

Polynomial Polynomial::operator*(const Polynomial &Other) const {
  Polynomial Product;
  for (const auto &[MA, CA] : Terms)
    for (const auto &[MB, CB] : Other.Terms) {
      Monomial M;
      std::merge(MA.begin(), MA.end(), MB.begin(), MB.end(),
                 std::back_inserter(M));
      Product.add(M, wrappingMul(CA, CB));
    }
  return Product;
}

std::optional<int64_t> Polynomial::constant() const {
  if (Terms.empty())
    return 0;
  if (Terms.size() == 1 && Terms.begin()->first.empty())
    return Terms.begin()->second;
  return std::nullopt;
}

int64_t Polynomial::constantTerm() const {
  auto It = Terms.find({});
  return It == Terms.end() ? 0 : It->second;
}

bool Polynomial::uses(SymbolId Id) const { return degreeIn(Id) > 0; }

bool Polynomial::usesAny(const std::function<bool(SymbolId)> &Predicate) const {
  for (const auto &[M, C] : Terms)
    if (std::any_of(M.begin(), M.end(), Predicate))
      return true;
  return false;
}

unsigned Polynomial::degreeIn(SymbolId Id) const {
  unsigned Degree = 0;
  for (const auto &[M, C] : Terms)
    Degree = std::max<unsigned>(Degree, std::count(M.begin(), M.end(), Id));
  return Degree;
}

std::optional<Polynomial> Polynomial::coefficientOf(SymbolId Id) const {
  Polynomial Coefficient;
  for (const auto &[M, C] : Terms) {
    auto Count = std::count(M.begin(), M.end(), Id);
    if (Count > 1)
      return std::nullopt;
    if (Count == 0)
      continue;
    Monomial Rest = M;
    Rest.erase(std::find(Rest.begin(), Rest.end(), Id));
    Coefficient.add(Rest, C);
  }
  return Coefficient;
}

Polynomial Polynomial::without(SymbolId Id) const {
  Polynomial Rest;
  for (const auto &[M, C] : Terms)
    if (std::find(M.begin(), M.end(), Id) == M.end())
      Rest.add(M, C);
  return Rest;
}

Polynomial Polynomial::substitute(SymbolId Id, const Polynomial &Value) const {
  Polynomial Result;
  for (const auto &[M, C] : Terms) {
    Polynomial Term(C);
    for (SymbolId S : M)
      Term = Term * (S == Id ? Value : symbol(S));
    Result = Result + Term;
  }
  return Result;
}

std::optional<Polynomial> Polynomial::dividedBy(int64_t Divisor) const {
  Polynomial Quotient;
  for (const auto &[M, C] : Terms) {
    if (Divisor == 0 || C % Divisor != 0)
      return std::nullopt;
    Quotient.Terms[M] = C / Divisor;
  }
  return Quotient;
}

std::string
Polynomial::str(const std::function<std::string(SymbolId)> &Name) const {
  std::string Text;
  auto AddTerm = [&](const Monomial &M, int64_t C) {
    bool Negative = C < 0;
    uint64_t Magnitude = Negative ? -uint64_t(C) : uint64_t(C);
    if (!Text.empty())
      Text += Negative ? " - " : " + ";
    else if (Negative)
      Text += "-";
    std::string Factors;
    for (SymbolId S : M)
      Factors += (Factors.empty() ? "" : "*") + Name(S);
    if (M.empty())
      Text += std::to_string(Magnitude);
    else if (Magnitude == 1)
      Text += Factors;
    else
      Text += std::to_string(Magnitude) + "*" + Factors;
  };
  for (const auto &[M, C] : Terms)
    if (!M.empty())
      AddTerm(M, C);
  if (int64_t Constant = constantTerm(); Constant || Text.empty())
    AddTerm({}, Constant);
  return Text;
}

} // namespace cudal1

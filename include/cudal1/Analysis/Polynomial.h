//===- Polynomial.h - Index expressions as integer polynomials --*- C++ -*-===//
//
// An index such as `(blockIdx.y * blockDim.y + threadIdx.y) * n + k` is kept as
// a polynomial with integer coefficients over symbols. It is affine in the
// symbols that vary from thread to thread or iteration to iteration, with
// coefficients that may be products of sizes known only at run time.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_ANALYSIS_POLYNOMIAL_H
#define CUDAL1_ANALYSIS_POLYNOMIAL_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1 {

/// Index of a symbol in a kernel's SymbolTable.
using SymbolId = unsigned;

class Polynomial {
public:
  /// A product of symbols, ascending, repeated for powers. Empty: constant 1.
  using Monomial = std::vector<SymbolId>;

  Polynomial() = default;
  Polynomial(int64_t Constant);
  static Polynomial symbol(SymbolId Id);

  Polynomial operator+(const Polynomial &Other) const;
  Polynomial operator-(const Polynomial &Other) const;
  Polynomial operator*(const Polynomial &Other) const;
  Polynomial operator-() const { return Polynomial(0) - *this; }
  bool operator==(const Polynomial &Other) const {
    return Terms == Other.Terms;
  }

  bool isZero() const { return Terms.empty(); }
  /// The value when no symbol occurs.
  std::optional<int64_t> constant() const;
  /// The constant term.
  int64_t constantTerm() const;
  bool uses(SymbolId Id) const;
  bool usesAny(const std::function<bool(SymbolId)> &Predicate) const;
  /// The highest power of \p Id.
  unsigned degreeIn(SymbolId Id) const;
  /// p(Id + 1) - p(Id): the stride in that symbol, for a polynomial of degree
  /// at most 1 in it; otherwise nothing.
  std::optional<Polynomial> coefficientOf(SymbolId Id) const;
  /// The terms that \p Id does not occur in.
  Polynomial without(SymbolId Id) const;
  /// Every occurrence of \p Id replaced.
  Polynomial substitute(SymbolId Id, const Polynomial &Value) const;
  /// Exact quotient by a constant, when every coefficient is divisible.
  std::optional<Polynomial> dividedBy(int64_t Divisor) const;

  const std::map<Monomial, int64_t> &terms() const { return Terms; }

  /// As a person writes it: `n*blockIdx.y + k + 1`.
  std::string str(const std::function<std::string(SymbolId)> &Name) const;

private:
  void add(const Monomial &M, int64_t Coefficient);

  std::map<Monomial, int64_t> Terms;
};

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_POLYNOMIAL_H

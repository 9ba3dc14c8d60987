//===- Reduction.h - Loops that reduce into one value -----------*- C++ -*-===//
//
// A loop reduces into a variable, or into an element of memory, when all it
// does with it is to combine it with other values by one associative and
// commutative operation: `sum += a[k]`, `m = fmaxf(m, x)`, `if (x > m) m = x`.
// Then its iterations may be shared out, in any order.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_ANALYSIS_REDUCTION_H
#define CUDAL1_ANALYSIS_REDUCTION_H

#include "cudal1/Analysis/Kernel.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudal1 {

enum class ReductionOp { Sum, Product, Min, Max, And, Or, Xor };

struct Reduction {
  ReductionOp Op = ReductionOp::Sum;
  /// The local variable that the loop reduces into; null for an element.
  const clang::VarDecl *Variable = nullptr;
  /// The accesses to the element that the loop reduces into.
  std::vector<const MemoryAccess *> Element;
  /// Its type without qualifiers: int or wider, float or double.
  clang::QualType Type;
  /// Some update compares (`if (x > m) m = x`), which keeps the first of zeros
  /// of different signs.
  bool Compares = false;

  /// Any order of the iterations gives the same bits.
  bool isExact() const;
  /// `op(x, x) == x`: a first value may be taken into account repeatedly.
  bool isIdempotent() const {
    return Op != ReductionOp::Sum && Op != ReductionOp::Product &&
           Op != ReductionOp::Xor;
  }
};

/// The reduction of \p L into \p Variable, which is declared outside of it;
/// otherwise nothing, and \p Obstacle says why, as one clause.
std::optional<Reduction> findReduction(const Kernel &K, const Loop &L,
                                       const clang::VarDecl *Variable,
                                       std::string &Obstacle);

/// The same for an element of memory; \p Element holds all accesses of \p L to
/// it, and its index does not change in L.
std::optional<Reduction>
findReduction(const Kernel &K, const Loop &L,
              llvm::ArrayRef<const MemoryAccess *> Element,
              std::string &Obstacle);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_REDUCTION_H

//===- RowReductions.h - Names and texts of a row's reductions --*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_ROWREDUCTIONS_H
#define CUDAL1_LIB_REWRITE_ROWREDUCTIONS_H

#include "ReductionText.h"
#include "RowKernel.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// How the values into which the loops of a kernel reduce are written. An
/// element of memory gets the name of a new variable.
class RowReductions {
public:
  RowReductions(const Kernel &K, const RowKernel &Rows) : K(K), Rows(Rows) {}

  /// A name that nothing in the kernel has, not even one that was given out.
  std::string fresh(llvm::StringRef Wanted);
  /// Names the elements; to be called once.
  void nameElements();
  /// Of the \p I-th of the kernel's elements.
  const std::string &elementName(size_t I) const { return ElementNames[I]; }

  std::string nameOf(const Reduction &R) const;
  std::string typeOf(const Reduction &R) const;
  ReductionText textOf(const Reduction &R) const;
  /// The element that \p R reduces into; null for a variable.
  const RowElement *elementOf(const Reduction &R) const;
  /// \p Value changes nothing when it is combined.
  bool isNeutral(const Reduction &R, const clang::Expr *Value) const;

  /// Where \p L begins for the thread \p Lane of those that share it:
  /// `first + lane`, or the lane alone.
  std::string startOf(const RowLoop &L, const std::string &Lane,
                      EditBuilder &Builder) const;
  /// Writes the variable for all uses of the \p I-th element but the first.
  void nameUses(EditBuilder &Builder, size_t I) const;
  /// The same, and makes the first its declaration: `float sum = 0;`
  void declareInPlace(EditBuilder &Builder, size_t I) const;
  std::string elementType(size_t I) const;
  /// `sums[c] = sum;`
  std::string storeOf(size_t I) const;

private:
  const Kernel &K;
  const RowKernel &Rows;
  std::vector<std::string> ElementNames;
  std::vector<std::string> Taken;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_ROWREDUCTIONS_H

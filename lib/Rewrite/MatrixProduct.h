//===- MatrixProduct.h - C = alpha * A * B + beta * C -----------*- C++ -*-===//
//
// A contraction nest whose whole work is the product of two matrices as BLAS
// defines it: alpha and beta are values known at the launch, elements of each
// row lie side by side in the output, and every matrix is one of rows or of
// columns with a fixed distance between them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_MATRIXPRODUCT_H
#define CUDAL1_LIB_REWRITE_MATRIXPRODUCT_H

#include "cudal1/Analysis/Contraction.h"

namespace cudal1 {

/// A factor that is known before the launch: the product of its parts, each a
/// parameter of the kernel or a constant; 1 when there are none.
struct ProductScale {
  bool Negative = false;
  std::vector<const clang::Expr *> Parts;
};

/// One of the matrices, as BLAS sees it: columns one after the other.
struct ProductMatrix {
  const clang::ParmVarDecl *Pointer = nullptr;
  /// BLAS has to exchange rows and columns of what lies there.
  bool Transposed = false;
  /// Elements from one column to the next, and how many a column has.
  Polynomial Leading;
  Polynomial ColumnLength;
};

/// Number of rows or columns of the output.
struct ProductExtent {
  Polynomial Form;
  /// In place of Form where only text says it: `n / 16 * 16`.
  std::string Text;

  bool operator==(const ProductExtent &Other) const {
    return Text.empty() ? Other.Text.empty() && Form == Other.Form
                        : Text == Other.Text;
  }
};

/// The transposed product, Output^T = alpha * First * Second + beta * Output^T:
/// rows of the output are the columns of BLAS. First holds the right factor,
/// Second the left one.
struct MatrixProduct {
  /// float or double.
  clang::QualType Element;
  /// Of the output as the kernel numbers it, and the number of products of a
  /// sum.
  ProductExtent Rows, Columns;
  Polynomial Depth;
  ProductMatrix First, Second, Output;
  ProductScale Alpha;
  /// Nothing: the output is not read.
  std::optional<ProductScale> Beta;
};

/// The product that \p Nest is; otherwise nothing, and \p Obstacle says why, as
/// one clause.
std::optional<MatrixProduct> matrixProduct(const Kernel &K,
                                           const ContractionNest &Nest,
                                           std::string &Obstacle);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_MATRIXPRODUCT_H

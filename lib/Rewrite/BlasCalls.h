//===- BlasCalls.h - A matrix product as a call of cuBLAS -------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_BLASCALLS_H
#define CUDAL1_LIB_REWRITE_BLASCALLS_H

#include "LaunchEdits.h"
#include "LibraryUnit.h"
#include "MatrixProduct.h"

namespace cudal1 {

/// The launches of a kernel that is a matrix product, as calls of a function
/// that gives the product to cuBLAS.
class BlasCalls {
public:
  /// Nothing where cuBLAS might refuse what the kernel takes, or the text
  /// cannot be written; \p Obstacle says why, as one clause.
  static std::optional<BlasCalls> of(const Kernel &K, const ProgramAnalysis &A,
                                     MatrixProduct Product, LaunchSet Launches,
                                     std::string &Obstacle);

  llvm::Expected<Edit> apply() const;
  /// What has to hold since cuBLAS does not read what it multiplies by 0; ""
  /// where nothing is seen to be 0.
  std::string condition() const;
  /// `cublasSgemm`
  std::string function() const;

private:
  BlasCalls(const Kernel &K, const ProgramAnalysis &A, MatrixProduct Product,
            LaunchSet Launches)
      : K(K), A(A), Product(std::move(Product)), Launches(std::move(Launches)) {
  }

  bool isRight(std::string &Obstacle) const;
  bool isAtLeast(const Polynomial &Leading, const Polynomial &Length) const;
  bool isPositive(const Polynomial &P) const;
  std::optional<std::string> number(const Polynomial &P) const;
  bool mayBeZero(const ProductScale &Scale) const;
  bool hasStreams() const;
  bool takesStream() const;

  std::string extent(const ProductExtent &E) const;
  std::string depth() const;
  std::string leading(const ProductMatrix &M) const;
  std::string emptyGuard(llvm::StringRef Unit) const;
  std::string scaleValue(const ProductScale &Scale) const;
  std::string constantText(const clang::Expr *E) const;
  struct Names {
    std::string Check, Handle, Product;
    /// The handle is there already.
    bool Exist = false;
  };
  Names names() const;
  std::string support(const Names &N, llvm::StringRef Unit) const;
  std::string functionText(const Names &N, EditBuilder &Builder) const;
  void writeDefinition(EditBuilder &Builder, UnitWriter &Unit,
                       const Names &N) const;
  void writeLaunches(EditBuilder &Builder, const Names &N) const;
  void removeShapes(EditBuilder &Builder) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  MatrixProduct Product;
  LaunchSet Launches;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_BLASCALLS_H

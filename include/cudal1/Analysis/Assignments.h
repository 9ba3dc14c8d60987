//===- Assignments.h - Where variables of a function change -----*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_ASSIGNMENTS_H
#define CUDAL1_ANALYSIS_ASSIGNMENTS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace cudal1 {

/// Every way in which the variables of a statement change after their
/// initialisation.
class Assignments {
public:
  struct Change {
    /// The assignment, increment, `&v` or call argument.
    const clang::Expr *Where;
    /// The value assigned by a plain `v = e`; null for any other change.
    const clang::Expr *Value;
    /// The address is taken or a reference is bound: it may change anywhere.
    bool Escapes;
  };

  static Assignments of(const clang::Stmt *Body);
  /// True when \p V is named anywhere in \p Body.
  static bool mentions(const clang::Stmt *Body, const clang::ValueDecl *V);

  llvm::ArrayRef<Change> changesOf(const clang::ValueDecl *V) const {
    auto It = Changes.find(V);
    if (It == Changes.end())
      return {};
    return It->second;
  }
  bool isAssigned(const clang::ValueDecl *V) const {
    return !changesOf(V).empty();
  }
  /// Variables that change somewhere in the statement, in source order of
  /// their first change.
  llvm::ArrayRef<const clang::ValueDecl *> changed() const { return Order; }

  void record(const clang::ValueDecl *V, Change C);

private:
  llvm::DenseMap<const clang::ValueDecl *, llvm::SmallVector<Change, 2>>
      Changes;
  llvm::SmallVector<const clang::ValueDecl *, 8> Order;
};

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_ASSIGNMENTS_H

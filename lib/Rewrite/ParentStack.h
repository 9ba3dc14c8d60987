//===- ParentStack.h - Statements with what stands around them --*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_PARENTSTACK_H
#define CUDAL1_LIB_REWRITE_PARENTSTACK_H

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudal1 {

/// A visitor that knows the statements around the one that it visits, without
/// Clang's map of parents (which would walk the whole unit).
template <typename Derived>
class ParentStackVisitor : public clang::RecursiveASTVisitor<Derived> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseStmt(clang::Stmt *S) {
    if (!S)
      return true;
    Stack.push_back(S);
    bool Go = clang::RecursiveASTVisitor<Derived>::TraverseStmt(S);
    Stack.pop_back();
    return Go;
  }

protected:
  /// The statement being visited comes last.
  llvm::ArrayRef<const clang::Stmt *> stack() const { return Stack; }

private:
  friend Derived;
  ParentStackVisitor() = default;

  std::vector<const clang::Stmt *> Stack;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_PARENTSTACK_H

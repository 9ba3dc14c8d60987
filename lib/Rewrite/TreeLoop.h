//===- TreeLoop.h - A loop whose distance halves or doubles -----*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_TREELOOP_H
#define CUDAL1_LIB_REWRITE_TREELOOP_H

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// The head and the parts of such a loop over the threads of a block.
struct TreeLoop {
  const clang::Stmt *Loop = nullptr;
  /// The distance, and what declares it outside of the loop, if something does.
  const clang::VarDecl *Distance = nullptr;
  const clang::DeclStmt *Counter = nullptr;
  bool Doubles = false;
  /// `if (thread < distance)`, the one statement beside a barrier and
  /// declarations.
  const clang::IfStmt *If = nullptr;
};

/// Reads the loops of a kernel as trees.
class TreeLoopReader {
public:
  TreeLoopReader(const Kernel &K, const StatementTree &Tree, int64_t BlockSize)
      : K(K), Tree(Tree), Changes(Assignments::of(Tree.body())),
        BlockSize(BlockSize) {}

  /// \p S as a tree's loop, if it is one as far as its head, its barrier and
  /// what else is in it go.
  std::optional<TreeLoop> read(const clang::Stmt *S) const;
  /// The threads for which \p L combines elements \p Target and \p Other are
  /// those that its condition lets through.
  bool combines(const TreeLoop &L, const Polynomial &Target,
                const Polynomial &Other) const;
  /// `__syncthreads();`
  static bool isBarrier(const clang::Stmt *S);

private:
  bool head(const clang::ForStmt *For, TreeLoop &L) const;
  bool head(const clang::WhileStmt *While, TreeLoop &L) const;
  bool body(llvm::ArrayRef<const clang::Stmt *> Statements, TreeLoop &L) const;
  bool range(const clang::Expr *Start, const clang::Expr *Condition,
             const clang::Stmt *Step, TreeLoop &L) const;
  bool isVariable(const clang::Expr *E, const clang::VarDecl *V) const;
  bool isConstant(const clang::Expr *E, int64_t Value) const;
  bool isThread(const clang::Expr *E) const;
  bool isExtent(const clang::Expr *E) const;
  bool isTwice(const clang::Expr *E, const clang::VarDecl *V) const;
  bool isMultiple(const clang::Expr *Condition, const TreeLoop &L) const;
  bool isBelowExtent(const clang::Expr *Condition, const Polynomial &P) const;
  Polynomial expanded(Polynomial P) const;
  const clang::Expr *definition(const clang::Expr *E) const;

  const Kernel &K;
  const StatementTree &Tree;
  Assignments Changes;
  int64_t BlockSize;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_TREELOOP_H

//===- RowFinder.h - Recognises kernels of rows -----------------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_ROWFINDER_H
#define CUDAL1_LIB_REWRITE_ROWFINDER_H

#include "RowKernel.h"
#include "cudal1/Analysis/Assignments.h"

namespace cudal1 {

/// Reads a kernel as a RowKernel. RowKernel.cpp reads what is executed,
/// RowMemory.cpp what is done to memory, RowStarts.cpp where
/// loops may begin.
class RowFinder {
public:
  RowFinder(const Kernel &K, const ProgramAnalysis &A,
            const StatementTree &Tree, std::string &Obstacle)
      : K(K), A(A), Tree(Tree), Obstacle(Obstacle),
        Changes(Assignments::of(Tree.body())) {}

  std::optional<RowKernel> find(RowOrder Order);

private:
  using Accesses = std::vector<const MemoryAccess *>;

  bool no(const llvm::Twine &Why) {
    Obstacle = Why.str();
    return false;
  }
  bool isPlainKernel();
  bool row();
  bool loops();
  bool isSteady(const clang::Expr *E, const Assignments &Where) const;
  bool head(RowLoop &Row);
  bool reductions(RowLoop &Row);
  bool memory();
  bool isDisjoint(const MemoryAccess &Written);
  bool elementWise(const Accesses &Uses);
  bool elementsAndStores(const Accesses &Uses);
  bool singleStores(const Accesses &Uses);
  bool element(const Accesses &Uses);
  bool elementReductions(const Accesses &Uses);
  bool firstValue(const Accesses &Uses);
  bool walks(RowOrder Order) const;
  bool mayBeginAtZero(const RowLoop &Row) const;
  void alignStarts();
  const RowLoop *loopOf(const MemoryAccess &Access) const;
  const clang::Stmt *storeOf(const MemoryAccess &Access) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  std::string &Obstacle;
  Assignments Changes;
  RowKernel R;
  /// Pairs of arrays that were found apart.
  std::vector<std::pair<const clang::ValueDecl *, const clang::ValueDecl *>>
      Disjoint;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_ROWFINDER_H

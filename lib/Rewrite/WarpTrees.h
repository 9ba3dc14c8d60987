//===- WarpTrees.h - A warp in place of a block with a tree -----*- C++ -*-===//
//
// A block that adds up one element of each of its threads does little for what
// its start costs. A warp does the same work by itself: its lanes take several
// elements each, then exchange what they have found, without a barrier.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_WARPTREES_H
#define CUDAL1_LIB_REWRITE_WARPTREES_H

#include "BuiltinUses.h"
#include "LaunchEdits.h"
#include "ReductionText.h"
#include "SharedTrees.h"

namespace cudal1 {

class WarpTrees {
public:
  /// \p K, whose one tree is \p Trees, if a warp can do all that a block does;
  /// otherwise nothing, and \p Obstacle says why.
  static std::optional<WarpTrees> of(const Kernel &K, const ProgramAnalysis &A,
                                     const StatementTree &Tree,
                                     const SharedTrees &Trees,
                                     std::string &Obstacle);

  /// Writes kernel and launches for blocks of \p Warps warps.
  void write(EditBuilder &Builder, int64_t Warps) const;
  std::string evidence() const;

private:
  WarpTrees(const Kernel &K, const ProgramAnalysis &A,
            const StatementTree &Tree, const SharedTrees &Trees)
      : K(&K), A(&A), Tree(&Tree), Trees(&Trees) {}

  const SharedTree &tree() const { return Trees->Trees.front(); }
  const TreeArray &array() const { return tree().Arrays.front(); }
  bool parts(std::string &Obstacle);
  bool isEnd(const clang::Stmt *S) const;
  bool bound(std::string &Obstacle);
  std::string patched(const EditBuilder &Builder, clang::SourceLocation Begin,
                      clang::SourceLocation End) const;
  void writeKernel(EditBuilder &Builder, int64_t Warps) const;

  const Kernel *K;
  const ProgramAnalysis *A;
  const StatementTree *Tree;
  const SharedTrees *Trees;
  std::vector<BuiltinUse> Uses;
  /// What each thread does before the tree, and `if (t == 0) ...` behind it.
  std::vector<const clang::Stmt *> Before;
  const clang::IfStmt *End = nullptr;
  /// The grid has as many blocks as this many elements need.
  const clang::ParmVarDecl *Count = nullptr;
  LaunchSet Launches;
  std::string Lane, Block, Item, Value, Result, Offset;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_WARPTREES_H

//===- CoarsenedBlock.h - Blocks with fewer threads than rows ---*- C++ -*-===//
//
// A block of 32 x 32 threads that brings a tile to shared memory, waits, and
// takes it out again has one load a thread under way, and few blocks fit a
// multiprocessor. With 32 x 8 threads, each of which does in turn what four of
// one column did, loads of several rows are under way at once. Between two
// barriers threads do not see what others do: any order of them is as good.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_COARSENEDBLOCK_H
#define CUDAL1_LIB_REWRITE_COARSENEDBLOCK_H

#include "BuiltinUses.h"
#include "LaunchEdits.h"
#include "ScopedText.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

class CoarsenedBlock {
public:
  CoarsenedBlock(const Kernel &K, const ProgramAnalysis &A);

  /// Why threads cannot stand for several, as one clause; "" when they can.
  const std::string &obstacle() const { return Obstacle; }
  /// Threads of a block along y as its author wrote it, and in all.
  int64_t rows() const { return Rows; }
  int64_t threads() const { return Threads; }
  std::string evidence() const;
  /// Each thread does the work of \p Items; \p Items divides rows().
  void write(EditBuilder &Builder, int64_t Items) const;

private:
  bool no(const std::string &Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool findLaunches();
  bool findPhases();
  bool isPlain();
  bool splitPhases();
  bool note(const clang::DeclStmt &S, bool IsSteady, size_t Phase);
  bool mayStandBefore(const clang::DeclStmt *S, bool Leading) const;
  bool findCarried();
  bool carry(const clang::VarDecl *V, size_t Phase);
  bool isComputedAnew(const clang::VarDecl *V, size_t Phase);
  bool isSetFirst(const clang::VarDecl *V, size_t Phase);
  bool dependsOnRow(const clang::Stmt *S) const;
  bool readsMemory(const clang::Stmt *S) const;
  std::vector<Patch> patches(int64_t Items) const;
  std::string bodyText(int64_t Items) const;
  void phaseText(Lines &Out, size_t Phase, int64_t Items) const;
  void add(Lines &Out, const clang::Stmt *S,
           const std::vector<Patch> &With) const;
  void writeLaunches(EditBuilder &Builder, int64_t Items) const;

  /// What stands between two barriers.
  struct Phase {
    /// Declarations that are the same for all rows, in front of the loop.
    Statements Before;
    Statements Work;
    /// Variables of earlier phases, to be declared again at the beginning.
    std::vector<const clang::VarDecl *> Again;
    /// `x = ...;` becomes the declaration of x.
    llvm::DenseMap<const clang::Stmt *, const clang::VarDecl *> Declares;
    /// The barrier at its end; null for the last phase.
    const clang::Stmt *Barrier = nullptr;
  };

  const Kernel &K;
  const ProgramAnalysis &A;
  StatementTree Tree;
  Assignments Changes;
  ScopedText Text;
  LaunchSet Set;
  std::vector<BuiltinUse> Uses;
  std::vector<Phase> Phases;
  /// Variables that stand in front of loops.
  VariableSet Steady;
  /// Where variables are declared that stand in loops.
  llvm::DenseMap<const clang::VarDecl *, size_t> DeclaredIn;
  std::string Row;
  int64_t Rows = 0, Threads = 0;
  std::string Obstacle;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_COARSENEDBLOCK_H

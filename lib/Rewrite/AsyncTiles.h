//===- AsyncTiles.h - Tiles that a loop copies and uses ---------*- C++ -*-===//
//
// A loop that in every turn copies elements of global memory to shared arrays,
// waits for the block, computes with them and waits again. With several stages
// of the arrays, the copies of later turns run while a turn computes.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_ASYNCTILES_H
#define CUDAL1_LIB_REWRITE_ASYNCTILES_H

#include "BodyText.h"
#include "SharedArrayUses.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

/// One element that is written: copied from memory, or set to a value.
struct TileWrite {
  const clang::BinaryOperator *Assignment = nullptr;
  /// The element of global memory, or `__ldg` of its address; null for a value
  /// that is stored as it is.
  const clang::Expr *Source = nullptr;
  /// Of `condition ? source : value`, or `condition ? value : source`.
  const clang::ConditionalOperator *Choice = nullptr;
};

class AsyncTiles {
public:
  /// What loop \p L of \p K does, or nothing, and \p Obstacle says why.
  static std::optional<AsyncTiles> of(const Kernel &K, const ProgramAnalysis &A,
                                      const StatementTree &Tree, const Loop &L,
                                      std::string &Obstacle);

  /// Bytes of shared memory of one block with \p Stages of each array.
  int64_t sharedBytes(int64_t Stages) const;
  const Loop &loop() const { return *L; }
  llvm::ArrayRef<const ArrayVariable *> arrays() const { return Arrays; }
  /// The barrier at the end of each turn stays: it orders more than the arrays.
  bool keepsLastBarrier() const { return KeepsLastBarrier; }
  void write(EditBuilder &Builder, int64_t Stages) const;

private:
  AsyncTiles(const Kernel &K, const ProgramAnalysis &A,
             const StatementTree &Tree, const Loop &L, std::string &Obstacle)
      : K(&K), A(&A), Tree(&Tree), L(&L), Obstacle(&Obstacle) {}

  bool no(const char *Why) {
    if (Obstacle->empty())
      *Obstacle = Why;
    return false;
  }
  bool findLoop();
  bool findParts();
  bool copyStatement(const clang::Stmt *S);
  bool declaration(const clang::DeclStmt *S);
  bool copyLoop(const clang::ForStmt *S);
  bool copyBranches(const clang::IfStmt *S);
  bool assignment(const clang::BinaryOperator *S);
  bool isSource(const clang::Expr *E, TileWrite &Into) const;
  bool changesWithTurns(const clang::Stmt *S) const;
  bool isTile(const clang::ValueDecl *V) const;
  bool isReadOnly(const MemoryAccess &Access) const;
  bool findArrays();
  bool findUses();
  bool copiesAheadAreTheSame();

  std::string staged(EditBuilder &Builder, const clang::Expr *E,
                     llvm::StringRef Stage) const;
  std::string copyText(EditBuilder &Builder, const TileWrite &W,
                       llvm::StringRef Stage) const;
  std::string copies(EditBuilder &Builder, llvm::StringRef Stage) const;

  const Kernel *K;
  const ProgramAnalysis *A;
  const StatementTree *Tree;
  const Loop *L;
  std::string *Obstacle;
  const clang::ForStmt *For = nullptr;
  /// Where the loop's variable starts, and its bound, as written.
  const clang::Expr *First = nullptr, *Bound = nullptr;
  /// Statements before the first barrier, and between both.
  std::vector<const clang::Stmt *> Copies, Uses;
  const clang::Stmt *Ready = nullptr, *Done = nullptr;
  std::vector<TileWrite> Writes;
  std::vector<const ArrayVariable *> Arrays;
  /// Mentions of the arrays among Copies, and among Uses.
  std::vector<const clang::DeclRefExpr *> Copied, Used;
  /// The loop's variable and what depends on it among Copies.
  VariableSet Changing;
  /// Declared among Copies.
  VariableSet Temporaries;
  bool KeepsLastBarrier = false;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_ASYNCTILES_H

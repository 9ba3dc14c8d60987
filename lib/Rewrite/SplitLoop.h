//===- SplitLoop.h - Several warps for one loop -----------------*- C++ -*-===//
//
// Where neighbouring threads walk neighbouring columns, memory is read well,
// but a loop over many rows in few threads leaves most of the part idle. The
// warps of a block take the same 32 columns and share their rows.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_SPLITLOOP_H
#define CUDAL1_LIB_REWRITE_SPLITLOOP_H

#include "RowReductions.h"

namespace cudal1 {

class SplitLoop {
public:
  /// The one loop of \p Rows, if all threads of a block can come to a barrier
  /// behind it: no more than the loop and first values of what it reduces into
  /// are under the guard of the columns. Otherwise nothing, and \p Obstacle
  /// says why. \p K, \p Tree and \p Rows must outlive it.
  static std::optional<SplitLoop> of(const Kernel &K, const StatementTree &Tree,
                                     const RowKernel &Rows,
                                     std::string &Obstacle);

  /// Writes the kernel for blocks of \p Parts warps.
  void write(EditBuilder &Builder, int64_t Parts);

private:
  SplitLoop(const Kernel &K, const StatementTree &Tree, const RowKernel &Rows)
      : K(K), Tree(Tree), Rows(Rows), Names(K, Rows) {}
  bool no(const llvm::Twine &Why) {
    Obstacle = Why.str();
    return false;
  }
  const RowLoop &loop() const { return Rows.Loops.front(); }
  bool find();
  bool findGuard();
  bool isGuard(const clang::IfStmt *If, bool ThenLeaves);
  bool startsAnew();
  bool isFirstValue(const clang::Stmt *S) const;
  bool beginsWithConstant(const Reduction &R) const;
  void head(EditBuilder &Builder, int64_t Parts);
  void hoistFirstValues(EditBuilder &Builder) const;
  std::string exchange() const;
  std::string combination(int64_t Parts, const std::string &Indent) const;

  const Kernel &K;
  const StatementTree &Tree;
  const RowKernel &Rows;
  std::string Obstacle;
  /// `if (column < columns) { ... }`, or `if (column >= columns) return;`.
  const clang::IfStmt *Guard = nullptr;
  bool Leaves = false;
  RowReductions Names;
  std::string Unit, Lane, Part, Other;
  std::vector<std::string> Partial;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_SPLITLOOP_H

//===- TransposedTile.h - An element kernel through a tile ------*- C++ -*-===//
//
// Writes the body of a kernel whose loads follow one axis of the grid and whose
// stores follow the other in two phases: values go into a tile in shared memory
// with the threads along the loads, and come out of it with the threads along
// the stores.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_TRANSPOSEDTILE_H
#define CUDAL1_LIB_REWRITE_TRANSPOSEDTILE_H

#include "ScopedText.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/ElementKernel.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// A block of Columns x Rows threads moves Edge x Edge elements.
struct TransposedShape {
  int64_t Edge = 0, Rows = 0, Columns = Edge;

  /// A thread moves several elements of a row.
  bool walksRows() const { return Columns < Edge; }
};

class TransposedTile {
public:
  TransposedTile(const Kernel &K, const ProgramAnalysis &A,
                 const ElementKernel &E);

  /// Why the kernel cannot be written in two phases, or would not gain by it;
  /// "" when it can.
  const std::string &obstacle() const { return Obstacle; }
  /// Why no store can change what is loaded, one clause each.
  const std::vector<std::string> &evidence() const { return Evidence; }
  /// The arrays that are read through the tiles: "in", "a, b".
  std::string loaded() const;
  /// Bytes of shared memory of one block.
  int64_t sharedBytes(const TransposedShape &Shape) const;
  /// The new body, without braces.
  std::string body(const TransposedShape &Shape) const;

private:
  /// What passes through one tile.
  struct Value {
    const MemoryAccess *Load = nullptr;
    /// Evaluated in the first phase: the load, or an expression around it.
    const clang::Expr *Expression = nullptr;
    /// Other loads of the same element.
    std::vector<const clang::Expr *> Repeated;
    std::string Tile, Type;
    int64_t Bytes = 0;
    /// Elements added to each row of the tile, against bank conflicts.
    int64_t Padding = 1;
  };

  bool no(const std::string &Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool isWellFormed();
  bool findAxes();
  bool findValues();
  bool addValue(const MemoryAccess &Load);
  bool isSameElement(const Value &Known, const MemoryAccess &Load) const;
  const clang::Expr *valueAround(const MemoryAccess &Load);
  bool mayLoadEarly(const Value &V);
  bool chooseType(Value &V);
  void chooseNames();
  std::optional<unsigned> contiguousAxis(const MemoryAccess &Access) const;
  const clang::Stmt *statementOf(const clang::Stmt *S) const;
  bool standsAtTop(const clang::VarDecl *V) const;

  std::string name(llvm::ArrayRef<llvm::StringRef> Choices);
  void phase(Lines &Out, unsigned FastAxis, const TransposedShape &Shape,
             const Statements &For) const;
  void loadPhase(Lines &Out, const TransposedShape &Shape) const;
  void storePhase(Lines &Out, const TransposedShape &Shape) const;
  void declarations(Lines &Out, const std::vector<const clang::VarDecl *> &Of,
                    const std::vector<Patch> &Patches) const;
  void comments(Lines &Out, const clang::Stmt *S) const;
  std::vector<Patch> patches(const TransposedShape &Shape) const;
  std::string column(const TransposedShape &Shape) const;
  void close(Lines &Out, const TransposedShape &Shape) const;
  Statements work() const;
  Statements replaced() const;
  Statements guards() const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const ElementKernel &E;
  ScopedText Text;
  StatementTree Tree;
  Assignments Changes;
  /// The axes along which loads and stores are contiguous.
  unsigned LoadAxis = 0, StoreAxis = 1;
  std::vector<Value> Values;
  std::string Edge, Rows, Columns, I, J;
  std::vector<std::string> Taken;
  /// Statements whose comments have been written.
  mutable llvm::DenseSet<const clang::Stmt *> Commented;
  std::vector<std::string> Evidence;
  std::string Obstacle;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_TRANSPOSEDTILE_H

//===- BlockTiledLoop.h - A loop over what all threads read -----*- C++ -*-===//
//
// `for j { ... x[j] ... }`, where x[j] is the same element for all threads of a
// block: the block brings a tile of x to shared memory, all threads go through
// it, and the next one comes. Threads that are out of bounds help to bring the
// tiles, and do nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_BLOCKTILEDLOOP_H
#define CUDAL1_LIB_REWRITE_BLOCKTILEDLOOP_H

#include "IntegerRange.h"
#include "ScopedText.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/ElementKernel.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

class BlockTiledLoop {
public:
  /// The loop \p L of \p K, whose elements are \p E, in one dimension.
  BlockTiledLoop(const Kernel &K, const ProgramAnalysis &A,
                 const ElementKernel &E, const Loop &L);

  /// Why the loop cannot be tiled, as one clause; "" when it can.
  const std::string &obstacle() const { return Obstacle; }
  /// The arrays that go through tiles: "bodies", "x, y".
  std::string tiled() const;
  /// Why no store can change what is read, one clause each.
  const std::vector<std::string> &evidence() const { return Evidence; }
  /// Bytes of shared memory of one block.
  int64_t sharedBytes(int64_t Tile) const;
  /// The new body, without braces.
  std::string body(int64_t Tile) const;

private:
  /// What one tile holds: an element, or a member of one, for each j.
  struct Value {
    const MemoryAccess *Read = nullptr;
    /// All mentions of it in the loop.
    std::vector<const MemoryAccess *> Mentions;
    std::string Tile, Type;
    int64_t Bytes = 0;
  };

  bool no(const std::string &Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool isWellFormed();
  bool isPlainLoop();
  bool mayBeGuarded();
  bool findValues();
  bool isSameForAll(const MemoryAccess &Read) const;
  bool isNeverWritten(const MemoryAccess &Read);
  bool addValue(const MemoryAccess &Read);
  bool chooseType(Value &V);
  bool isReadWhole(const Value &V) const;
  bool isOwnElement(const MemoryAccess &Access, const MemoryAccess &Read) const;
  bool loopsOverThreads() const;
  void chooseNames();

  bool standsInFront(const clang::Stmt *S) const;
  bool readsMemory(const clang::Stmt *S) const;
  std::string guard() const;
  bool declareGuarded(Lines &Out, const clang::DeclStmt *S) const;
  void before(Lines &Out) const;
  void tiles(Lines &Out) const;
  void loop(Lines &Out) const;
  void after(Lines &Out) const;
  void add(Lines &Out, const clang::Stmt *S) const;
  std::string loaded(const Value &V) const;
  std::vector<Patch> patches() const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const ElementKernel &E;
  const Loop &L;
  CountedFor Head;
  ScopedText Text;
  StatementTree Tree;
  Assignments Changes;
  std::vector<Value> Values;
  std::vector<std::string> Evidence;
  std::string Size, Start, End, Item;
  std::vector<std::string> Taken;
  std::string Obstacle;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_BLOCKTILEDLOOP_H

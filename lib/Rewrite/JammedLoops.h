//===- JammedLoops.h - A loop whose inner loops can be fused ----*- C++ -*-===//
//
// `for i { before; for j body; after; }` with several iterations of i done at
// once: before for each, one loop over j with the body for each, after for
// each. What is read for j alone is read once for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_JAMMEDLOOPS_H
#define CUDAL1_LIB_REWRITE_JAMMEDLOOPS_H

#include "IntegerRange.h"
#include "ScopedText.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

class JammedLoops {
public:
  /// The nest whose outer loop is \p Outer.
  JammedLoops(const Kernel &K, const ProgramAnalysis &A,
              const StatementTree &Tree, const Assignments &Changes,
              const Loop &Outer);

  /// Why the iterations of the loop cannot be done together; "" when they can.
  const std::string &obstacle() const { return Obstacle; }
  const Loop &inner() const { return *Inner; }
  /// Some number of iterations may be left over for \p Factor.
  bool leavesRest(int64_t Factor) const;
  /// What is left over can be done in a loop of its own.
  bool mayLeaveRest() const;
  /// The accesses that are the same for all iterations done at once.
  bool hasReuse() const;
  /// Writes the nest with \p Factor iterations at once.
  void write(EditBuilder &Builder, int64_t Factor) const;

private:
  bool no(const char *Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool findParts();
  bool isPlain();
  bool changesOwnVariables();
  bool keepsOrder();
  bool mayExchange(const MemoryAccess &Earlier,
                   const MemoryAccess &Later) const;
  unsigned partOf(const MemoryAccess &Access) const;
  /// What the loop's variables are called in each copy of an iteration but the
  /// first.
  using Names = llvm::DenseMap<const clang::ValueDecl *, std::string>;
  std::vector<Names> namesFor(int64_t Factor) const;
  std::vector<Patch> patches(const Names &Of) const;
  bool addCopies(Lines &Out, llvm::ArrayRef<const clang::Stmt *> S,
                 const std::vector<Names> &Copies) const;
  std::string textOf(int64_t Factor) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  const Assignments &Changes;
  const Loop &Outer;
  const Loop *Inner = nullptr;
  CountedFor Head;
  ScopedText Text;
  /// Statements before the inner loop, in its body, and behind it.
  std::array<std::vector<const clang::Stmt *>, 3> Parts;
  /// Variables declared in the outer loop's body, the inner one's excepted.
  std::vector<const clang::VarDecl *> Own;
  std::string Obstacle;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_JAMMEDLOOPS_H

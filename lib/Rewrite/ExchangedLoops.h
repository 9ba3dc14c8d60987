//===- ExchangedLoops.h - Two loops that may change places ------*- C++ -*-===//
//
// `for i for j body` as `for j for i body`: every iteration is made once in
// both, with the same values of i and j, but of two iterations that differ in
// both variables the other one may come first. What such pairs do must not
// depend on their order.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_EXCHANGEDLOOPS_H
#define CUDAL1_LIB_REWRITE_EXCHANGEDLOOPS_H

#include "IntegerRange.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/EditBuilder.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "cudal1/Support/FpClass.h"

namespace cudal1 {

class ExchangedLoops {
public:
  /// The nest whose outer loop is \p Outer.
  ExchangedLoops(const Kernel &K, const ProgramAnalysis &A,
                 const StatementTree &Tree, const Assignments &Changes,
                 const Loop &Outer);

  /// Why the loops have to stay as they are, as one clause; "" when they may
  /// change places.
  const std::string &obstacle() const { return Obstacle; }
  const Loop &inner() const { return *Inner; }
  /// What the other order does to floating-point results.
  FpClass fpClass() const { return Class; }
  /// Proved facts, one clause each.
  const std::vector<std::string> &evidence() const { return Evidence; }
  /// What the accesses of the nest cost in their present order less what they
  /// cost in the other, in sectors of memory an iteration of the body.
  double gain() const;
  /// Swaps the heads.
  void write(EditBuilder &Builder) const;

private:
  bool no(const std::string &Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool findNest(const EditBuilder &Texts);
  bool isRectangle();
  bool isPlain();
  bool changesOwnVariables();
  bool mayExchange(const MemoryAccess &Earlier, const MemoryAccess &Later);
  bool keepsOrder();
  bool isOwn(const clang::VarDecl *V) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  const Assignments &Changes;
  const Loop &Outer;
  const Loop *Inner = nullptr;
  /// Of the outer and the inner loop.
  std::array<CountedFor, 2> Heads;
  FpClass Class = FpClass::Exact;
  std::vector<std::string> Evidence;
  std::string Obstacle;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_EXCHANGEDLOOPS_H

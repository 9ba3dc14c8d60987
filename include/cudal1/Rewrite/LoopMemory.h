//===- LoopMemory.h - What a loop does to one element -----------*- C++ -*-===//
//
// Whether a value in memory may live in a register while a loop runs: no other
// access of the thread in the loop touches it, and nothing in the loop lets
// another thread see it or change it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_REWRITE_LOOPMEMORY_H
#define CUDAL1_REWRITE_LOOPMEMORY_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// What was found about one question of legality.
struct Finding {
  /// Refused: Evidence and Conditions mean nothing then.
  bool Legal = true;
  /// Proved facts, one clause each, without repeats.
  std::vector<std::string> Evidence;
  /// What only a run can confirm, one clause each, without repeats.
  std::vector<std::string> Conditions;

  bool proved() const { return Legal && Conditions.empty(); }
  void refuse() { Legal = false; }
  void addEvidence(std::string Clause);
  void addCondition(std::string Clause);
  void merge(const Finding &Other);
};

/// True when the access is an element of its base, or a member of one, and no
/// element of an array inside it: then Index tells which.
bool isWholeElement(const Kernel &K, const MemoryAccess &Access);

/// True when both name the same element whenever both are evaluated in one
/// iteration of the loops around both.
bool isSameElement(const Kernel &K, const MemoryAccess &A,
                   const MemoryAccess &B);

/// Members of one record that do not share bytes, whichever elements they are
/// of: neither path lies within the other and no union is on the way.
bool areSeparateMembers(const Kernel &K, const MemoryAccess &A,
                        const MemoryAccess &B);

/// True when \p Other, evaluated by the same thread at any time while \p L
/// runs, never touches the element \p Fixed, whose index does not change in
/// \p L. Both have the same base.
bool neverSameElement(const Kernel &K, const Loop &L, const MemoryAccess &Fixed,
                      const MemoryAccess &Other);

/// The memory accesses of \p K written inside \p S.
std::vector<const MemoryAccess *>
accessesIn(const Kernel &K, const StatementTree &Tree, const clang::Stmt *S);

/// True when every call in \p S neither touches memory nor orders it against
/// other threads: maths functions, and functions whose body shows it. With
/// \p AtomicsAside, the kernel's own atomic operations do not count.
bool callsLeaveMemoryAlone(const Kernel &K, const clang::Stmt *S,
                           bool AtomicsAside = false);
/// True when \p Function changes and reads nothing but its own locals and
/// arguments, as far as its body shows.
bool isPureFunction(const clang::FunctionDecl *Function);

/// May the element \p Element be kept in a register while \p L runs? Its index
/// must not change in \p L. \p Uses are its accesses in L.
Finding mayLiveInRegister(const Kernel &K, const ProgramAnalysis &A,
                          const StatementTree &Tree, const Loop &L,
                          const std::vector<const MemoryAccess *> &Uses);

} // namespace cudal1

#endif // CUDAL1_REWRITE_LOOPMEMORY_H

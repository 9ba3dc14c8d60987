//===- OwnValue.h - An element that a thread keeps for itself ---*- C++ -*-===//
//
// Where each thread of a kernel accesses one element of a buffer, its own, and
// writes it before it reads it, the element is no more than a variable of the
// thread: what the buffer held before does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_OWNVALUE_H
#define CUDAL1_LIB_REWRITE_OWNVALUE_H

#include "OwnElements.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// Some path through the body of \p K reads through \p P, at any index, what
/// the same thread has not written there before. For kernels that access
/// through it one element a thread.
bool mayReadFirst(const Kernel &K, const KernelParameter &P);

/// The accesses through one parameter, in source order.
std::vector<const MemoryAccess *> accessesThrough(const Kernel &K,
                                                  const KernelParameter &P);

/// All that a kernel does with one parameter, which a variable can do as well.
struct OwnValue {
  const KernelParameter *Parameter = nullptr;
  std::vector<const MemoryAccess *> Accesses;
  /// Statement before which the variable is to be declared; itself the first
  /// assignment, with nothing of the variable outside of the block behind it,
  /// where IsAssignment.
  const clang::Stmt *Place = nullptr;
  bool IsAssignment = false;

  /// Nothing where \p P is no such element at the launch of \p Threads; why, as
  /// a clause, in \p Obstacle.
  static std::optional<OwnValue> of(const ThreadsOf &Threads,
                                    const KernelParameter &P,
                                    const StatementTree &Tree,
                                    std::string &Obstacle);
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_OWNVALUE_H

//===- ElementInLoop.h - One array element used by a loop -------*- C++ -*-===//
//
// The accesses of a loop to one element whose address does not change in it,
// and what is known about them: whether the loop is bound to make one, and
// whether the thread makes one next to the loop anyway. Both say that an access
// right before or after the loop is one that the original could have made.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_REWRITE_ELEMENTINLOOP_H
#define CUDAL1_REWRITE_ELEMENTINLOOP_H

#include "cudal1/Rewrite/LoopMemory.h"

namespace cudal1 {

struct ElementInLoop {
  const Loop *L = nullptr;
  /// In source order, at least one; all are the same element.
  std::vector<const MemoryAccess *> Uses;

  const MemoryAccess &first() const { return *Uses.front(); }
  bool isWritten() const;
  bool isRead() const;
};

/// The elements with an address that \p L does not change, in the order of
/// their first use. Only plain reads and writes of numbers count: not atomics,
/// not volatile ones, none whose address is taken.
std::vector<ElementInLoop> elementsIn(const Kernel &K,
                                      const StatementTree &Tree, const Loop &L);

/// True when \p L, once it makes an iteration, makes an access of \p Element
/// (a write, with \p Writes) whatever the conditions in it.
bool alwaysAccesses(const Kernel &K, const StatementTree &Tree,
                    const ElementInLoop &Element, bool Writes);

/// True when the condition of the loop, which is evaluated even if the loop
/// makes no iteration, reads the element.
bool isReadOnEntry(const StatementTree &Tree, const ElementInLoop &Element);

/// True when the thread accesses the element (writes it, with \p Writes) in a
/// statement that is executed whenever the loop is reached, with nothing in
/// between by which another thread could become its owner.
bool isAccessedNearby(const Kernel &K, const StatementTree &Tree,
                      const ElementInLoop &Element, bool Writes);

/// How the value of an lvalue expression is used.
enum class ValueUse { Read, Write, ReadWrite, Other };
ValueUse valueUse(const StatementTree &Tree, const clang::Expr *LValue);

} // namespace cudal1

#endif // CUDAL1_REWRITE_ELEMENTINLOOP_H

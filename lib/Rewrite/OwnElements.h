//===- OwnElements.h - What threads touch of each other's work --*- C++ -*-===//
//
// Two kernels that run one after the other can become one, each thread doing
// the work of the first and then that of the second, when no thread of one
// kernel touches memory that another thread of the other kernel writes. That
// is so where they touch different buffers, or each only the elements of its
// own number: i, or row * width + column with column < width.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_OWNELEMENTS_H
#define CUDAL1_LIB_REWRITE_OWNELEMENTS_H

#include "LaunchPairs.h"
#include "cudal1/Analysis/ElementKernel.h"

namespace cudal1 {

/// Which elements of a buffer a thread calls its own, as a function of its
/// number: no two threads of a launch share one.
struct OwnElement {
  /// Elements first * n to first * (n + 1) - 1 for thread n along x ...
  int64_t PerThread = 1;
  /// ... or, not null, row * width + column: the parameter that holds the
  /// width, and the axis along which columns count.
  const clang::ParmVarDecl *Width = nullptr;
  unsigned ColumnAxis = 0;
};

/// The threads of one launch with what they access.
class ThreadsOf {
public:
  /// Nothing when \p L's kernel is no element kernel, and \p Obstacle says why.
  static std::optional<ThreadsOf> of(const LaunchStatement &L,
                                     std::string &Obstacle);

  const Kernel &kernel() const { return *L.Of; }
  const Launch &launch() const { return *L.What; }
  const ElementKernel &elements() const { return E; }
  /// The argument for the parameter that \p Access goes through; null for
  /// constant memory.
  const clang::Expr *bufferOf(const MemoryAccess &Access) const;
  const clang::Expr *argumentOf(const clang::ParmVarDecl &P) const {
    return L.What->Arguments[P.getFunctionScopeIndex()];
  }
  /// What \p Access is to its thread; nothing for any other element.
  std::optional<OwnElement> ownElement(const MemoryAccess &Access) const;

private:
  ThreadsOf(const LaunchStatement &L, ElementKernel E)
      : L(L), E(std::move(E)) {}
  std::optional<OwnElement> ownInLine(const MemoryAccess &Access) const;
  std::optional<OwnElement> ownInPlane(const MemoryAccess &Access) const;

  LaunchStatement L;
  ElementKernel E;
};

/// Why the threads of the two launches cannot run as one, as a clause; "" when
/// they can. \p Evidence gets what was proved.
std::string whyThreadsMeet(const ThreadsOf &First, const ThreadsOf &Second,
                           const ProgramAnalysis &A,
                           std::vector<std::string> &Evidence);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_OWNELEMENTS_H

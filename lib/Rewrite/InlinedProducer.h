//===- InlinedProducer.h - An element computed where it is read -*- C++ -*-===//
//
// An element-wise kernel fills a buffer that the next kernel reads, and nothing
// else does. That kernel can compute the elements itself, in the place where it
// reads them, whatever its threads do with each other: a sum, a scan, a
// product of matrices.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_INLINEDPRODUCER_H
#define CUDAL1_LIB_REWRITE_INLINEDPRODUCER_H

#include "OwnElements.h"
#include "PrivateBuffer.h"
#include "RenamedText.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "cudal1/Support/FpClass.h"

namespace cudal1 {

/// `if (i < n) r[i] = value;`
struct ElementProducer {
  /// The parameter r, and the one that bounds the elements.
  const KernelParameter *Into = nullptr, *Count = nullptr;
  const MemoryAccess *Store = nullptr;
  const clang::Expr *Value = nullptr;

  /// Nothing when the kernel of \p Threads is no such one; why in \p Obstacle.
  static std::optional<ElementProducer> of(const ThreadsOf &Threads,
                                           std::string &Obstacle);
};

class InlinedProducer {
public:
  /// The two launches of \p Pair; nothing where the first cannot go, and
  /// \p Obstacle says why. \p A must outlive it.
  static std::optional<InlinedProducer>
  of(const LaunchPair &Pair, const ProgramAnalysis &A, std::string &Obstacle);

  FpClass fpClass() const;
  const Kernel &producer() const { return *Pair.First.Of; }
  const Kernel &consumer() const { return *Pair.Second.Of; }
  const PrivateBuffer &buffer() const { return Buffer; }
  /// Loops of the kernel around the read.
  unsigned loopDepth() const;
  llvm::Expected<Edit> write() const;

private:
  InlinedProducer(const LaunchPair &Pair, const ThreadsOf &First,
                  const ElementProducer &E, const PrivateBuffer &Buffer,
                  const ProgramAnalysis &A)
      : Pair(Pair), First(First), Of(E), Buffer(Buffer), A(A) {}
  const clang::Expr *argument(const KernelParameter &P) const {
    return Pair.Second.What->Arguments[P.Index];
  }
  std::string whyNotRead();
  std::string whyOutside(const StatementTree &Tree) const;
  std::string whyChanged() const;
  std::string whyNamed() const;
  std::string valueText(EditBuilder &Builder, const NewNames &Names) const;
  NewNames nameInputs(EditBuilder &Builder, std::vector<std::string> &Declared,
                      std::vector<std::string> &Passed) const;

  LaunchPair Pair;
  ThreadsOf First;
  ElementProducer Of;
  PrivateBuffer Buffer;
  const ProgramAnalysis &A;
  /// Of the consumer: the parameter that gets the buffer, and its one access.
  const KernelParameter *From = nullptr;
  const MemoryAccess *Read = nullptr;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_INLINEDPRODUCER_H

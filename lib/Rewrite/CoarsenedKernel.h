//===- CoarsenedKernel.h - Threads that make several elements ---*- C++ -*-===//
//
// Writes a loop around what a thread does for one element. Along x the elements
// of a thread lie a grid apart, so that a warp stays in one piece of memory;
// along y and z they are neighbours, so that what one of them has loaded the
// next one may use.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_COARSENEDKERNEL_H
#define CUDAL1_LIB_REWRITE_COARSENEDKERNEL_H

#include "BodyText.h"
#include "cudal1/Analysis/ElementKernel.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

class CoarsenedKernel {
public:
  /// Several elements along \p Axis: 0, 1 or 2.
  /// In blocks of one thread along it, by \p Block, the number of a thread is
  /// that of its block.
  CoarsenedKernel(const Kernel &K, const ProgramAnalysis &A, ElementKernel E,
                  unsigned Axis, const BlockExtents &Block);

  /// Why the loop cannot be written; "" when it can.
  const std::string &obstacle() const { return Obstacle; }
  /// Along which a thread makes several elements.
  unsigned axis() const { return Axis; }
  /// The coordinate along it, with all that bounds it.
  ContractionCoordinate coordinate() const { return E.bounded(Axis); }
  /// The new body, for threads of \p Items elements.
  void write(EditBuilder &Builder, int64_t Items) const;

private:
  bool no(const char *Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool usesItsNumberOnly(const EditBuilder &Texts);
  bool startsAfresh();
  bool servesNumber(const clang::Expr *Use) const;
  bool isGridStride() const;
  std::string strideText() const;
  std::string declaration(EditBuilder &Builder, int64_t Items) const;
  bool writeAroundGuard(EditBuilder &Builder) const;
  std::string head() const;

  const Kernel &K;
  ElementKernel E;
  StatementTree Tree;
  unsigned Axis;
  bool IsBlock;
  /// The first variable that holds the coordinate, and its declaration.
  const clang::VarDecl *Number = nullptr;
  const clang::DeclStmt *Declared = nullptr;
  /// The number of the block where the coordinate is computed.
  const clang::Expr *Block = nullptr;
  std::string Item, Unit;
  std::string Obstacle;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_COARSENEDKERNEL_H

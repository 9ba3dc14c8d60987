//===- StagedWindow.h - A window of an array in shared memory ---*- C++ -*-===//
//
// A filter reads a window of its input around the element of its thread, in
// loops over constant offsets. Neighbouring threads read mostly the same: a
// block may bring all of it, with a border, to shared memory once.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_STAGEDWINDOW_H
#define CUDAL1_LIB_REWRITE_STAGEDWINDOW_H

#include "ScopedText.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/ElementKernel.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

class StagedWindow {
public:
  StagedWindow(const Kernel &K, const ProgramAnalysis &A,
               const ElementKernel &E);

  /// Why nothing can be staged; "" when something can.
  const std::string &obstacle() const { return Obstacle; }
  /// Why no store can change what is staged, one clause each.
  const std::vector<std::string> &evidence() const { return Evidence; }
  const clang::ValueDecl *array() const { return Read->Base; }
  /// The bounds alone say what is loaded: there must be elements where a block
  /// starts.
  bool needsElements() const;
  /// Thread or block indices serve more than the coordinates, so that the block
  /// has to stay as it is.
  bool usesRawIndices() const;
  /// Bytes of shared memory for blocks of \p Block threads.
  int64_t sharedBytes(std::array<int64_t, 2> Block) const;
  void write(EditBuilder &Builder, std::array<int64_t, 2> Block) const;

private:
  /// The loop over offsets along one axis.
  struct Offset {
    const Loop *L = nullptr;
    int64_t Least = 0, Most = 0;
    /// What is added to an index to count from the window's first element:
    /// "RADIUS", "3", "" for nothing.
    std::string Shift;

    int64_t border() const { return Most - Least; }
  };

  bool no(const char *Why) {
    if (Obstacle.empty())
      Obstacle = Why;
    return false;
  }
  bool findOffsets();
  bool addOffset(const Loop &L, unsigned Axis);
  bool findPath();
  bool isDisjoint();
  bool isOverWindow(const clang::Expr *Value);
  std::optional<unsigned> coordinateOf(const clang::Expr *E) const;
  std::optional<unsigned> offsetOf(const clang::Expr *E) const;
  bool mentionsWindow(const clang::Stmt *S) const;
  std::string atCentre(const clang::Expr *Value) const;
  std::string slot(unsigned Axis) const;
  std::string extent(unsigned Axis) const;
  std::vector<std::string> loadConditions(bool &BySize) const;
  void addLoad(Lines &Out, std::array<int64_t, 2> Block) const;
  bool isWritable();

  const Kernel &K;
  const ProgramAnalysis &A;
  const ElementKernel &E;
  ScopedText Text;
  StatementTree Tree;
  Assignments Changes;
  /// The one read that is staged, and the conditions under which it is made.
  const MemoryAccess *Read = nullptr;
  std::vector<const clang::Expr *> Conditions;
  std::array<Offset, 2> Window;
  /// Coordinates that have come up in the index.
  std::array<bool, 2> Seen{};
  /// Temporaries of the loops that the read or its conditions need.
  std::vector<const clang::VarDecl *> Temporaries;
  std::string Tile, Row, Column, Width, Height, Type;
  std::vector<std::string> Evidence;
  std::string Obstacle;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_STAGEDWINDOW_H

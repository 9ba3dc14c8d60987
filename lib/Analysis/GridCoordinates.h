//===- GridCoordinates.h - Rows and columns and their guards ----*- C++ -*-===//

#ifndef CUDAL1_LIB_ANALYSIS_GRIDCOORDINATES_H
#define CUDAL1_LIB_ANALYSIS_GRIDCOORDINATES_H

#include "ThreadNumbers.h"
#include "cudal1/Analysis/Assignments.h"

namespace cudal1 {

/// The variables of a kernel that hold the number of the thread along an axis
/// of the whole grid, and the conditions that bound them, as one walks over its
/// statements.
class GridCoordinates {
public:
  /// \p Obstacle gets the first reason why something is not understood.
  GridCoordinates(const Kernel &K, const BlockExtents &Block,
                  const Assignments &Changes, std::string &Obstacle,
                  NumberedAxes Numbered = NumberedAxes::Plane)
      : Numbers(K, Block, Numbered), K(K), Changes(Changes),
        Obstacle(Obstacle) {}

  /// Notes \p V, which is declared where one has come to, if it is one.
  void see(const clang::VarDecl *V);
  /// Notes the bounds that \p E sets where it \p Holds. False when it says
  /// anything else.
  bool condition(const clang::Expr *E, bool Holds);
  /// The same; where it is false nothing is noted, no obstacle either.
  bool tryCondition(const clang::Expr *E, bool Holds);
  /// What is known along \p Axis.
  ContractionCoordinate along(unsigned Axis) const;

  ThreadNumbers Numbers;

private:
  bool comparison(const clang::BinaryOperator *Op, bool Holds);
  bool no(const char *Why);
  std::optional<Polynomial> over(const clang::Expr *E) const;

  const Kernel &K;
  const Assignments &Changes;
  std::string &Obstacle;
  std::array<ContractionCoordinate, 3> Along;
};

/// `return;`, with or without braces.
bool returnsOnly(const clang::Stmt *S);

} // namespace cudal1

#endif // CUDAL1_LIB_ANALYSIS_GRIDCOORDINATES_H

//===- LaunchPairs.h - Launches right behind each other ---------*- C++ -*-===//
//
// Two launches of the same shape that follow each other in a block of host
// code, with nothing in between but questions for errors.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_LAUNCHPAIRS_H
#define CUDAL1_LIB_REWRITE_LAUNCHPAIRS_H

#include "CudaCalls.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

/// One launch as a statement of its own.
struct LaunchStatement {
  const Launch *What = nullptr;
  const Kernel *Of = nullptr;
  const clang::Stmt *Statement = nullptr;
};

struct LaunchPair {
  LaunchStatement First, Second;
  /// The question for errors behind the second launch, when one that reads
  /// alike stands between the launches; else null.
  const clang::Stmt *AskedTwice = nullptr;
  /// Loops of the host around both.
  unsigned LoopDepth = 0;
};

/// \p E has one value wherever it is evaluated as long as no variable changes,
/// and evaluating it does nothing else: variables, members, constants,
/// arithmetic, the constructor of dim3.
bool isSteadyValue(const clang::Expr *E, const clang::ASTContext &Context);

/// Both are such values and read alike.
bool isSameValue(const clang::Expr *A, const clang::Expr *B,
                 const clang::ASTContext &Context);

enum class PairShapes {
  Same, ///< grids and blocks of the same value, no dynamic shared memory
  Any   ///< each may be launched in any shape
};

/// The pairs in the body of \p F whose launches have such shapes and arguments
/// without side effects, so that those of the second may be evaluated before
/// the first launch, and the other way round. For units of which whyNotPlain
/// says nothing.
std::vector<LaunchPair> launchPairsIn(const clang::FunctionDecl &F,
                                      const ProgramAnalysis &A,
                                      PairShapes Shapes = PairShapes::Same);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LAUNCHPAIRS_H

//===- IntegerRange.h - Which values an index can have ----------*- C++ -*-===//
//
// Intervals of integer expressions of a kernel, from the limits of CUDA's
// built-in variables or the shapes of its launches, from the types, from the
// bounds of counted loops and from the constants that launches pass. Unlike the
// polynomials of the analysis they take wrapping into account: an expression
// that may wrap has the range of its type.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_INTEGERRANGE_H
#define CUDAL1_LIB_REWRITE_INTEGERRANGE_H

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

namespace cudal1 {

struct IntegerRange {
  int64_t Min = 0;
  int64_t Max = 0;

  bool within(int64_t Low, int64_t High) const {
    return Min >= Low && Max <= High;
  }
  bool operator==(const IntegerRange &) const = default;
};

/// All values of an integer type; nothing for unsigned types of 64 bits, whose
/// values an IntegerRange cannot hold.
std::optional<IntegerRange> rangeOfType(clang::QualType Type,
                                        const clang::ASTContext &Context);

/// What thread indices and block extents are taken to be.
enum class BlockShapes {
  AnyLegal,  ///< still right when another rewrite changes the launches
  OfLaunches ///< the constant shapes of all launches, where these are known
};

/// Ranges in one function body: that of a kernel, or of a function it calls.
class RangeAnalysis {
public:
  RangeAnalysis(const Kernel &K, const ProgramAnalysis &A,
                const Assignments &Changes,
                BlockShapes Shapes = BlockShapes::AnyLegal)
      : K(K), A(A), Changes(Changes), Shapes(Shapes) {}

  /// Every value that \p E can have where it stands; nothing when no bounds
  /// that fit an IntegerRange are known.
  std::optional<IntegerRange> of(const clang::Expr *E) const;
  /// Every value that \p V can have after its initialisation, in the body of
  /// the loop for the variable of one.
  std::optional<IntegerRange> of(const clang::VarDecl *V) const;

  /// The values that counted loop \p L gives its variable in the body, if the
  /// step cannot wrap around.
  std::optional<IntegerRange> ofLoop(const Loop &L) const;
  /// Adding the step to a value inside of the loop's bounds does not wrap.
  bool stepsWithoutWrapping(const Loop &L) const;

private:
  /// Threads of a block along \p Axis.
  IntegerRange blockExtent(unsigned Axis) const;
  std::optional<IntegerRange> ofBuiltin(SymbolKind Kind, unsigned Axis) const;
  std::optional<IntegerRange> ofParameter(const KernelParameter &P) const;
  std::optional<IntegerRange> ofBinary(const clang::BinaryOperator *Op) const;
  std::optional<IntegerRange> ofCall(const clang::CallExpr *Call) const;
  std::optional<IntegerRange> converted(std::optional<IntegerRange> R,
                                        clang::QualType Type) const;
  /// The launches of the kernel, when the unit is seen to hold them all.
  bool seesAllLaunches() const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const Assignments &Changes;
  BlockShapes Shapes;
  mutable unsigned Depth = 0;
  mutable std::optional<bool> AllLaunches;
};

/// Start and step of a counted `for`, as the author wrote them.
struct CountedFor {
  const clang::ForStmt *For = nullptr;
  const clang::Expr *Start = nullptr;
  /// The comparison, and its side that is not the variable.
  const clang::BinaryOperator *Condition = nullptr;
  const clang::Expr *Bound = nullptr;
  bool VariableOnLeft = true;
  /// Null for ++.
  const clang::Expr *Step = nullptr;
  /// The type in which variable and step are added.
  clang::QualType StepType;
};

/// The parts of counted loop \p L, where it counts upwards by `++v` or
/// `v += e` while `v < e` or `v <= e`.
std::optional<CountedFor> partsOf(const Loop &L);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_INTEGERRANGE_H

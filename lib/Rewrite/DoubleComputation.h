//===- DoubleComputation.h - Double arithmetic amid float code --*- C++ -*-===//
//
// `float y = 0.5 * x + 1.0;` computes in double only because of its literals.
// A DoubleComputation is one such tree of operations: its leaves are floats,
// integers and literals, its result goes back to float or is compared. It knows
// what must change for it to be computed in float, and whether the result can
// then differ.
//
// A single operation is exempt from differing: rounding +, -, *, / or a square
// root of floats to double first and to float after gives what rounding to
// float gives at once, as 53 >= 2 * 24 + 2 (S. A. Figueroa, "When is double
// rounding innocuous?", SIGNUM Newsletter 30(3), 1995).
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_DOUBLECOMPUTATION_H
#define CUDAL1_LIB_REWRITE_DOUBLECOMPUTATION_H

#include "cudal1/Frontend/Program.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/APFloat.h"

namespace cudal1 {

class DoubleComputation {
public:
  /// The computation below \p E, an expression of type double. Nothing when it
  /// reads a double, when the author asked for double by a cast, or when what
  /// would have to change is made by a macro.
  static std::optional<DoubleComputation> below(const clang::Expr *E,
                                                const Program &P);

  /// How far rounding to float at the end equals computing in float.
  enum class Rounding {
    None, ///< Both give the same number before any rounding.
    Once, ///< One operation rounds: equal after rounding to float.
    Many  ///< May differ.
  };
  Rounding rounding() const { return Whole.Rounds; }

  /// Literals that get the suffix f.
  std::vector<const clang::FloatingLiteral *> Literals;
  /// Uses of a macro that is one constant; they get a cast.
  std::vector<const clang::Expr *> MacroConstants;
  /// Calls of the library's double form, and the name of the float form.
  std::vector<std::pair<const clang::CallExpr *, std::string>> Calls;

  /// Leaves that are floats already.
  std::vector<const clang::Expr *> FloatLeaves;
  /// A leaf is an integer that is no constant.
  bool HasInteger = false;
  /// A leaf is an integer that a float may not hold exactly.
  bool HasWideInteger = false;
  /// Operations, calls and choices in the tree.
  unsigned Operations = 0;
  /// A product or quotient is rounded: a sum after it may be fused with it.
  bool HasProduct = false;
  /// Float operands of sums: a product before them may be fused with the sum.
  std::vector<const clang::Expr *> Addends;

  /// Nothing that is known at run time only goes in.
  bool isConstant() const { return FloatLeaves.empty() && !HasInteger; }

private:
  /// A subtree, in words of what its value is.
  struct Part {
    Rounding Rounds = Rounding::None;
    bool Constant = false;
    /// Value in double arithmetic and in float arithmetic, for constants.
    llvm::APFloat InDouble{0.0};
    llvm::APFloat InFloat{0.0f};
  };

  explicit DoubleComputation(const Program &P) : P(&P) {}
  std::optional<Part> visit(const clang::Expr *E);
  std::optional<Part> leaf(const clang::Expr *E);
  std::optional<Part> integerLeaf(const clang::Expr *E);
  std::optional<Part> literal(const clang::FloatingLiteral *L);
  std::optional<Part> macroConstant(const clang::Expr *E);
  std::optional<Part> binary(const clang::BinaryOperator *Op);
  std::optional<Part> choice(const clang::ConditionalOperator *Op);
  std::optional<Part> call(const clang::CallExpr *Call);
  std::optional<Part> constant(const llvm::APFloat &Value);
  std::optional<Part> foldedOperation(clang::BinaryOperatorKind Kind,
                                      const Part &L, const Part &R);

  const Program *P;
  Part Whole;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_DOUBLECOMPUTATION_H

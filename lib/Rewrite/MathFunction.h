//===- MathFunction.h - Calls of the mathematics library --------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_MATHFUNCTION_H
#define CUDAL1_LIB_REWRITE_MATHFUNCTION_H

#include "cudal1/Frontend/Program.h"
#include "clang/AST/Expr.h"

namespace cudal1 {

/// A function of <math.h>, as overload resolution chose it.
struct MathFunction {
  /// Name without the suffix of the type: "exp" for exp, expf and std::exp.
  std::string Base;
  /// It computes in float; else in double.
  bool IsFloat = false;
  /// pow of a float and an integer: float for Clang, double for nvcc, whose
  /// <cmath> promotes both. IsFloat is then false.
  bool IsMixedPower = false;
};

/// The library's function that \p Call names; nothing for any other call, and
/// for functions of these names that the project defines itself.
std::optional<MathFunction> mathFunctionOf(const clang::CallExpr *Call,
                                           const Program &P);

/// Canonical float or double, qualifiers aside.
bool isFloat(clang::QualType Type);
bool isDouble(clang::QualType Type);

/// The value of \p Around's innermost child, which Clang takes to be a float
/// and nvcc a double (IsMixedPower), ends in a variable that is declared float.
bool endsInFloat(llvm::ArrayRef<const clang::Stmt *> Around);

/// The value of a floating or integer constant expression without side effects
/// as a double, when that is exact.
std::optional<double> constantValue(const clang::Expr *E,
                                    const clang::ASTContext &Context);

/// How the device code of \p P is compiled, as far as results depend on it.
struct DeviceArithmetic {
  /// Denormals kept, division and square root rounded correctly.
  bool Ieee = true;
  /// A product and a sum may become one fused operation (nvcc's default).
  bool Contracts = true;
  /// expf, division and their kin are approximate already (--use_fast_math).
  bool Approximate = false;
};
DeviceArithmetic deviceArithmetic(const Program &P);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_MATHFUNCTION_H

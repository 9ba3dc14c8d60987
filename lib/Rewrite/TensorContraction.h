//===- TensorContraction.h - A contraction on tensor cores ------*- C++ -*-===//
//
// Writes the body of a kernel that computes what a contraction nest computes
// with the fragments of <mma.h>: a block keeps tiles of both factors in shared
// memory, as they lie in global memory, and each warp a rectangle of fragments
// with its sums. Names, loads and guards are those of TiledContraction.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_TENSORCONTRACTION_H
#define CUDAL1_LIB_REWRITE_TENSORCONTRACTION_H

#include "TiledContraction.h"

namespace cudal1 {

/// A block computes M x N elements of the output, K products of each at a time;
/// a warp WarpM x WarpN elements.
struct WarpTileShape {
  int64_t M = 0, N = 0, K = 0, WarpM = 0, WarpN = 0;

  int64_t warps() const { return (M / WarpM) * (N / WarpN); }
  int64_t threads() const { return warps() * 32; }
  /// As the loads of TiledContraction see it.
  TileShape loads() const { return {M, N, K, M * N / threads(), 1}; }
};

/// What the fragments of a warp are made of.
struct FragmentKind {
  /// Elements of one product of fragments.
  int64_t M = 0, N = 0, K = 0;
  /// Type of the factors' fragments, by its name after `wmma::` where it is no
  /// element's type: `precision::tf32`.
  std::string Factor;
  std::string Sum;
  int64_t SumBytes = 4;
  /// Compute capability that has it, as 80 for 8.0.
  unsigned LeastArch = 0;
};

class TensorContraction : public TiledContraction {
public:
  TensorContraction(const Kernel &K, const ProgramAnalysis &A,
                    const ContractionNest &Nest);

  /// Why the nest cannot be computed by fragments; "" when it can.
  std::string obstacle() const;
  const FragmentKind &kind() const { return *Kind; }
  /// Factors are rounded to fewer digits.
  bool roundsFactors() const { return !Kind->Factor.empty(); }
  int64_t sharedBytes(const WarpTileShape &Shape) const;
  bool fits(const WarpTileShape &Shape) const;
  /// The new body, without braces.
  std::string body(const WarpTileShape &Shape) const;

private:
  static std::optional<FragmentKind> kindOf(const ContractionNest &Nest);
  int64_t padding(const Side &S) const;
  int64_t vectorWidth(const Side &S, const WarpTileShape &Shape) const;
  std::string stride(const Side &S) const;
  std::string scalar(const clang::Expr *E) const;
  std::string scaled(const Side &S, std::string Value) const;

  void constants(Lines &Out, const WarpTileShape &Shape) const;
  void positions(Lines &Out, const WarpTileShape &Shape) const;
  void shareLoop(Lines &Out, const Side &S, const WarpTileShape &Shape) const;
  void load(Lines &Out, const Side &S, const WarpTileShape &Shape) const;
  void loadVector(Lines &Out, const Side &S, const WarpTileShape &Shape) const;
  void store(Lines &Out, const Side &S, const WarpTileShape &Shape) const;
  void multiply(Lines &Out) const;
  void mainLoop(Lines &Out) const;
  void fragment(Lines &Out, const Side &S) const;
  void loopOver(Lines &Out, const std::string &Index, const std::string &Count,
                llvm::StringRef Brace) const;
  void finish(Lines &Out, const WarpTileShape &Shape) const;
  void element(Lines &Out, const WarpTileShape &Shape) const;
  void sum(Lines &Out, const std::string &Part) const;

  std::optional<FragmentKind> Kind;
  std::string Wmma, WM, WN, Warp, Part, Sums, FragmentLeft, FragmentRight;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_TENSORCONTRACTION_H

//===- LaunchTransform.h - New launch geometry from the old one -*- C++ -*-===//
//
// A rewrite that changes the shape of a launch says how, as expressions over
// the shape that the author asked for. One description serves two purposes: it
// is written into the source at the launch, and it is evaluated when a kernel
// is measured alone.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_SUPPORT_LAUNCHTRANSFORM_H
#define CUDAL1_SUPPORT_LAUNCHTRANSFORM_H

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace cudal1 {

/// Shape of one launch: blocks, threads per block, dynamic shared bytes.
struct LaunchShape {
  std::array<uint64_t, 3> Grid{1, 1, 1};
  std::array<uint64_t, 3> Block{1, 1, 1};
  uint64_t SharedBytes = 0;

  bool operator==(const LaunchShape &) const = default;
};

/// An expression over the old shape.
class ExtentExpr {
public:
  enum class Kind { Constant, OldGrid, OldBlock, OldShared, Add, Mul, CeilDiv };

  static ExtentExpr constant(uint64_t Value);
  static ExtentExpr oldGrid(unsigned Axis);
  static ExtentExpr oldBlock(unsigned Axis);
  static ExtentExpr oldShared();
  static ExtentExpr add(ExtentExpr A, ExtentExpr B);
  static ExtentExpr mul(ExtentExpr A, ExtentExpr B);
  /// (A + B - 1) / B
  static ExtentExpr ceilDiv(ExtentExpr A, ExtentExpr B);

  uint64_t evaluate(const LaunchShape &Old) const;
  /// In words of the old shape: `ceil(grid.x * block.x / 128)`.
  std::string str() const;

private:
  static ExtentExpr binary(Kind K, ExtentExpr A, ExtentExpr B);

  Kind K = Kind::Constant;
  uint64_t Value = 1; ///< Constant's value, or the axis.
  std::shared_ptr<const ExtentExpr> A, B;
};

struct LaunchTransform {
  std::array<ExtentExpr, 3> Grid;
  std::array<ExtentExpr, 3> Block;
  ExtentExpr SharedBytes;

  /// The old shape unchanged.
  static LaunchTransform identity();
  LaunchShape apply(const LaunchShape &Old) const;
  std::string str() const;
};

} // namespace cudal1

#endif // CUDAL1_SUPPORT_LAUNCHTRANSFORM_H

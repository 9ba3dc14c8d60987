//===- BlasProduct.h - Products of matrices in device memory ----*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_BLASPRODUCT_H
#define CUDAL1_RUNTIME_EMULATOR_BLASPRODUCT_H

#include <cstdint>

namespace cudal1::emulator::blas {

enum class Number : uint8_t { Half, Float, Double };

/// Rows x Columns elements, those of a column side by side, columns Leading
/// elements apart.
struct Matrix {
  void *Data = nullptr;
  Number Type = Number::Float;
  int64_t Leading = 0;
  /// The product takes rows for columns.
  bool Transposed = false;
  /// Elements from one product's to the next.
  int64_t Stride = 0;
};

/// C = Alpha * A * B + Beta * C: M x K by K x N, Count times.
struct Product {
  int64_t M = 0, N = 0, K = 0;
  Matrix A, B, C;
  /// Scales, and the type in which all is computed: Float or Double.
  Number Compute = Number::Float;
  const void *Alpha = nullptr;
  const void *Beta = nullptr;
  int64_t Count = 1;
};

/// Computes it, each sum in the order of its products. C is not read where Beta
/// is 0, nor A and B where Alpha is. Every element that is touched has to be
/// memory of the device, and what is read to be initialised: findings name
/// \p Call. False, with nothing computed, where some is not accessible.
bool compute(const Product &P, const char *Call);

} // namespace cudal1::emulator::blas

#endif // CUDAL1_RUNTIME_EMULATOR_BLASPRODUCT_H

//===- Exemplars.h - Which measured Variants are shown ----------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_EXEMPLARS_H
#define CUDAL1_TRAIN_EXEMPLARS_H

#include "cudal1/Train/Random.h"

namespace cudal1 {

struct ExemplarRules {
  /// Buckets are this wide, in log2 speedup.
  double BucketWidth = 0.25;
  /// Of the softmax over the buckets' means, in log2 speedup.
  double Temperature = 0.5;
  /// Draw evenly from all Variants instead (an ablation).
  bool Uniform = false;
};

/// Draws at most \p Count of the Variants with the given log2 speedups: first
/// Count different buckets, a bucket with a chance in proportion to
/// exp((its mean − the mean of all) ÷ Temperature), then one Variant of each,
/// evenly. Indices into \p Log2Speedups. Source: CUDA-L1, contrastive prompts.
std::vector<size_t> sampleExemplars(const std::vector<double> &Log2Speedups,
                                    size_t Count, const ExemplarRules &Rules,
                                    Random &R);

} // namespace cudal1

#endif // CUDAL1_TRAIN_EXEMPLARS_H

//===- Exemplars.cpp - Which measured Variants are shown ------------------===//

#include "cudal1/Train/Exemplars.h"
#include <cmath>
#include <map>
#include <numeric>

using namespace cudal1;

static std::vector<size_t> sampleEvenly(size_t Size, size_t Count, Random &R) {
  std::vector<size_t> Left(Size), Result;
  std::iota(Left.begin(), Left.end(), 0);
  while (Result.size() < Count && !Left.empty()) {
    size_t I = R.below(Left.size());
    Result.push_back(Left[I]);
    Left.erase(Left.begin() + static_cast<std::ptrdiff_t>(I));
  }
  return Result;
}

std::vector<size_t>
cudal1::sampleExemplars(const std::vector<double> &Log2Speedups, size_t Count,
                        const ExemplarRules &Rules, Random &R) {
  if (Rules.Uniform)
    return sampleEvenly(Log2Speedups.size(), Count, R);
  std::map<int64_t, std::vector<size_t>> ByBucket;
  for (size_t I = 0; I < Log2Speedups.size(); ++I)
    ByBucket[std::llround(std::floor(Log2Speedups[I] / Rules.BucketWidth))]
        .push_back(I);
  double Mean = std::accumulate(Log2Speedups.begin(), Log2Speedups.end(), 0.0) /
                static_cast<double>(std::max<size_t>(1, Log2Speedups.size()));
  std::vector<const std::vector<size_t> *> Buckets;
  std::vector<double> Weights;
  for (const auto &[Number, Members] : ByBucket) {
    double Sum = 0;
    for (size_t I : Members)
      Sum += Log2Speedups[I];
    Buckets.push_back(&Members);
    Weights.push_back(
        std::exp((Sum / static_cast<double>(Members.size()) - Mean) /
                 Rules.Temperature));
  }
  std::vector<size_t> Result;
  for (size_t Left = std::min(Count, Buckets.size()); Left; --Left) {
    size_t B = R.weighted(Weights);
    Weights[B] = 0;
    Result.push_back((*Buckets[B])[R.below(Buckets[B]->size())]);
  }
  return Result;
}

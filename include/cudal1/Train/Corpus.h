//===- Corpus.h - Which kernels are trained on ------------------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_CORPUS_H
#define CUDAL1_TRAIN_CORPUS_H

#include "cudal1/Train/Config.h"

namespace cudal1 {

/// The record, split by families: what is held out is an unseen kind of kernel.
struct Corpus {
  std::vector<RecordedEnvironment> Training;
  /// Programs of the training families that only choose the weights kept.
  std::vector<RecordedEnvironment> Validation;
  std::vector<RecordedEnvironment> HeldOut;
  std::string Gpu;
  size_t Measurements = 0;
};

/// Throws TrainError when nothing is left to train on.
Corpus loadCorpus(const DataRules &Rules);

} // namespace cudal1

#endif // CUDAL1_TRAIN_CORPUS_H

//===- Corpus.cpp - Which kernels are trained on --------------------------===//

#include "cudal1/Train/Corpus.h"
#include "cudal1/Train/TrainError.h"
#include <algorithm>

using namespace cudal1;

/// In [0, 1), from the name alone (FNV-1a): the same programs stay in
/// validation when others are added.
static double shareOf(const std::string &Program) {
  uint64_t Hash = 0xcbf29ce484222325;
  for (unsigned char C : Program)
    Hash = (Hash ^ C) * 0x100000001b3;
  // The low bits of this hash are its better ones.
  return static_cast<double>(Hash % 1009) / 1009;
}

Corpus cudal1::loadCorpus(const DataRules &Rules) {
  MeasurementRecord Record = readRecord(Rules.Record);
  std::vector<std::string> HeldOut;
  if (!Rules.Families.empty())
    HeldOut = heldOutFamilies(Rules.Families);
  Corpus Result;
  Result.Gpu = Record.Gpu;
  Result.Measurements = Record.Measurements;
  for (const RecordedKernel &K : Record.Kernels) {
    RecordedEnvironment E(K);
    if (E.steps().empty())
      continue;
    if (std::find(HeldOut.begin(), HeldOut.end(), K.Family) != HeldOut.end())
      Result.HeldOut.push_back(std::move(E));
    else if (shareOf(K.Program) < Rules.ValidationShare)
      Result.Validation.push_back(std::move(E));
    else
      Result.Training.push_back(std::move(E));
  }
  if (Result.Training.empty())
    throw TrainError("the record has no measured kernel to train on (families "
                     "held out: " +
                     std::to_string(HeldOut.size()) + "); see [data] record");
  return Result;
}

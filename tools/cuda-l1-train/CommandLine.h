//===- CommandLine.h - cuda-l1-train's options ------------------*- C++ -*-===//

#ifndef CUDAL1_TOOLS_TRAIN_COMMANDLINE_H
#define CUDAL1_TOOLS_TRAIN_COMMANDLINE_H

#include "cudal1/Train/Config.h"

namespace cudal1 {

struct CommandLine {
  std::string Command; ///< train, ablations, evaluate or parity; help
  TrainConfig Config;
  bool Resume = false;
  /// Name and file, for evaluate and parity.
  std::vector<std::pair<std::string, std::filesystem::path>> Weights;
  std::string Split = "held-out";
  std::filesystem::path Out; ///< of evaluate: without ending; of parity
  size_t Count = 1000;       ///< states of parity
  double ProposalStopFrom = 0.5;
};

/// Throws TrainError: which word is wrong, and what may stand there.
CommandLine parseCommandLine(const std::vector<std::string> &Words);
const char *helpText();

} // namespace cudal1

#endif // CUDAL1_TOOLS_TRAIN_COMMANDLINE_H

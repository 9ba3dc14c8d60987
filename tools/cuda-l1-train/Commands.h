//===- Commands.h - What cuda-l1-train does ---------------------*- C++ -*-===//

#ifndef CUDAL1_TOOLS_TRAIN_COMMANDS_H
#define CUDAL1_TOOLS_TRAIN_COMMANDS_H

#include "CommandLine.h"
#include "cudal1/Train/Ranks.h"

namespace cudal1 {

/// Does what the command line says. Throws TrainError and what libtorch throws.
void runCommand(const CommandLine &C, const Ranks &R);

} // namespace cudal1

#endif // CUDAL1_TOOLS_TRAIN_COMMANDS_H

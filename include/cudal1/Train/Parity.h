//===- Parity.h - libtorch's answers on recorded states ---------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_PARITY_H
#define CUDAL1_TRAIN_PARITY_H

#include "cudal1/Train/Corpus.h"

namespace cudal1 {

/// JSON lines: first {"format":"cuda-l1-parity","schema":…}, then \p Count
/// decisions from episodes over \p Kernels with random steps, each with what
/// libtorch makes of it with \p Weights: {"state":[…],"actions":[[…]…],
/// "examples":[[…]…],"pairs":[[…]…],"logits":[stop, action…],"value":…}, inputs
/// as encode() gives them. Throws TrainError when the weights do not fit.
std::string parityLines(const SafeTensors &Weights,
                        std::vector<RecordedEnvironment> &Kernels, size_t Count,
                        const TrainConfig &C);

} // namespace cudal1

#endif // CUDAL1_TRAIN_PARITY_H

//===- TrainError.h - What stops the trainer --------------------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_TRAINERROR_H
#define CUDAL1_TRAIN_TRAINERROR_H

#include <stdexcept>

namespace cudal1 {

/// One sentence that a user can act on. The trainer lives with libtorch, which
/// throws, and without LLVM: here errors are exceptions, caught in main.
class TrainError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_TRAINERROR_H

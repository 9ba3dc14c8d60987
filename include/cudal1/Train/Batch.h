//===- Batch.h - Many decisions as flat numbers -----------------*- C++ -*-===//
///
/// \file
/// What the learner is given. C++17: libtorch 1.13's headers do not compile as
/// C++20, so that all that includes them sees of the rest is this and
/// Learner.h.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_TRAIN_BATCH_H
#define CUDAL1_TRAIN_BATCH_H

#include <cstdint>
#include <vector>

namespace cudal1 {

/// Actions of all decisions lie one after the other; examples are padded to the
/// most that a decision has. Choice 0 is to stop, choice I+1 is action I.
struct Batch {
  int64_t Decisions = 0;
  int64_t MostActions = 0;
  int64_t MostExamples = 0;

  std::vector<float> States;       ///< decisions × StateWidth
  std::vector<int64_t> DecisionOf; ///< for each action
  std::vector<int64_t> ChoiceOf;   ///< for each action: its number, from 1
  std::vector<float> Actions;      ///< actions × ActionWidth
  std::vector<float> Examples;     ///< decisions × most × ExampleWidth
  std::vector<float> ExampleMask;  ///< decisions × most: 1 where there is one
  std::vector<float> Pairs;        ///< actions × most × PairWidth

  // What is learnt from them; as many as decisions each.
  std::vector<float> Targets; ///< cloning: decisions × (MostActions + 1)
  std::vector<int64_t> Chosen;
  std::vector<float> OldLogProbabilities; ///< of the choice, when it was made
  std::vector<float> Advantages;
  std::vector<float> Returns; ///< what Value should have said
};

struct BatchOutputs {
  std::vector<float> Logits; ///< decisions × (MostActions + 1)
  std::vector<float> Values; ///< decisions
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_BATCH_H

//===- Batching.cpp - Decisions put together for the learner --------------===//

#include "cudal1/Train/Batching.h"
#include <algorithm>

using namespace cudal1;

NetworkShape cudal1::shapeOfSchema() {
  const Schema &S = schema();
  NetworkShape Shape;
  Shape.StateWidth = static_cast<int64_t>(S.StateWidth);
  Shape.ActionWidth = static_cast<int64_t>(S.ActionWidth);
  Shape.ExampleWidth = static_cast<int64_t>(S.ExampleWidth);
  Shape.PairWidth = static_cast<int64_t>(S.PairWidth);
  Shape.AdviceColumn = static_cast<int64_t>(S.AdviceColumn);
  return Shape;
}

static void append(std::vector<float> &To, const std::vector<float> &Values) {
  To.insert(To.end(), Values.begin(), Values.end());
}

Batch cudal1::makeBatch(const std::vector<const EncodedDecision *> &Decisions) {
  Batch B;
  B.Decisions = static_cast<int64_t>(Decisions.size());
  size_t MostActions = 0, MostExamples = 0;
  for (const EncodedDecision *D : Decisions) {
    MostActions = std::max(MostActions, D->Actions.size());
    MostExamples = std::max(MostExamples, D->Examples.size());
  }
  B.MostActions = static_cast<int64_t>(MostActions);
  B.MostExamples = static_cast<int64_t>(MostExamples);
  const Schema &S = schema();
  for (size_t N = 0; N < Decisions.size(); ++N) {
    const EncodedDecision &D = *Decisions[N];
    size_t Examples = D.Examples.size();
    append(B.States, D.State);
    append(B.Actions, D.Actions.Values);
    append(B.Examples, D.Examples.Values);
    B.Examples.resize((N + 1) * MostExamples * S.ExampleWidth);
    B.ExampleMask.resize(N * MostExamples + Examples, 1.0F);
    B.ExampleMask.resize((N + 1) * MostExamples, 0.0F);
    for (size_t A = 0; A < D.Actions.size(); ++A) {
      B.DecisionOf.push_back(static_cast<int64_t>(N));
      B.ChoiceOf.push_back(static_cast<int64_t>(A + 1));
      auto Row = D.Pairs.Values.begin() +
                 static_cast<std::ptrdiff_t>(A * Examples * S.PairWidth);
      B.Pairs.insert(B.Pairs.end(), Row,
                     Row + static_cast<std::ptrdiff_t>(Examples * S.PairWidth));
      B.Pairs.resize(B.DecisionOf.size() * MostExamples * S.PairWidth);
    }
  }
  return B;
}

void cudal1::hideGroup(EncodedDecision &D, FeatureGroup Group) {
  const Schema &S = schema();
  for (size_t I = 0; I < S.StateGroups.size(); ++I)
    if (S.StateGroups[I] == Group)
      D.State[I] = 0;
}

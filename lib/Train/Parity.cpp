//===- Parity.cpp - libtorch's answers on recorded states -----------------===//

#include "cudal1/Train/Parity.h"
#include "cudal1/Network/Encoding.h"
#include "cudal1/Train/Batching.h"
#include "cudal1/Train/TrainError.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace cudal1;
using nlohmann::json;

static constexpr size_t BatchSize = 32;

/// The widths that a file of weights was made with.
static NetworkShape shapeOf(const SafeTensors &Weights) {
  NetworkShape Shape = shapeOfSchema();
  auto Rows = [&](const char *Name) {
    auto It = Weights.Tensors.find(Name);
    if (It == Weights.Tensors.end())
      throw TrainError(std::string("these weights lack the tensor '") + Name +
                       "'");
    return It->second.Shape.front();
  };
  Shape.Hidden = Rows("state.2.weight");
  Shape.Model = Rows("action.2.weight");
  Shape.Attention = Rows("query.weight");
  return Shape;
}

/// Decisions as episodes with random choices meet them.
static std::vector<EncodedDecision>
drawDecisions(std::vector<RecordedEnvironment> &Kernels, size_t Count,
              const TrainConfig &C) {
  std::vector<EncodedDecision> Result;
  Random R = Random::of(C.Seed, "parity", 0, 0);
  while (Result.size() < Count) {
    RecordedEnvironment &E = Kernels[R.below(Kernels.size())];
    SearchEpisode Episode(E, C.Episode);
    while (!Episode.isOver() && Result.size() < Count) {
      Result.push_back(encodeVisible(Episode.decision(), C.Hidden));
      size_t Number = R.below(Episode.offered().size() + 1);
      Episode.choose(Number ? std::optional<size_t>(Number - 1) : std::nullopt);
    }
  }
  return Result;
}

static json rowsOf(const Rows &R) {
  json Result = json::array();
  for (size_t I = 0; I < R.size(); ++I)
    Result.push_back(std::vector<float>(R.row(I).begin(), R.row(I).end()));
  return Result;
}

/// One line for each decision of the batch.
static std::string linesOf(const std::vector<const EncodedDecision *> &Part,
                           const BatchOutputs &Out) {
  std::string Result;
  size_t Stride = Out.Logits.size() / Part.size();
  for (size_t I = 0; I < Part.size(); ++I) {
    auto Row = Out.Logits.begin() + static_cast<std::ptrdiff_t>(I * Stride);
    auto Used = static_cast<std::ptrdiff_t>(Part[I]->Actions.size() + 1);
    Result += json{{"state", Part[I]->State},
                   {"actions", rowsOf(Part[I]->Actions)},
                   {"examples", rowsOf(Part[I]->Examples)},
                   {"pairs", rowsOf(Part[I]->Pairs)},
                   {"logits", std::vector<float>(Row, Row + Used)},
                   {"value", Out.Values[I]}}
                  .dump() +
              "\n";
  }
  return Result;
}

std::string cudal1::parityLines(const SafeTensors &Weights,
                                std::vector<RecordedEnvironment> &Kernels,
                                size_t Count, const TrainConfig &C) {
  Learner TheLearner(shapeOf(Weights), C.Seed, C.Threads);
  TheLearner.importWeights(Weights);
  std::string Result =
      json{{"format", "cuda-l1-parity"}, {"schema", schema().Hash}}.dump() +
      "\n";
  std::vector<EncodedDecision> Decisions = drawDecisions(Kernels, Count, C);
  // Together, so that what pads a batch is put to the test too.
  for (size_t Begin = 0; Begin < Decisions.size(); Begin += BatchSize) {
    std::vector<const EncodedDecision *> Part;
    for (size_t I = Begin; I < std::min(Begin + BatchSize, Decisions.size());
         ++I)
      Part.push_back(&Decisions[I]);
    Result += linesOf(Part, TheLearner.evaluate(makeBatch(Part)));
  }
  return Result;
}

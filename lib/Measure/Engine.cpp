//===- Engine.cpp - The interface of every measuring engine ---------------===//

#include "cudal1/Measure/Engine.h"

using namespace cudal1;

MeasureEngine::~MeasureEngine() = default;

std::vector<Measurement>
MeasureEngine::measureAll(llvm::ArrayRef<Candidate> Candidates) {
  std::vector<Measurement> Results;
  for (const Candidate &C : Candidates)
    Results.push_back(measure(C));
  return Results;
}

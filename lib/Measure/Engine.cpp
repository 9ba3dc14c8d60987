//===- Engine.cpp - The interface of every measuring engine ---------------===//

#include "cudal1/Measure/Engine.h"

using namespace cudal1;

MeasureEngine::~MeasureEngine() = default;

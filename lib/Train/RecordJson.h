//===- RecordJson.h - Lines of the record -----------------------*- C++ -*-===//

#ifndef CUDAL1_LIB_TRAIN_RECORDJSON_H
#define CUDAL1_LIB_TRAIN_RECORDJSON_H

#include "cudal1/Train/Record.h"
#include <nlohmann/json.hpp>

namespace cudal1 {

/// Of the first line of each file.
inline constexpr const char *RecordFormat = "cuda-l1-measurements";
inline constexpr int RecordVersion = 1;

/// The following throw TrainError (one clause, without the place) or nlohmann's
/// own exceptions.
StepKey stepFrom(const nlohmann::json &J);
NamedValues valuesFrom(const nlohmann::json &J);
RecordedAction actionFrom(const nlohmann::json &J);

nlohmann::json toJson(const StepKey &Key);
nlohmann::json toJson(const RecordedAction &A);
/// A whole line of the record.
nlohmann::json toJson(const RecordedKernel &K, const std::string &Node,
                      const RecordedNode &N);

} // namespace cudal1

#endif // CUDAL1_LIB_TRAIN_RECORDJSON_H

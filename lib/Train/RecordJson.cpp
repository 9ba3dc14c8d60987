//===- RecordJson.cpp - Lines of the record -------------------------------===//

#include "RecordJson.h"
#include "cudal1/Train/TrainError.h"

using namespace cudal1;
using nlohmann::json;

StepKey cudal1::stepFrom(const json &J) {
  StepKey Key;
  Key.Rule = J.at("rule").get<std::string>();
  Key.Subject = J.value("subject", "");
  if (auto It = J.find("params"); It != J.end())
    for (const auto &[Name, Value] : It->items())
      Key.Params[Name] = Value.get<int64_t>();
  return Key;
}

NamedValues cudal1::valuesFrom(const json &J) {
  NamedValues Values;
  for (const auto &[Name, Value] : J.items())
    Values[Name] = Value.is_boolean() ? (Value.get<bool>() ? 1.0 : 0.0)
                                      : Value.get<double>();
  return Values;
}

RecordedAction cudal1::actionFrom(const json &J) {
  RecordedAction A;
  A.Step.Key = stepFrom(J);
  if (auto It = J.find("features"); It != J.end())
    A.Step.Features = valuesFrom(*It);
  A.To = J.value("to", "");
  // `not-made`: the rule could not make its edit, so there is no Variant.
  if (auto It = J.find("verdict"); It != J.end() && *It != "not-made") {
    A.Verdict = outcomeOf(It->get<std::string>());
    if (!A.Verdict)
      throw TrainError("unknown verdict " + It->dump());
  }
  if (A.Verdict && !isFailure(*A.Verdict)) {
    A.LogSpeedup = J.value("log_speedup", 0.0);
    A.Low = J.value("low", A.LogSpeedup);
    A.High = J.value("high", A.LogSpeedup);
  }
  return A;
}

json cudal1::toJson(const StepKey &Key) {
  json J = {{"rule", Key.Rule}};
  if (!Key.Subject.empty())
    J["subject"] = Key.Subject;
  if (!Key.Params.empty())
    J["params"] = Key.Params;
  return J;
}

json cudal1::toJson(const RecordedAction &A) {
  json J = toJson(A.Step.Key);
  J["features"] = A.Step.Features;
  if (!A.To.empty())
    J["to"] = A.To;
  if (A.Verdict) {
    J["verdict"] = toString(*A.Verdict);
    if (!isFailure(*A.Verdict)) {
      J["log_speedup"] = A.LogSpeedup;
      J["low"] = A.Low;
      J["high"] = A.High;
    }
  }
  return J;
}

json cudal1::toJson(const RecordedKernel &K, const std::string &Node,
                    const RecordedNode &N) {
  json Applied = json::array(), Actions = json::array();
  for (const StepKey &Key : N.Applied)
    Applied.push_back(toJson(Key));
  for (const RecordedAction &A : N.Actions)
    Actions.push_back(toJson(A));
  return {{"program", K.Program}, {"family", K.Family},
          {"kernel", K.Kernel},   {"node", Node},
          {"applied", Applied},   {"log_speedup", N.LogSpeedup},
          {"state", N.State},     {"actions", Actions}};
}

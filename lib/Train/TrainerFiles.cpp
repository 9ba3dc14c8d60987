//===- TrainerFiles.cpp - What a training run leaves behind ---------------===//

#include "cudal1/Network/Encoding.h"
#include "cudal1/Train/Files.h"
#include "cudal1/Train/TrainError.h"
#include "cudal1/Train/Trainer.h"
#include <ctime>
#include <nlohmann/json.hpp>

using namespace cudal1;

static constexpr const char *BestPrefix = "best/";

std::filesystem::path Trainer::file(const std::string &Ending) const {
  return C.Folder / (C.Run + Ending);
}

/// Settings that must not change between a run and its continuation.
static std::string settingsOf(const TrainConfig &C, const Ranks &R) {
  return C.Settings + "\nranks " + std::to_string(R.size());
}

void Trainer::saveCheckpoint() const {
  if (!R.isFirst())
    return;
  SafeTensors File = TheLearner.exportState();
  for (const auto &[Name, T] : Best.Tensors)
    File.Tensors[BestPrefix + Name] = T;
  nlohmann::json State = {
      {"clones", ClonesDone}, {"policies", PoliciesDone}, {"best", BestScore}};
  File.Metadata["state"] = State.dump();
  File.Metadata["curves"] = curvesToJson(Curves);
  File.Metadata["settings"] = settingsOf(C, R);
  writeFileAtomically(file(".checkpoint"), serialize(File));
}

bool Trainer::loadCheckpoint() {
  std::filesystem::path Path = file(".checkpoint");
  if (!std::filesystem::exists(Path))
    return false;
  std::string Why;
  std::optional<SafeTensors> File = parseSafeTensors(readFile(Path), Why);
  if (!File)
    throw TrainError("the checkpoint '" + Path.string() +
                     "' cannot be read: " + Why);
  if (File->Metadata["settings"] != settingsOf(C, R))
    throw TrainError("the checkpoint '" + Path.string() +
                     "' was made with other settings or another number of "
                     "ranks; start anew without --resume");
  TheLearner.importState(*File);
  nlohmann::json State = nlohmann::json::parse(File->Metadata["state"]);
  ClonesDone = State.at("clones").get<unsigned>();
  PoliciesDone = State.at("policies").get<unsigned>();
  BestScore = State.at("best").get<double>();
  Curves = curvesFromJson(File->Metadata["curves"]);
  for (const auto &[Name, T] : File->Tensors)
    if (Name.starts_with(BestPrefix))
      Best.Tensors[Name.substr(std::string_view(BestPrefix).size())] = T;
  return true;
}

static std::string today() {
  std::time_t Now = std::time(nullptr);
  std::tm Parts{};
  gmtime_r(&Now, &Parts);
  char Buffer[16];
  std::strftime(Buffer, sizeof Buffer, "%Y-%m-%d", &Parts);
  return Buffer;
}

SafeTensors Trainer::bestWeights() const {
  SafeTensors File = Best;
  File.Metadata["schema"] = schema().Hash;
  File.Metadata["format"] = "cuda-l1-policy 1";
  File.Metadata["seed"] = std::to_string(C.Seed);
  File.Metadata["run"] = C.Run;
  File.Metadata["gpu"] = Data.Gpu;
  File.Metadata["hidden"] = toString(C.Hidden);
  File.Metadata["data"] =
      std::to_string(Data.Measurements) + " measurements; trained on " +
      std::to_string(Data.Training.size()) + " kernels, chosen by " +
      std::to_string(Data.Validation.size()) + ", held out " +
      std::to_string(Data.HeldOut.size());
  if (auto It = Curves.find("validation/share of best"); It != Curves.end())
    for (auto [Step, Share] : It->second)
      File.Metadata["validation"] =
          "share of the best known log speedup at the end of training " +
          std::to_string(Share);
  return File;
}

static Chart chartOf(const RunCurves &Curves, const std::string &Prefix,
                     const std::string &Title, const std::string &XLabel) {
  Chart Result{Title, XLabel, "", {}};
  for (const auto &[Name, Points] : Curves)
    if (Name.starts_with(Prefix))
      Result.Curves.push_back({Name.substr(Prefix.size()), Points});
  return Result;
}

void Trainer::writeResults() const {
  SafeTensors Weights = bestWeights();
  Weights.Metadata["date"] = today();
  writeFileAtomically(C.Output, serialize(Weights));
  writeFileAtomically(file(".curves.json"), curvesToJson(Curves) + "\n");
  std::vector<Chart> Charts;
  if (C.WarmStart)
    Charts.push_back(chartOf(Curves, "clone/", "Warm start", "round"));
  Charts.push_back(chartOf(Curves, "policy/", "Contrastive GRPO", "iteration"));
  Charts.push_back(chartOf(Curves, "validation/", "Validation kernels",
                           "round, then iteration"));
  writeFileAtomically(file(".curves.svg"), drawSvg(Charts));
}

//===- Config.cpp - policy/train.toml -------------------------------------===//

#include "cudal1/Train/Config.h"
#include "cudal1/Train/Files.h"
#include "cudal1/Train/TrainError.h"
#include <algorithm>
#include <toml++/toml.h>

using namespace cudal1;
namespace fs = std::filesystem;

namespace {

[[noreturn]] void failAt(const fs::path &Path, const toml::source_region &Where,
                         const std::string &What) {
  throw TrainError(Path.string() + ":" + std::to_string(Where.begin.line) +
                   ":" + std::to_string(Where.begin.column) + ": " + What);
}

toml::table parse(const fs::path &Path) {
  toml::parse_result Result = toml::parse(readFile(Path), Path.string());
  if (!Result)
    failAt(Path, Result.error().source(),
           std::string(Result.error().description()));
  return std::move(Result).table();
}

/// Takes the keys of one table; what is left at the end is unknown.
class Section {
public:
  Section(const fs::path &Path, std::string Name, toml::table *Table)
      : Path(Path), Name(std::move(Name)), Table(Table) {}

  template <typename T> void read(const char *Key, T &Into) {
    if (toml::node *Node = Table ? Table->get(Key) : nullptr) {
      assign(Key, *Node, Into);
      Table->erase(Key);
    }
  }
  void finish() {
    if (Table && !Table->empty())
      failAt(Path, Table->begin()->second.source(),
             "unknown key '" + std::string(Table->begin()->first.str()) +
                 "' in [" + Name + "]; see docs/training.md");
  }

private:
  [[noreturn]] void wrong(const char *Key, const toml::node &Node,
                          const char *Expected) {
    failAt(Path, Node.source(),
           std::string("'") + Key + "' must be " + Expected);
  }
  void assign(const char *Key, const toml::node &Node, double &Into) {
    std::optional<double> V = Node.value<double>();
    if (!V || !Node.is_number())
      wrong(Key, Node, "a number");
    Into = *V;
  }
  template <typename T>
    requires std::is_integral_v<T>
  void assign(const char *Key, const toml::node &Node, T &Into) {
    std::optional<int64_t> V = Node.value<int64_t>();
    if (!V || *V < 0 || !Node.is_integer())
      wrong(Key, Node, "a whole number, 0 or more");
    Into = static_cast<T>(*V);
  }
  void assign(const char *Key, const toml::node &Node, bool &Into) {
    if (!Node.is_boolean())
      wrong(Key, Node, "true or false");
    Into = *Node.value<bool>();
  }
  void assign(const char *Key, const toml::node &Node, std::string &Into) {
    if (!Node.is_string())
      wrong(Key, Node, "a string");
    Into = *Node.value<std::string>();
  }
  void assign(const char *Key, const toml::node &Node, fs::path &Into) {
    std::string Text;
    assign(Key, Node, Text);
    Into = Path.parent_path() / Text;
  }
  template <typename T>
  void assign(const char *Key, const toml::node &Node, std::vector<T> &Into) {
    const toml::array *Array = Node.as_array();
    if (!Array)
      wrong(Key, Node, "an array");
    Into.clear();
    for (const toml::node &Entry : *Array)
      assign(Key, Entry, Into.emplace_back());
  }

  const fs::path &Path;
  std::string Name;
  toml::table *Table;
};

class ConfigReader {
public:
  explicit ConfigReader(const fs::path &Path) : Path(Path), Root(parse(Path)) {}
  TrainConfig read();

private:
  void readRun();
  void readData();
  void readNetwork();
  void readEpisode();
  void readReward();
  void readLearning();
  void readWorkers();
  Section section(const char *Name) {
    Known.push_back(Name);
    toml::node *Node = Root.get(Name);
    if (Node && !Node->is_table())
      failAt(Path, Node->source(),
             std::string("[") + Name + "] must be a table");
    return {Path, Name, Node ? Node->as_table() : nullptr};
  }

  const fs::path &Path;
  toml::table Root;
  std::vector<std::string> Known;
  TrainConfig C;
};

} // namespace

void ConfigReader::readRun() {
  Section S = section("run");
  S.read("seed", C.Seed);
  S.read("threads", C.Threads);
  S.read("batch", C.BatchDecisions);
  S.read("evaluate_every", C.EvaluateEvery);
  S.read("checkpoint_every", C.CheckpointEvery);
  S.read("output", C.Output);
  S.read("folder", C.Folder);
  S.finish();
}

void ConfigReader::readData() {
  Section S = section("data");
  S.read("record", C.Data.Record);
  S.read("families", C.Data.Families);
  S.read("smallest_best", C.Data.SmallestBest);
  S.read("validation_share", C.Data.ValidationShare);
  S.finish();
}

void ConfigReader::readNetwork() {
  Section S = section("network");
  S.read("hidden", C.Network.Hidden);
  S.read("model", C.Network.Model);
  S.read("attention", C.Network.Attention);
  S.finish();
}

void ConfigReader::readEpisode() {
  Section S = section("episode");
  S.read("measurements", C.Episode.Measurements);
  S.read("max_steps", C.Episode.MaxSteps);
  S.read("max_exemplars", C.Episode.MaxExamples);
  S.finish();
  Section X = section("exemplars");
  X.read("prior", C.PriorExemplars);
  X.read("bucket_width", C.Exemplars.BucketWidth);
  X.read("temperature", C.Exemplars.Temperature);
  X.finish();
}

void ConfigReader::readReward() {
  Section S = section("reward");
  S.read("failure", C.Reward.Failure);
  S.read("measurement", C.Reward.Measurement);
  S.read("discount", C.Reward.Discount);
  S.read("bottleneck", C.Reward.Bottleneck);
  S.read("length", C.Reward.Length);
  S.read("growth", C.Reward.Growth);
  S.read("clip", C.Reward.Clip);
  S.finish();
}

void ConfigReader::readLearning() {
  Section L = section("learner");
  L.read("weight_decay", C.Learner.WeightDecay);
  L.read("clip_norm", C.Learner.ClipNorm);
  L.read("value_weight", C.Learner.ValueWeight);
  L.read("entropy", C.Learner.Entropy);
  L.read("ppo_clip", C.Learner.PpoClip);
  L.read("kl", C.Learner.KlWeight);
  L.finish();
  Section B = section("clone");
  B.read("rounds", C.Clone.Rounds);
  B.read("learning_rate", C.Clone.LearningRate);
  B.read("temperature", C.Clone.Temperature);
  B.read("discount", C.Clone.Discount);
  B.read("explore", C.Clone.Explore);
  B.finish();
  Section P = section("grpo");
  P.read("iterations", C.Policy.Iterations);
  P.read("kernels", C.Policy.KernelsPerIteration);
  P.read("rollouts", C.Policy.Rollouts);
  P.read("epochs", C.Policy.Epochs);
  P.read("learning_rate", C.Policy.LearningRate);
  P.read("proposal_share", C.Policy.ProposalShare);
  P.read("slower_weight", C.Policy.SlowerWeight);
  P.finish();
}

void ConfigReader::readWorkers() {
  Section S = section("workers");
  S.read("count", C.Workers.Count);
  S.read("launcher", C.Workers.Launcher);
  S.read("command", C.Workers.Command);
  S.read("programs", C.Workers.Programs);
  S.read("append", C.Workers.Append);
  S.finish();
}

TrainConfig ConfigReader::read() {
  C.Output = Path.parent_path() / "trained.safetensors";
  C.Folder = Path.parent_path() / "training";
  readRun();
  readData();
  readNetwork();
  readEpisode();
  readReward();
  readLearning();
  readWorkers();
  for (const auto &[Key, Node] : Root)
    if (std::find(Known.begin(), Known.end(), Key.str()) == Known.end())
      failAt(Path, Key.source(),
             "unknown section '" + std::string(Key.str()) +
                 "'; see docs/training.md");
  if (C.BatchDecisions == 0 || C.Policy.Rollouts == 0 || C.EvaluateEvery == 0 ||
      C.CheckpointEvery == 0)
    throw TrainError(Path.string() +
                     ": 'batch', 'rollouts', 'evaluate_every' and "
                     "'checkpoint_every' must be at least 1");
  return std::move(C);
}

TrainConfig cudal1::readConfig(const fs::path &Path) {
  TrainConfig C = ConfigReader(Path).read();
  C.Settings = readFile(Path);
  return C;
}

std::vector<std::string> cudal1::heldOutFamilies(const fs::path &Path) {
  toml::table Root = parse(Path);
  std::vector<std::string> Result;
  const toml::table *Families = Root["family"].as_table();
  if (!Families)
    throw TrainError(Path.string() + ": no [family.NAME] in it");
  for (const auto &[Name, Node] : *Families)
    if (const toml::table *Family = Node.as_table();
        Family && (*Family)["held_out"].value_or(false))
      Result.emplace_back(Name.str());
  return Result;
}

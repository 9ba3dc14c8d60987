//===- Commands.cpp - What cuda-l1-train does -----------------------------===//

#include "Commands.h"
#include "cudal1/Train/Evaluation.h"
#include "cudal1/Train/Files.h"
#include "cudal1/Train/Parity.h"
#include "cudal1/Train/TrainError.h"
#include "cudal1/Train/Trainer.h"
#include "cudal1/Train/Worker.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unistd.h>

using namespace cudal1;

namespace {

/// The live line: in place on a terminal, a line each elsewhere.
class ProgressLine {
public:
  void show(const std::string &Text) {
    using namespace std::chrono;
    double Seconds = duration<double>(steady_clock::now() - Begin).count();
    std::fprintf(stderr, OnTerminal ? "\r%6.0f s  %s\033[K" : "%6.0f s  %s\n",
                 Seconds, Text.c_str());
    Open = OnTerminal;
  }
  ~ProgressLine() {
    if (Open)
      std::fputc('\n', stderr);
  }

private:
  std::chrono::steady_clock::time_point Begin =
      std::chrono::steady_clock::now();
  bool OnTerminal = isatty(STDERR_FILENO);
  bool Open = false;
};

} // namespace

static void train(const TrainConfig &C, bool Resume, const Ranks &R) {
  Corpus Data = loadCorpus(C.Data);
  std::unique_ptr<GroupSource> Groups;
  if (C.Workers.Count)
    Groups = std::make_unique<WorkerGroups>(C.Workers);
  else
    Groups = std::make_unique<RecordedGroups>(Data.Training);
  ProgressLine Line;
  Line.show(std::to_string(Data.Measurements) + " measurements; " +
            std::to_string(Data.Training.size()) + " kernels to train on, " +
            std::to_string(Data.Validation.size()) + " to choose by, " +
            std::to_string(Data.HeldOut.size()) + " held out");
  Trainer T(C, Data, *Groups, R,
            [&](const std::string &Text) { Line.show(Text); });
  T.run(Resume);
}

static SafeTensors readWeights(const std::filesystem::path &Path) {
  std::string Why;
  std::optional<SafeTensors> File = parseSafeTensors(readFile(Path), Why);
  if (!File)
    throw TrainError("cannot read '" + Path.string() + "': " + Why);
  return std::move(*File);
}

static std::vector<RecordedEnvironment> &kernelsOf(Corpus &Data,
                                                   const std::string &Split) {
  auto *Kernels = Split == "held-out"     ? &Data.HeldOut
                  : Split == "validation" ? &Data.Validation
                  : Split == "training"   ? &Data.Training
                                          : nullptr;
  if (!Kernels)
    throw TrainError("unknown split '" + Split +
                     "'; there are held-out, validation and training");
  if (Kernels->empty())
    throw TrainError("the record has no kernel in the split '" + Split + "'");
  return *Kernels;
}

static void evaluate(
    const CommandLine &C,
    const std::vector<std::pair<std::string, std::filesystem::path>> &Files,
    const std::filesystem::path &Out) {
  if (Files.empty() || Out.empty())
    throw TrainError("evaluate needs --weights FILE and --out PREFIX");
  Corpus Data = loadCorpus(C.Config.Data);
  std::vector<RecordedEnvironment> &Kernels = kernelsOf(Data, C.Split);
  std::vector<NetworkScorer> Scorers;
  Scorers.reserve(Files.size());
  std::vector<NamedScorer> Named;
  for (const auto &[Name, Path] : Files) {
    SafeTensors Weights = readWeights(Path);
    Scorers.emplace_back(Weights, hiddenFrom(Weights));
    Named.push_back({Name, &Scorers.back(), C.ProposalStopFrom});
  }
  EvaluationReport Report = evaluatePolicies(Named, Kernels, C.Config);
  std::string Table = toMarkdown(Report);
  writeFileAtomically(Out.string() + ".md", Table);
  writeFileAtomically(Out.string() + ".json", toJson(Report));
  writeFileAtomically(Out.string() + ".svg", toSvg(Report));
  std::fputs(Table.c_str(), stdout);
}

/// The whole policy first, then without each of its parts.
static void ablate(const CommandLine &C, const Ranks &R) {
  struct Ablation {
    const char *Name;
    void (*Change)(TrainConfig &);
  };
  const Ablation All[] = {
      {"whole", [](TrainConfig &) {}},
      {"no contrast", [](TrainConfig &T) { T.Hidden.Exemplars = true; }},
      {"random exemplars", [](TrainConfig &T) { T.Exemplars.Uniform = true; }},
      {"no profile", [](TrainConfig &T) { T.Hidden.Profile = true; }},
      {"no warm start", [](TrainConfig &T) { T.WarmStart = false; }},
  };
  std::vector<std::pair<std::string, std::filesystem::path>> Files;
  for (const Ablation &A : All) {
    TrainConfig Config = C.Config;
    A.Change(Config);
    std::string Name = A.Name;
    Config.Settings += "\nablation " + Name;
    std::replace(Name.begin(), Name.end(), ' ', '-');
    Config.Run = C.Config.Run + "-" + Name;
    Config.Output = Config.Folder / (Config.Run + ".safetensors");
    train(Config, C.Resume, R);
    Files.emplace_back(A.Name, Config.Output);
  }
  if (R.isFirst())
    evaluate(C, Files, C.Out.empty() ? C.Config.Folder / "ablations" : C.Out);
}

void cudal1::runCommand(const CommandLine &C, const Ranks &R) {
  if (C.Command == "help") {
    std::fputs(helpText(), stdout);
  } else if (C.Command == "train") {
    train(C.Config, C.Resume, R);
  } else if (C.Command == "ablations") {
    ablate(C, R);
  } else if (C.Command == "evaluate") {
    evaluate(C, C.Weights, C.Out);
  } else if (C.Command == "parity") {
    if (C.Weights.size() != 1 || C.Out.empty())
      throw TrainError("parity needs one --weights FILE and --out FILE");
    Corpus Data = loadCorpus(C.Config.Data);
    writeFileAtomically(C.Out, parityLines(readWeights(C.Weights[0].second),
                                           Data.Training, C.Count, C.Config));
  }
}

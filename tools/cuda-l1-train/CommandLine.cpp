//===- CommandLine.cpp - cuda-l1-train's options --------------------------===//

#include "CommandLine.h"
#include "cudal1/Train/TrainError.h"
#include <functional>

using namespace cudal1;

const char *cudal1::helpText() {
  return R"(Trains the learned policy of cuda-l1-opt.

usage: cuda-l1-train train CONFIG [options]      train, write the weights
       cuda-l1-train ablations CONFIG [options]  train without each part, compare
       cuda-l1-train evaluate CONFIG --weights [NAME=]FILE... --out PREFIX
       cuda-l1-train parity CONFIG --weights FILE --out FILE

CONFIG is a TOML file such as policy/train.toml; docs/training.md explains it.

  --resume               go on from the last checkpoint
  --run NAME             names the run's files and its rows in the log
  --seed N               instead of the file's
  --threads N            of libtorch
  --record PATH          a file or folder of measurements, instead of the file's
                         (may be repeated)
  --output FILE          where the weights go
  --folder FOLDER        where checkpoints, curves and the log go
  --no-contrast          the policy sees no exemplars
  --random-exemplars     exemplars drawn evenly instead of by speedup
  --no-profile           the policy sees nothing of the profile
  --no-warm-start        no behavioural cloning first
  --split NAME           evaluate on: held-out, validation or training
  --stop-from P          evaluate: a proposal ends where the probability of
                         stopping is above P (0.5)
  --count N              states of parity (1000)
)";
}

namespace {

/// Takes the words of the command line one by one.
class WordReader {
public:
  explicit WordReader(const std::vector<std::string> &Words) : Words(Words) {}
  CommandLine read();

private:
  using Action = std::function<void()>;
  bool readFlag(const std::string &Word);
  bool readOption(const std::string &Word);
  void changed(const std::string &Word, const std::string &Value = "") {
    C.Config.Settings += "\n" + Word + " " + Value;
  }
  std::string value(const std::string &Option);
  template <typename T> T number(const std::string &Option);

  const std::vector<std::string> &Words;
  size_t At = 0;
  CommandLine C;
  bool OwnRecord = false;
};

} // namespace

std::string WordReader::value(const std::string &Option) {
  if (At == Words.size())
    throw TrainError("'" + Option + "' needs a value; see cuda-l1-train help");
  return Words[At++];
}

template <typename T> T WordReader::number(const std::string &Option) {
  std::string Text = value(Option);
  size_t Used = 0;
  double Value = -1;
  try {
    Value = std::stod(Text, &Used);
  } catch (const std::exception &) {
    Used = 0;
  }
  if (Used != Text.size() || Text.empty() || Value < 0 ||
      static_cast<double>(static_cast<T>(Value)) != Value)
    throw TrainError("'" + Option + "' needs a number, not '" + Text + "'");
  return static_cast<T>(Value);
}

bool WordReader::readFlag(const std::string &Word) {
  if (Word == "--resume") {
    C.Resume = true;
    return true;
  }
  if (Word == "--no-contrast")
    C.Config.Hidden.Exemplars = true;
  else if (Word == "--random-exemplars")
    C.Config.Exemplars.Uniform = true;
  else if (Word == "--no-profile")
    C.Config.Hidden.Profile = true;
  else if (Word == "--no-warm-start")
    C.Config.WarmStart = false;
  else
    return false;
  changed(Word);
  return true;
}

bool WordReader::readOption(const std::string &Word) {
  if (Word == "--run") {
    C.Config.Run = value(Word);
  } else if (Word == "--seed") {
    C.Config.Seed = number<uint64_t>(Word);
    changed(Word, std::to_string(C.Config.Seed));
  } else if (Word == "--threads") {
    C.Config.Threads = number<int>(Word);
    changed(Word, std::to_string(C.Config.Threads));
  } else if (Word == "--record") {
    if (!OwnRecord)
      C.Config.Data.Record.clear();
    OwnRecord = true;
    C.Config.Data.Record.emplace_back(value(Word));
  } else if (Word == "--output") {
    C.Config.Output = value(Word);
  } else if (Word == "--folder") {
    C.Config.Folder = value(Word);
  } else if (Word == "--weights") {
    std::string Text = value(Word);
    size_t Equals = Text.find('=');
    C.Weights.emplace_back(
        Equals == std::string::npos ? "policy" : Text.substr(0, Equals),
        Equals == std::string::npos ? Text : Text.substr(Equals + 1));
  } else if (Word == "--split") {
    C.Split = value(Word);
  } else if (Word == "--out") {
    C.Out = value(Word);
  } else if (Word == "--count") {
    C.Count = number<size_t>(Word);
  } else if (Word == "--stop-from") {
    C.ProposalStopFrom = number<double>(Word);
  } else {
    return false;
  }
  return true;
}

CommandLine WordReader::read() {
  if (Words.empty() || Words[0] == "help" || Words[0] == "--help" ||
      Words[0] == "-h") {
    C.Command = "help";
    return C;
  }
  C.Command = Words[At++];
  bool IsKnown = false;
  for (const char *Name : {"train", "ablations", "evaluate", "parity"})
    IsKnown |= C.Command == Name;
  if (!IsKnown)
    throw TrainError("unknown command '" + C.Command +
                     "'; see cuda-l1-train help");
  C.Config = readConfig(value(C.Command));
  while (At < Words.size()) {
    std::string Word = Words[At++];
    if (!readFlag(Word) && !readOption(Word))
      throw TrainError("unknown option '" + Word + "'; see cuda-l1-train help");
  }
  return std::move(C);
}

CommandLine cudal1::parseCommandLine(const std::vector<std::string> &Words) {
  return WordReader(Words).read();
}

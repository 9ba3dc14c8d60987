//===- Record.cpp - Every measurement made, as a graph --------------------===//

#include "cudal1/Train/Record.h"
#include "RecordJson.h"
#include "cudal1/Train/Files.h"
#include "cudal1/Train/TrainError.h"
#include <algorithm>
#include <set>

using namespace cudal1;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct OutcomeName {
  Outcome Value;
  const char *Name;
};
const OutcomeName OutcomeNames[] = {
    {Outcome::Faster, "faster"},
    {Outcome::Same, "same"},
    {Outcome::Slower, "slower"},
    {Outcome::Ambiguous, "ambiguous"},
    {Outcome::WrongResult, "wrong-result"},
    {Outcome::CompileError, "compile-error"},
    {Outcome::RunError, "run-error"},
    {Outcome::Timeout, "timeout"},
    {Outcome::Unsupported, "unsupported"},
};

} // namespace

const char *cudal1::toString(Outcome O) {
  for (const OutcomeName &Row : OutcomeNames)
    if (Row.Value == O)
      return Row.Name;
  return "";
}

std::optional<Outcome> cudal1::outcomeOf(std::string_view Name) {
  for (const OutcomeName &Row : OutcomeNames)
    if (Row.Name == Name)
      return Row.Value;
  return std::nullopt;
}

bool cudal1::isFailure(Outcome O) {
  return O == Outcome::WrongResult || O == Outcome::CompileError ||
         O == Outcome::RunError || O == Outcome::Timeout;
}

double RecordedKernel::bestKnown() const {
  double Best = 0;
  for (const auto &[Name, Node] : Nodes)
    for (const RecordedAction &A : Node.Actions)
      if (A.isKnown() && !isFailure(*A.Verdict))
        Best = std::max(Best, A.LogSpeedup);
  return Best;
}

size_t RecordedKernel::measuredVariants() const {
  std::set<std::string_view> Names;
  for (const auto &[Name, Node] : Nodes)
    for (const RecordedAction &A : Node.Actions)
      if (A.isKnown())
        Names.insert(A.To);
  return Names.size();
}

namespace {

class RecordReader {
public:
  void readPath(const fs::path &Path);
  MeasurementRecord finish();

private:
  void readOne(const fs::path &Path);
  void readHeader(const json &Line);
  void readNode(const json &Line);
  static void merge(RecordedNode &Into, RecordedNode New);

  MeasurementRecord Result;
  std::map<std::string, RecordedKernel> Kernels; ///< by program and kernel
};

} // namespace

static bool isRecordFile(const fs::path &Path) {
  std::string Name = Path.filename().string();
  auto EndsIn = [&](std::string_view End) { return Name.ends_with(End); };
  return EndsIn(".jsonl") || EndsIn(".jsonl.zst");
}

void RecordReader::readPath(const fs::path &Path) {
  std::error_code Code;
  if (!fs::is_directory(Path, Code)) {
    readOne(Path);
    return;
  }
  std::vector<fs::path> Found;
  for (const fs::directory_entry &Entry : fs::directory_iterator(Path))
    if (isRecordFile(Entry.path()))
      Found.push_back(Entry.path());
  std::sort(Found.begin(), Found.end());
  for (const fs::path &File : Found)
    readOne(File);
}

void RecordReader::readOne(const fs::path &Path) {
  std::string Content = readMaybeCompressed(Path);
  size_t Number = 0;
  for (size_t Begin = 0; Begin < Content.size();) {
    size_t End = std::min(Content.find('\n', Begin), Content.size());
    std::string_view Text(Content.data() + Begin, End - Begin);
    Begin = End + 1;
    ++Number;
    if (Text.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    try {
      json Line = json::parse(Text);
      if (Number == 1)
        readHeader(Line);
      else
        readNode(Line);
    } catch (const std::exception &E) {
      throw TrainError(Path.string() + ":" + std::to_string(Number) + ": " +
                       E.what());
    }
  }
  if (Number == 0)
    throw TrainError(Path.string() +
                     ": no record of measurements: it is empty");
  ++Result.Files;
}

void RecordReader::readHeader(const json &Line) {
  if (Line.value("format", "") != RecordFormat)
    throw TrainError(std::string("no record of measurements: its first line "
                                 "has no \"format\":\"") +
                     RecordFormat + "\"");
  if (int Version = Line.value("version", 0); Version != RecordVersion)
    throw TrainError("record of version " + std::to_string(Version) +
                     "; this trainer reads version " +
                     std::to_string(RecordVersion));
  if (auto It = Line.find("gpu"); It != Line.end() && Result.Gpu.empty())
    Result.Gpu =
        It->is_string() ? It->get<std::string>() : It->value("name", "");
}

void RecordReader::readNode(const json &Line) {
  std::string Program = Line.at("program").get<std::string>();
  std::string Name = Line.at("kernel").get<std::string>();
  std::string Node = Line.at("node").get<std::string>();
  RecordedNode New;
  for (const json &Step : Line.at("applied"))
    New.Applied.push_back(stepFrom(Step));
  New.LogSpeedup = Line.value("log_speedup", 0.0);
  New.State = valuesFrom(Line.at("state"));
  for (const json &Action : Line.at("actions"))
    New.Actions.push_back(actionFrom(Action));
  RecordedKernel &K = Kernels[Program + ":" + Name];
  K.Program = Program;
  K.Kernel = Name;
  K.Family = Line.value("family", Program.substr(0, Program.find('/')));
  if (New.Applied.empty())
    K.Root = Node;
  auto [It, IsNew] = K.Nodes.try_emplace(Node, std::move(New));
  if (!IsNew)
    merge(It->second, std::move(New));
}

/// Steps of one node that share rule, subject and parameters (two loops of one
/// name) are told apart by where they lead.
void RecordReader::merge(RecordedNode &Into, RecordedNode New) {
  if (New.Applied.size() < Into.Applied.size())
    Into.Applied = std::move(New.Applied);
  for (RecordedAction &A : New.Actions) {
    auto It = std::find_if(
        Into.Actions.begin(), Into.Actions.end(), [&](const RecordedAction &B) {
          return A.Step.Key == B.Step.Key &&
                 (A.To == B.To || A.To.empty() || B.To.empty());
        });
    if (It == Into.Actions.end())
      Into.Actions.push_back(std::move(A));
    else if (A.Verdict || !It->Verdict)
      *It = std::move(A);
  }
}

MeasurementRecord RecordReader::finish() {
  for (auto &[Name, K] : Kernels) {
    if (K.Root.empty())
      continue;
    for (const auto &[Node, N] : K.Nodes)
      for (const RecordedAction &A : N.Actions)
        Result.Measurements += A.Verdict.has_value();
    Result.Kernels.push_back(std::move(K));
  }
  return std::move(Result);
}

MeasurementRecord cudal1::readRecord(const std::vector<fs::path> &Paths) {
  RecordReader Reader;
  for (const fs::path &Path : Paths)
    Reader.readPath(Path);
  return Reader.finish();
}

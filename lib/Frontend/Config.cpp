//===- Config.cpp - Project settings in .cuda-l1.toml ---------------------===//

#include "cudal1/Frontend/Config.h"
#include "cudal1/Frontend/GpuArch.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <limits>
#include <toml++/toml.h>

using namespace cudal1;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::vector<std::string> Config::ProgramSettings::keys() const {
  std::vector<std::string> Keys;
  if (BuildCommand)
    Keys.push_back("build_cmd");
  if (RunCommand)
    Keys.push_back("run_cmd");
  if (TestCommand)
    Keys.push_back("test_cmd");
  if (CudaPath)
    Keys.push_back("cuda_path");
  return Keys;
}

std::optional<std::chrono::milliseconds> cudal1::parseDuration(StringRef Text) {
  // Of these, "ms" must be tried before "s".
  static constexpr std::pair<llvm::StringLiteral, double> Units[] = {
      {"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}};
  double Factor = 1e3;
  for (const auto &[Name, Milliseconds] : Units)
    if (Text.consume_back(Name)) {
      Factor = Milliseconds;
      break;
    }
  double Value = 0;
  // A year is more than any search needs, and fits.
  constexpr double MaxMilliseconds = 366.0 * 24 * 3600e3;
  if (Text.trim().getAsDouble(Value) || !(Value * Factor >= 1) ||
      Value * Factor > MaxMilliseconds)
    return std::nullopt;
  return std::chrono::milliseconds(
      static_cast<int64_t>(std::llround(Value * Factor)));
}

std::optional<std::string> cudal1::findConfigFile(StringRef SourceFile) {
  llvm::SmallString<256> Absolute(SourceFile);
  if (fs::make_absolute(Absolute))
    return std::nullopt;
  path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  for (StringRef Folder = path::parent_path(Absolute); !Folder.empty();
       Folder = path::parent_path(Folder)) {
    llvm::SmallString<256> Candidate(Folder);
    path::append(Candidate, ConfigFileName);
    if (fs::is_regular_file(Candidate))
      return std::string(Candidate);
  }
  return std::nullopt;
}

namespace {

StringRef typeName(const toml::node &Node) {
  switch (Node.type()) {
  case toml::node_type::table:
    return "a table";
  case toml::node_type::array:
    return "an array";
  case toml::node_type::string:
    return "a string";
  case toml::node_type::integer:
    return "an integer";
  case toml::node_type::floating_point:
    return "a number with a point";
  case toml::node_type::boolean:
    return "true or false";
  default:
    return "a date or time";
  }
}

/// Reads the keys of one file into a Config.
class ConfigReader {
public:
  explicit ConfigReader(StringRef Path) : Path(Path) {
    Result.File = Path.str();
  }

  llvm::Expected<Config> read(const toml::table &Table) {
    for (const auto &[Key, Node] : Table)
      if (llvm::Error Err = readKey(Key, Node))
        return std::move(Err);
    return std::move(Result);
  }

  llvm::Error at(const toml::source_region &Where, const llvm::Twine &What) {
    return llvm::createStringError(Path + ":" + llvm::Twine(Where.begin.line) +
                                   ":" + llvm::Twine(Where.begin.column) +
                                   ": " + What);
  }

private:
  using Reader = llvm::Error (ConfigReader::*)(const toml::key &,
                                               const toml::node &);
  struct Row {
    llvm::StringLiteral Key;
    Reader Read;
  };
  static llvm::ArrayRef<Row> rows();

  llvm::Error readKey(const toml::key &Key, const toml::node &Node) {
    StringRef Nearest;
    unsigned NearestDistance = std::numeric_limits<unsigned>::max();
    for (const Row &Known : rows()) {
      if (Known.Key == StringRef(Key.str()))
        return (this->*Known.Read)(Key, Node);
      unsigned Distance = Known.Key.edit_distance(StringRef(Key.str()));
      if (Distance < NearestDistance) {
        NearestDistance = Distance;
        Nearest = Known.Key;
      }
    }
    // Further off than this, a suggestion would be a guess.
    bool IsNear = NearestDistance <= std::max<size_t>(2, Nearest.size() / 3);
    return at(Key.source(), "unknown key '" + llvm::Twine(Key.str()) + "'" +
                                (IsNear ? "; did you mean '" + Nearest + "'?"
                                        : "; see docs/configuration.md"));
  }

  llvm::Error wrongType(const toml::key &Key, const toml::node &Node,
                        StringRef Expected) {
    return at(Node.source(), "'" + llvm::Twine(Key.str()) + "' must be " +
                                 Expected + ", not " + typeName(Node));
  }
  llvm::Error wrongValue(const toml::key &Key, const toml::node &Node,
                         StringRef Expected) {
    return at(Node.source(),
              "'" + llvm::Twine(Key.str()) + "' must be " + Expected);
  }

  /// Gets a string that is not empty, or says what is wrong with it.
  llvm::Expected<std::string> text(const toml::key &Key,
                                   const toml::node &Node) {
    const toml::value<std::string> *Value = Node.as_string();
    if (!Value)
      return wrongType(Key, Node, "a string");
    if (StringRef(Value->get()).trim().empty())
      return wrongValue(Key, Node, "a string that is not empty");
    if (StringRef(Value->get()).contains('\0'))
      return wrongValue(Key, Node, "a string without NUL characters");
    return Value->get();
  }

  template <std::optional<std::string> Config::*Field>
  llvm::Error readText(const toml::key &Key, const toml::node &Node) {
    auto Text = text(Key, Node);
    if (!Text)
      return Text.takeError();
    Result.*Field = std::move(*Text);
    return llvm::Error::success();
  }

  template <std::optional<std::string> Config::ProgramSettings::*Field>
  llvm::Error readCommand(const toml::key &Key, const toml::node &Node) {
    auto Text = text(Key, Node);
    if (!Text)
      return Text.takeError();
    Result.Programs.*Field = std::move(*Text);
    return llvm::Error::success();
  }

  template <std::vector<std::string> Config::*Field>
  llvm::Error readList(const toml::key &Key, const toml::node &Node) {
    const toml::array *Array = Node.as_array();
    if (!Array)
      return wrongType(Key, Node, "an array of strings");
    for (const toml::node &Item : *Array) {
      const toml::value<std::string> *Value = Item.as_string();
      if (!Value)
        return wrongType(Key, Item, "an array of strings");
      (Result.*Field).push_back(Value->get());
    }
    return llvm::Error::success();
  }

  llvm::Expected<int64_t> integer(const toml::key &Key, const toml::node &Node,
                                  int64_t Least, int64_t Most,
                                  StringRef Expected) {
    const toml::value<int64_t> *Value = Node.as_integer();
    if (!Value)
      return wrongType(Key, Node, Expected);
    if (Value->get() < Least || Value->get() > Most)
      return wrongValue(Key, Node, Expected);
    return Value->get();
  }

  llvm::Error readMaxVariants(const toml::key &Key, const toml::node &Node) {
    auto Value = integer(Key, Node, 1, std::numeric_limits<int32_t>::max(),
                         "an integer of at least 1");
    if (!Value)
      return Value.takeError();
    Result.MaxVariants = static_cast<unsigned>(*Value);
    return llvm::Error::success();
  }

  llvm::Error readSeed(const toml::key &Key, const toml::node &Node) {
    auto Value = integer(Key, Node, 0, std::numeric_limits<int64_t>::max(),
                         "an integer of at least 0");
    if (!Value)
      return Value.takeError();
    Result.Seed = static_cast<uint64_t>(*Value);
    return llvm::Error::success();
  }

  template <std::optional<bool> Config::*Field>
  llvm::Error readFlag(const toml::key &Key, const toml::node &Node) {
    std::optional<bool> Value = Node.value_exact<bool>();
    if (!Value)
      return wrongType(Key, Node, "true or false");
    Result.*Field = *Value;
    return llvm::Error::success();
  }

  llvm::Error readTolerance(const toml::key &Key, const toml::node &Node) {
    StringRef Expected = "a number above 0 and below 1";
    std::optional<double> Value = Node.value<double>();
    if (!Node.is_number() || !Value)
      return wrongType(Key, Node, Expected);
    if (!(*Value > 0 && *Value < 1))
      return wrongValue(Key, Node, Expected);
    Result.Tolerance = Value;
    return llvm::Error::success();
  }

  llvm::Error readFpClass(const toml::key &Key, const toml::node &Node) {
    auto Text = text(Key, Node);
    if (!Text)
      return Text.takeError();
    Result.AllowedFpClass = parseFpClass(*Text);
    if (!Result.AllowedFpClass)
      return wrongValue(Key, Node,
                        "\"exact\", \"reassociate\", \"approximate\" or "
                        "\"reduced-precision\"");
    return llvm::Error::success();
  }

  llvm::Error readSearch(const toml::key &Key, const toml::node &Node) {
    auto Text = text(Key, Node);
    if (!Text)
      return Text.takeError();
    if (*Text != "greedy" && *Text != "random" && *Text != "exhaustive")
      return wrongValue(Key, Node, "\"greedy\", \"random\" or \"exhaustive\"");
    Result.Search = std::move(*Text);
    return llvm::Error::success();
  }

  llvm::Error readBudget(const toml::key &Key, const toml::node &Node) {
    auto Text = text(Key, Node);
    if (!Text)
      return Text.takeError();
    Result.Budget = parseDuration(*Text);
    if (!Result.Budget)
      return wrongValue(Key, Node,
                        "a duration such as \"500ms\", \"60s\" or \"5m\"");
    return llvm::Error::success();
  }

  llvm::Error readArch(const toml::key &Key, const toml::node &Node) {
    auto Text = text(Key, Node);
    if (!Text)
      return Text.takeError();
    if (*Text != "native" && !parseGpuArch(*Text))
      return wrongValue(Key, Node,
                        "an architecture such as \"sm_90\", or \"native\"");
    Result.Arch = std::move(*Text);
    return llvm::Error::success();
  }

  llvm::Error readEnvironment(const toml::key &Key, const toml::node &Node) {
    const toml::table *Table = Node.as_table();
    if (!Table)
      return wrongType(Key, Node, "a table of strings");
    for (const auto &[Name, Item] : *Table) {
      const toml::value<std::string> *Value = Item.as_string();
      if (!Value)
        return wrongType(Name, Item, "a string");
      if (Name.str().empty() || StringRef(Name.str()).contains('='))
        return at(Name.source(),
                  "'" + llvm::Twine(Name.str()) + "' is no name of a variable");
      Result.Environment[std::string(Name.str())] = Value->get();
    }
    return llvm::Error::success();
  }

  /// Paths are relative to the settings file, wherever one works.
  std::string absolute(StringRef Name) const {
    llvm::SmallString<256> Absolute(Name);
    if (path::is_relative(Absolute)) {
      Absolute = path::parent_path(Path);
      path::append(Absolute, Name);
    }
    path::remove_dots(Absolute, /*remove_dot_dot=*/true);
    return std::string(Absolute);
  }

  llvm::Error readStdin(const toml::key &Key, const toml::node &Node) {
    auto Text = text(Key, Node);
    if (!Text)
      return Text.takeError();
    Result.StdinFile = absolute(*Text);
    return llvm::Error::success();
  }

  llvm::Error readCudaPath(const toml::key &Key, const toml::node &Node) {
    auto Text = text(Key, Node);
    if (!Text)
      return Text.takeError();
    Result.Programs.CudaPath = absolute(*Text);
    return llvm::Error::success();
  }

  StringRef Path;
  Config Result;
};

llvm::ArrayRef<ConfigReader::Row> ConfigReader::rows() {
  using Programs = Config::ProgramSettings;
  static constexpr Row Rows[] = {
      {"arch", &ConfigReader::readArch},
      {"budget", &ConfigReader::readBudget},
      {"build_cmd", &ConfigReader::readCommand<&Programs::BuildCommand>},
      {"cache", &ConfigReader::readFlag<&Config::KeepResults>},
      {"cuda_path", &ConfigReader::readCudaPath},
      {"env", &ConfigReader::readEnvironment},
      {"extra_args", &ConfigReader::readList<&Config::ExtraArgs>},
      {"fp_class", &ConfigReader::readFpClass},
      {"max_variants", &ConfigReader::readMaxVariants},
      {"output_files", &ConfigReader::readList<&Config::OutputFiles>},
      {"rules", &ConfigReader::readText<&Config::Rules>},
      {"run_args", &ConfigReader::readList<&Config::RunArgs>},
      {"run_cmd", &ConfigReader::readCommand<&Programs::RunCommand>},
      {"search", &ConfigReader::readSearch},
      {"seed", &ConfigReader::readSeed},
      {"stdin", &ConfigReader::readStdin},
      {"test_cmd", &ConfigReader::readCommand<&Programs::TestCommand>},
      {"tolerance", &ConfigReader::readTolerance},
  };
  return Rows;
}

} // namespace

llvm::Expected<Config> cudal1::loadConfig(StringRef Path) {
  llvm::SmallString<256> Absolute(Path);
  if (std::error_code E = fs::make_absolute(Absolute))
    return llvm::createStringError("cannot tell where the settings file '" +
                                   Path + "' is: " + E.message() +
                                   "; give its absolute path");
  auto Buffer = llvm::MemoryBuffer::getFile(Absolute, /*IsText=*/true);
  if (!Buffer)
    return llvm::createStringError("cannot read the settings file '" +
                                   Absolute +
                                   "': " + Buffer.getError().message());
  ConfigReader Reader(Absolute);
  StringRef Text = (*Buffer)->getBuffer();
  toml::parse_result Parsed =
      toml::parse(std::string_view(Text.data(), Text.size()));
  if (!Parsed) {
    const toml::parse_error &Error = Parsed.error();
    return Reader.at(Error.source(),
                     "not TOML: " + std::string(Error.description()));
  }
  return Reader.read(Parsed.table());
}

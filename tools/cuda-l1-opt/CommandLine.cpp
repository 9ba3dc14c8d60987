//===- CommandLine.cpp - What the user asked for --------------------------===//

#include "CommandLine.h"
#include "cudal1/Frontend/Config.h"
#include "cudal1/Frontend/GpuArch.h"
#include "cudal1/Rewrite/RuleList.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

using namespace cudal1;
using namespace llvm::opt; // Options.inc expects it.

namespace {

enum OptionId {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info AllOptions[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

class OptionTable : public GenericOptTable {
public:
  OptionTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, AllOptions) {}
};

/// Reads the parsed arguments into a CommandLine; keeps the first error.
class Reader {
public:
  Reader(const InputArgList &Args, Task Usual) : Args(Args) {
    Line.What = Usual;
  }

  llvm::Expected<CommandLine> read();

private:
  void readTask();
  void readInput();
  void readOutput();
  void readRewrites();
  void readSearch();
  void readGpus();
  void readRun();
  void check();
  void checkNames();

  void fail(const llvm::Twine &Why) {
    if (Problem.empty())
      Problem = Why.str();
  }
  template <class T> T take(llvm::Expected<T> Value) {
    if (Value)
      return std::move(*Value);
    fail(llvm::toString(Value.takeError()));
    return T();
  }
  std::string text(OptionId Id) const { return Args.getLastArgValue(Id).str(); }
  template <class T> std::optional<T> number(OptionId Id);
  std::optional<double> seconds(OptionId Id);

  const InputArgList &Args;
  CommandLine Line;
  std::string Problem;
};

} // namespace

std::optional<SearchKind> cudal1::parseSearchKind(llvm::StringRef Word) {
  if (Word == "greedy")
    return SearchKind::Greedy;
  if (Word == "bandit")
    return SearchKind::Bandit;
  if (Word == "random")
    return SearchKind::Random;
  if (Word == "exhaustive")
    return SearchKind::Exhaustive;
  return std::nullopt;
}

llvm::Expected<std::vector<std::string>>
cudal1::splitWords(llvm::StringRef Text) {
  // The tokenizer takes an open quote as closed at the end.
  bool Escaped = false;
  char Quote = 0;
  for (char C : Text) {
    if (Escaped)
      Escaped = false;
    else if (C == '\\' && Quote != '\'')
      Escaped = true;
    else if (Quote)
      Quote = C == Quote ? 0 : Quote;
    else if (C == '"' || C == '\'')
      Quote = C;
  }
  if (Quote)
    return llvm::createStringError("a quote is not closed in '" + Text + "'");
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver(Allocator);
  llvm::SmallVector<const char *> Words;
  llvm::cl::TokenizeGNUCommandLine(Text, Saver, Words);
  return std::vector<std::string>(Words.begin(), Words.end());
}

template <class T> std::optional<T> Reader::number(OptionId Id) {
  const Arg *A = Args.getLastArg(Id);
  if (!A)
    return std::nullopt;
  T Value = 0;
  if (llvm::StringRef(A->getValue()).getAsInteger(10, Value))
    fail(llvm::Twine("'") + A->getValue() + "' is not a number (" +
         A->getSpelling() + ")");
  return Value;
}

std::optional<double> Reader::seconds(OptionId Id) {
  const Arg *A = Args.getLastArg(Id);
  if (!A)
    return std::nullopt;
  std::optional<std::chrono::milliseconds> Time = parseDuration(A->getValue());
  if (!Time) {
    fail(llvm::Twine("'") + A->getValue() +
         "' is not a time such as 90s, 5m or "
         "500ms (" +
         A->getSpelling() + ")");
    return std::nullopt;
  }
  return std::chrono::duration<double>(*Time).count();
}

void Reader::readTask() {
  if (Args.hasArg(OPT_no_measure))
    Line.What = Task::NoMeasure;
  if (Args.hasArg(OPT_apply_EQ))
    Line.What = Task::ApplySteps;
  if (Args.hasArg(OPT_apply_all))
    Line.What = Task::ApplyAll;
  if (Args.hasArg(OPT_judge_EQ))
    Line.What = Task::Judge;
  if (Args.hasArg(OPT_list_sites))
    Line.What = Task::ListSites;
  if (const Arg *A = Args.getLastArg(OPT_dump_kernels, OPT_dump_kernels_EQ)) {
    Line.What = Task::DumpKernels;
    if (A->getOption().matches(OPT_dump_kernels_EQ)) {
      llvm::StringRef Form = A->getValue();
      Line.DumpJson = Form == "json";
      if (Form != "json" && Form != "text")
        fail("--dump-kernels is text or json, not '" + Form + "'");
    }
  }
  if (Args.hasArg(OPT_dump_device_text))
    Line.What = Task::DumpDeviceText;
  if (Args.hasArg(OPT_list_rules))
    Line.What = Task::ListRules;
  if (Args.hasArg(OPT_cache_info))
    Line.What = Task::CacheInfo;
  if (Args.hasArg(OPT_cache_clear))
    Line.What = Task::CacheClear;
  if (Args.hasArg(OPT_version))
    Line.What = Task::Version;
  if (Args.hasArg(OPT_help))
    Line.What = Task::Help;
}

void Reader::readInput() {
  Line.Inputs = Args.getAllArgValues(OPT_INPUT);
  if (Args.hasArg(OPT_p))
    Line.BuildDir = text(OPT_p);
  Line.CudaPath = text(OPT_cuda_path_EQ);
  Line.Arch = text(OPT_arch_EQ);
  Line.ResourceDir = text(OPT_resource_dir_EQ);
}

void Reader::readOutput() {
  Line.Output = text(OPT_o);
  Line.InPlace = Args.hasArg(OPT_in_place);
  Line.Diff = Args.hasArg(OPT_diff);
  Line.ReportFile = text(OPT_report_EQ);
  Line.Quiet = Args.hasArg(OPT_quiet);
  Line.Verbose = Args.hasArg(OPT_verbose);
  std::string Color = text(OPT_color_EQ);
  if (Color == "always")
    Line.Color = ColorMode::Always;
  else if (Color == "never")
    Line.Color = ColorMode::Never;
  else if (!Color.empty() && Color != "auto")
    fail("--color is auto, always or never, not '" + Color + "'");
}

void Reader::readRewrites() {
  Line.Rules = text(OPT_rules_EQ);
  Line.NeedsCheck = Args.hasArg(OPT_needs_check);
  if (Args.hasArg(OPT_fp_class_EQ)) {
    Line.Weakest = parseFpClass(text(OPT_fp_class_EQ));
    if (!Line.Weakest)
      fail("--fp-class is exact, reassociate, approximate or "
           "reduced-precision, not '" +
           text(OPT_fp_class_EQ) + "'");
  }
  for (const std::string &Step : Args.getAllArgValues(OPT_apply_EQ))
    Line.Steps.push_back(take(StepSpec::parse(Step)));
}

void Reader::readSearch() {
  std::string How = text(OPT_search_EQ);
  Line.Search = parseSearchKind(How);
  if (!How.empty() && !Line.Search)
    fail("--search is greedy, bandit, random or exhaustive, not '" + How + "'");
  Line.PolicyFile = text(OPT_policy_EQ);
  Line.BudgetSeconds = seconds(OPT_budget_EQ);
  Line.MaxVariants = number<unsigned>(OPT_max_variants_EQ);
  Line.Seed = number<uint64_t>(OPT_seed_EQ);
  Line.NoCache = Args.hasArg(OPT_no_cache);
  if (Line.MaxVariants == 0u)
    fail("--max-variants is at least 1");
  std::string Engine = text(OPT_engine_EQ);
  if (Engine == "replay")
    Line.Engine = MeasureBy::Replay;
  else if (Engine == "program")
    Line.Engine = MeasureBy::Program;
  else if (!Engine.empty() && Engine != "auto")
    fail("--engine is auto, replay or program, not '" + Engine + "'");
  Line.Launch = number<uint64_t>(OPT_launch_EQ);
  if (Line.Launch == 0u)
    fail("--launch counts from 1");
  readGpus();
  Line.Judged = Args.getAllArgValues(OPT_judge_EQ);
  std::string Proof = text(OPT_verify_EQ);
  if (Proof == "emulator")
    Line.Verify = VerifyBy::Emulator;
  else if (Proof == "none")
    Line.Verify = VerifyBy::Nothing;
  else if (!Proof.empty() && Proof != "auto")
    fail("--verify is auto, emulator or none, not '" + Proof + "'");
}

void Reader::readGpus() {
  std::string List = text(OPT_gpus_EQ);
  if (List.empty())
    return;
  for (llvm::StringRef Gpu : llvm::split(List, ',')) {
    if (Gpu.trim().empty())
      fail("--gpus is a list of GPUs such as 0,1, not '" + List + "'");
    Line.Gpus.push_back(Gpu.trim().str());
  }
}

void Reader::readRun() {
  Line.RunArgs = take(splitWords(text(OPT_run_args_EQ)));
  if (Args.hasArg(OPT_emulate_args_EQ))
    Line.EmulateArgs = take(splitWords(text(OPT_emulate_args_EQ)));
  Line.StdinFile = text(OPT_stdin_EQ);
  Line.Environment = Args.getAllArgValues(OPT_env_EQ);
  for (const std::string &Entry : Line.Environment)
    if (llvm::StringRef(Entry).find_first_of('=') == 0 ||
        !llvm::StringRef(Entry).contains('='))
      fail("--env takes NAME=VALUE, not '" + Entry + "'");
  Line.OutputFiles = Args.getAllArgValues(OPT_output_file_EQ);
  Line.BuildCommand = text(OPT_build_cmd_EQ);
  Line.RunCommand = text(OPT_run_cmd_EQ);
  Line.TestCommand = text(OPT_test_cmd_EQ);
  Line.TrustConfig = Args.hasArg(OPT_trust_config);
  Line.TimeLimitSeconds = seconds(OPT_time_limit_EQ);
  Line.WorkDir = text(OPT_work_dir_EQ);
}

/// Combinations that make no sense.
void Reader::check() {
  bool Writes = Line.What == Task::Optimise || Line.What == Task::NoMeasure ||
                Line.What == Task::ApplySteps || Line.What == Task::ApplyAll;
  if (Line.What == Task::Serve && !Line.Inputs.empty())
    fail("cuda-l1-env takes no input: requests name the programs");
  if (Line.Inputs.empty() && Line.What < Task::ListRules)
    fail("no input file (--help shows how to call)");
  if (Line.InPlace && !Line.Output.empty())
    fail("--in-place and -o exclude each other");
  if (Args.hasArg(OPT_apply_EQ) && Args.hasArg(OPT_apply_all))
    fail("--apply and --apply-all exclude each other");
  if (Line.Quiet && Line.Verbose)
    fail("--quiet and --verbose exclude each other");
  if (Line.What == Task::Judge && Line.Inputs.size() > 1)
    fail("--judge is for one input");
  if (Writes && Line.Inputs.size() > 1 && !Line.InPlace && !Line.Diff &&
      Line.Output.empty())
    fail("several inputs need -o FOLDER, --in-place or --diff");
}

/// Names that no input could make right.
void Reader::checkNames() {
  RuleList All = RuleList::all();
  for (const StepSpec &Step : Line.Steps)
    if (!All.find(Step.Rule))
      fail("no rule is called '" + Step.Rule +
           "' (--apply); --list-rules prints the names of all rules");
  if (llvm::Error E = All.select(Line.Rules))
    fail(llvm::toString(std::move(E)));
  if (!Line.Arch.empty() && !parseGpuArch(Line.Arch))
    fail("'" + Line.Arch +
         "' is no GPU architecture (--arch); expected one such as sm_90");
}

llvm::Expected<CommandLine> Reader::read() {
  readTask();
  readInput();
  readOutput();
  readRewrites();
  readSearch();
  readRun();
  check();
  checkNames();
  if (!Problem.empty())
    return llvm::createStringError(Problem);
  return std::move(Line);
}

llvm::Expected<CommandLine>
CommandLine::parse(llvm::ArrayRef<const char *> Args, Task Usual) {
  const auto *Dashes = llvm::find_if(
      Args, [](const char *Arg) { return llvm::StringRef(Arg) == "--"; });
  llvm::ArrayRef<const char *> Own(Args.begin(), Dashes);

  OptionTable Table;
  unsigned MissingIndex = 0, MissingCount = 0;
  InputArgList List = Table.ParseArgs(Own, MissingIndex, MissingCount);
  if (MissingCount)
    return llvm::createStringError(
        llvm::Twine(List.getArgString(MissingIndex)) + " needs a value");
  for (const Arg *A : List.filtered(OPT_UNKNOWN)) {
    std::string Spelling = A->getAsString(List), Nearest;
    // A far-fetched guess would be noise.
    constexpr unsigned FarAway = 3;
    bool Near = Table.findNearest(Spelling, Nearest) <= FarAway;
    return llvm::createStringError(
        "unknown option '" + Spelling + "'" +
        (Near ? ", did you mean '" + Nearest + "'?"
              : "; flags of the compiler go after --"));
  }
  llvm::Expected<CommandLine> Line = Reader(List, Usual).read();
  if (Line && Dashes != Args.end())
    Line->Flags.emplace(Dashes + 1, Args.end());
  return Line;
}

/// LLVM sorts the groups by name; these are in the order of use.
static constexpr llvm::StringLiteral HelpOrder[] = {"OVERVIEW:",
                                                    "USAGE:",
                                                    "READING THE PROGRAM:",
                                                    "WRITING THE RESULT:",
                                                    "CHOOSING REWRITES:",
                                                    "SEARCHING:",
                                                    "RUNNING THE PROGRAM:",
                                                    "OTHER:"};

void CommandLine::printHelp(llvm::raw_ostream &OS) {
  std::string Help;
  llvm::raw_string_ostream HelpOS(Help);
  OptionTable().printHelp(
      HelpOS, "cuda-l1-opt [options] FILE... [-- FLAGS]",
      "Rewrites CUDA source so that it runs faster, proves each rewrite by "
      "running it,\nand writes the fastest source that was right. FLAGS are "
      "those of nvcc or clang.");
  llvm::SmallVector<llvm::StringRef> Groups;
  llvm::StringRef(Help).split(Groups, "\n\n");
  for (llvm::StringRef Heading : HelpOrder)
    for (llvm::StringRef Group : Groups)
      if (Group.starts_with(Heading))
        OS << Group.trim('\n') << "\n\n";
}

//===- Environment.cpp - One program for a learner to act on --------------===//

#include "Environment.h"
#include "Engines.h"
#include "cudal1/Policy/Decisions.h"
#include "cudal1/Report/Report.h"
#include "cudal1/Search/Comparison.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace cudal1;
namespace json = llvm::json;

/// Names a Variant by its texts, wherever they lie: 16 hexadecimal digits.
static std::string nodeOf(const Variant &V) {
  std::string All;
  for (const auto &[Path, Text] : V.Texts)
    All += llvm::sys::path::filename(Path).str() + '\0' + Text + '\0';
  constexpr unsigned Digits = 16;
  return llvm::utohexstr(llvm::xxh3_64bits(All), /*LowerCase=*/true, Digits);
}

static json::Object toJson(const NamedValues &Values) {
  json::Object Result;
  for (const auto &[Name, Value] : Values)
    if (Value != 0)
      Result[Name] = Value;
  return Result;
}

static json::Object toJson(const StepKey &Key) {
  json::Object Params;
  for (const auto &[Name, Value] : Key.Params)
    Params[Name] = Value;
  return json::Object{{"rule", Key.Rule},
                      {"subject", json::fixUTF8(Key.Subject)},
                      {"params", std::move(Params)}};
}

static CommandLine withArguments(CommandLine Line,
                                 std::optional<std::vector<std::string>> Args) {
  if (Args)
    Line.RunArgs = std::move(*Args);
  return Line;
}

Environment::Environment(const Setup &S, CommandLine OwnLine)
    : Line(std::move(OwnLine)),
      Input(Setup{Line, S.Out, S.Stop, S.Executable, S.ResourceDir, S.Toolkit,
                  S.NoToolkit, S.Gpu, S.NoGpu, S.Learned}) {}

llvm::Expected<std::unique_ptr<Environment>>
Environment::open(const Setup &S, llvm::StringRef File,
                  std::optional<std::vector<std::string>> RunArgs) {
  std::unique_ptr<Environment> E(
      new Environment(S, withArguments(S.Line, std::move(RunArgs))));
  if (llvm::Error Failure = E->Input.resolve(File))
    return std::move(Failure);
  llvm::Expected<std::unique_ptr<Program>> P = E->Input.parse();
  if (!P)
    return P.takeError();
  SiteFilter Filter;
  Filter.Weakest = E->Input.Chosen.Weakest.value_or(FpClass::Reassociate);
  Filter.NeedsCheck = E->Line.NeedsCheck;
  E->Session =
      std::make_unique<RewriteSession>(std::move(*P), E->Input.Rules, Filter);
  E->Start = E->Session->current();
  if (E->Session->analysis().kernels().empty())
    return llvm::createStringError("no kernel is defined in '" + File + "'");
  return std::move(E);
}

/// Builds, runs and times the original, once.
llvm::Error Environment::prepareEngine() {
  if (Problem)
    return llvm::Error::success();
  if (!Input.canMeasure())
    return llvm::createStringError("nothing can be measured: " +
                                   Input.whyNotMeasured());
  llvm::Expected<TemporaryFolder> Made = TemporaryFolder::make(Line.WorkDir);
  if (!Made)
    return Made.takeError();
  Folder = std::make_unique<TemporaryFolder>(std::move(*Made));
  Engine = makeEngine(Input.S, Input.Chosen, Input.Unit, Session->analysis(),
                      Folder->path());
  llvm::Expected<Baseline> B = Engine->prepare();
  if (!B)
    return B.takeError();
  Original = std::move(*B);
  Problem = std::make_unique<ProgramProblem>(*Session, *Engine, *Original,
                                             Input.S.Gpu);
  return llvm::Error::success();
}

llvm::Expected<json::Value> Environment::kernels() {
  if (Input.canMeasure())
    if (llvm::Error E = prepareEngine())
      return std::move(E);
  json::Array Result;
  for (const std::unique_ptr<Kernel> &K : Session->analysis().kernels()) {
    if (!K->IsPrimary)
      continue;
    json::Object Entry{{"kernel", K->DisplayName}};
    if (Problem) {
      if (std::optional<double> Share = Problem->timeShare(K->DisplayName))
        Entry["share"] = *Share;
      Entry["facts"] = toJson(Problem->facts(K->DisplayName));
    }
    Result.push_back(std::move(Entry));
  }
  return Result;
}

llvm::Error Environment::reset(llvm::StringRef Kernel) {
  std::vector<llvm::StringRef> Names;
  for (const std::unique_ptr<cudal1::Kernel> &K : Session->analysis().kernels())
    if (K->IsPrimary)
      Names.push_back(K->DisplayName);
  if (!Kernel.empty() && !llvm::is_contained(Names, Kernel))
    return llvm::createStringError("there is no kernel '" + Kernel +
                                   "'; there is " + llvm::join(Names, ", "));
  if (Input.canMeasure())
    if (llvm::Error E = prepareEngine())
      return E;
  KernelName = Kernel.str();
  Actions.clear();
  Exemplars.clear();
  if (llvm::Error E = Session->advance(Start))
    return E;
  Nodes[nodeOf(Start)] = Start;
  listActions();
  return llvm::Error::success();
}

/// The legal steps of the kernel from the current Variant.
void Environment::listActions() {
  Actions.clear();
  for (const Site &S : Session->sites())
    if ((S.TheKernel ? S.TheKernel->DisplayName : "") == *KernelName)
      for (const RewriteParams &Params : S.Choices)
        Actions.push_back({&S, &Params});
}

double Environment::currentLogSpeedup() const {
  return LogSpeedups.lookup(nodeOf(Session->current()));
}

/// All that a policy may look at; valid until the next step.
PolicyState Environment::state() const {
  PolicyState State;
  for (const std::unique_ptr<Kernel> &K : Session->analysis().kernels())
    if (K->DisplayName == *KernelName)
      State.TheKernel = K.get();
  State.Applied = Session->current().Rewrites;
  State.Actions = Actions;
  State.Exemplars = Exemplars;
  State.LogSpeedup = currentLogSpeedup();
  if (Problem) {
    if (State.TheKernel)
      State.TimeShare = Problem->timeShare(*KernelName);
    State.Facts = &Problem->facts(*KernelName);
  }
  return State;
}

llvm::Expected<json::Value> Environment::scores(const Policy &P) {
  if (!KernelName)
    return llvm::createStringError("no kernel was chosen: 'reset' comes first");
  PolicyScores Scores = P.score(state());
  return json::Object{{"policy", P.name()},
                      {"actions", json::Array(Scores.Actions)},
                      {"stop", Scores.Stop}};
}

llvm::Expected<json::Value> Environment::describe() {
  if (!KernelName)
    return llvm::createStringError("no kernel was chosen: 'reset' comes first");
  PolicyState State = state();
  std::string Node = nodeOf(Session->current());
  Decision D = decisionOf(State);
  json::Array Applied, Steps;
  for (const StepKey &Key : D.Applied)
    Applied.push_back(toJson(Key));
  for (const CandidateStep &Step : D.Actions) {
    json::Object Entry = toJson(Step.Key);
    Entry["features"] = toJson(Step.Features);
    Steps.push_back(std::move(Entry));
  }
  return json::Object{
      {"kernel", *KernelName},         {"node", Node},
      {"applied", std::move(Applied)}, {"log_speedup", State.LogSpeedup},
      {"state", toJson(D.State)},      {"actions", std::move(Steps)}};
}

llvm::Expected<const Action *> Environment::action(uint64_t Index) const {
  if (!KernelName)
    return llvm::createStringError("no kernel was chosen: 'reset' comes first");
  if (Index >= Actions.size())
    return llvm::createStringError(
        "there is no action " + llvm::Twine(Index) + "; there are " +
        llvm::Twine(Actions.size()) + ", counted from 0");
  return &Actions[Index];
}

llvm::Error Environment::apply(uint64_t Index) {
  llvm::Expected<const Action *> A = action(Index);
  if (!A)
    return A.takeError();
  llvm::Expected<Variant> V = Session->apply(*(*A)->Where, *(*A)->Params);
  if (!V)
    return V.takeError();
  Actions.clear();
  llvm::Error Failure = Session->advance(*V);
  if (!Failure)
    Nodes[nodeOf(*V)] = *V;
  listActions();
  return Failure;
}

llvm::Error Environment::go(llvm::StringRef Node) {
  auto It = Nodes.find(Node);
  if (!KernelName || It == Nodes.end())
    return llvm::createStringError("there is no node '" + Node + "' yet");
  Actions.clear();
  llvm::Error Failure = Session->advance(It->second);
  listActions();
  return Failure;
}

/// Measures \p V and remembers it as a node.
json::Object Environment::outcomeOf(const Variant &V) {
  Measurement M = Problem->measure(V);
  std::string Node = nodeOf(V);
  Nodes.try_emplace(Node, V);
  json::Object Result{{"to", Node}, {"verdict", toString(M.Outcome)}};
  if (!isRight(M.Outcome) || !M.Speedup) {
    Result["why"] = json::fixUTF8(mainFinding(M));
    return Result;
  }
  double Log = logSpeedup(M).Mean;
  LogSpeedups[Node] = Log;
  Result["log_speedup"] = Log;
  if (M.SpeedupLow && M.SpeedupHigh) {
    Result["low"] = std::log(*M.SpeedupLow);
    Result["high"] = std::log(*M.SpeedupHigh);
  }
  return Result;
}

void Environment::remember(const Variant &V, const json::Object &Outcome) {
  Exemplar E;
  E.Rewrites = V.Rewrites;
  std::optional<double> Log = Outcome.getNumber("log_speedup");
  E.Failed = !Log;
  if (Log) {
    E.LogSpeedup = *Log;
    E.LogStep = *Log - currentLogSpeedup();
  }
  Exemplars.push_back(std::move(E));
}

llvm::Expected<json::Value>
Environment::measure(llvm::ArrayRef<uint64_t> Indices) {
  if (llvm::Error E = prepareEngine())
    return std::move(E);
  std::vector<std::optional<Variant>> Made;
  std::vector<Variant> Next;
  for (uint64_t Index : Indices) {
    llvm::Expected<const Action *> A = action(Index);
    if (!A)
      return A.takeError();
    llvm::Expected<Variant> V = Session->apply(*(*A)->Where, *(*A)->Params);
    if (V && V->Texts != Session->current().Texts) {
      Next.push_back(*V);
      Made.push_back(std::move(*V));
      continue;
    }
    if (!V)
      llvm::consumeError(V.takeError());
    Made.emplace_back();
  }
  Problem->compileAhead(Next);
  json::Array Results;
  size_t Measured = 0;
  for (size_t I = 0; I < Indices.size() && !Input.S.interrupted(); ++I) {
    json::Object Entry{{"action", Indices[I]}};
    if (!Made[I]) {
      Entry["verdict"] = "not-made";
    } else {
      Problem->measureAhead(llvm::ArrayRef(Next).drop_front(Measured++));
      json::Object Outcome = outcomeOf(*Made[I]);
      remember(*Made[I], Outcome);
      for (auto &[Key, Value] : Outcome)
        Entry[Key] = std::move(Value);
    }
    Results.push_back(std::move(Entry));
  }
  return Results;
}

llvm::Expected<json::Value> Environment::emulate() {
  Variant Current = Session->current();
  if (!Emulated) {
    // The engine learns the original from the session.
    Actions.clear();
    llvm::Error Failure = Session->advance(Start);
    if (!Failure) {
      auto Check =
          EmulatedCheck::prepare(Input.S, Input.Chosen, Input.Unit, *Session);
      if (Check)
        Emulated = std::move(*Check);
      else
        Failure = Check.takeError();
    }
    if (llvm::Error E = Session->advance(Current))
      return llvm::joinErrors(std::move(Failure), std::move(E));
    if (KernelName)
      listActions();
    if (Failure)
      return std::move(Failure);
  }
  llvm::Error Wrong = Emulated->check(Current);
  json::Object Result{{"right", !Wrong}};
  if (Wrong)
    Result["why"] = json::fixUTF8(llvm::toString(std::move(Wrong)));
  return Result;
}

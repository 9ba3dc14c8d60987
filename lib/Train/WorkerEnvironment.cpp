//===- WorkerEnvironment.cpp - A kernel that is measured now --------------===//

#include "RecordJson.h"
#include "cudal1/Train/TrainError.h"
#include "cudal1/Train/Worker.h"
#include <algorithm>

using namespace cudal1;
using nlohmann::json;

struct WorkerEnvironment::Entry {
  std::string Name; ///< as the worker has it
  bool IsLoaded = false;
  NodeView View;
  double LogSpeedup = 0;
  /// In step with View.Actions.
  std::vector<NodeId> Leads;
  std::vector<std::optional<StepResult>> Results;
  bool IsNoted = true; ///< nothing new for the record
};

WorkerEnvironment::WorkerEnvironment(std::string Program, std::string Kernel)
    : Program(std::move(Program)), Kernel(std::move(Kernel)) {}
WorkerEnvironment::~WorkerEnvironment() = default;

/// Asks; an answer with an error throws.
static json askFor(Worker &W, const json &Request) {
  json Answer = json::parse(W.ask(Request.dump()));
  if (auto It = Answer.find("error"); It != Answer.end())
    throw TrainError(It->get<std::string>());
  return Answer;
}

void WorkerEnvironment::attach(Worker &New) {
  W = &New;
  open();
}

void WorkerEnvironment::open() {
  askFor(*W, {{"request", "kernels"}, {"file", Program}});
  At = take(askFor(*W, {{"request", "reset"}, {"kernel", Kernel}}).dump());
  if (At != root())
    throw TrainError("'" + Program + "' has changed while it was measured");
}

/// An answer of the kind `sites`; where the worker stands now.
NodeId WorkerEnvironment::take(const std::string &Sites) {
  json J = json::parse(Sites);
  std::string Node = J.at("node").get<std::string>();
  auto [It, IsNew] = Ids.try_emplace(Node, static_cast<NodeId>(Nodes.size()));
  if (IsNew) {
    Nodes.push_back(std::make_unique<Entry>());
    Nodes.back()->Name = Node;
  }
  Entry &E = *Nodes[It->second];
  if (E.IsLoaded)
    return It->second;
  E.IsLoaded = true;
  E.View.Applied.clear(); // as the worker has it, from now on
  for (const json &Step : J.at("applied"))
    E.View.Applied.push_back(stepFrom(Step));
  E.View.State = valuesFrom(J.at("state"));
  for (const json &Action : J.at("actions"))
    E.View.Actions.push_back(actionFrom(Action).Step);
  E.Leads.assign(E.View.Actions.size(), UnknownNode);
  E.Results.resize(E.View.Actions.size());
  return It->second;
}

void WorkerEnvironment::goTo(NodeId Node) {
  if (At == Node)
    return;
  json Answer = json::parse(
      W->ask(json{{"request", "go"}, {"node", Nodes[Node]->Name}}.dump()));
  if (!Answer.contains("error")) {
    At = take(Answer.dump());
    return;
  }
  // This worker has not been there: it takes the same steps.
  std::vector<StepKey> Path = Nodes[Node]->View.Applied;
  At = take(askFor(*W, {{"request", "reset"}, {"kernel", Kernel}}).dump());
  for (const StepKey &Key : Path) {
    const auto &Actions = Nodes[At]->View.Actions;
    auto It = std::find_if(Actions.begin(), Actions.end(),
                           [&](const auto &A) { return A.Key == Key; });
    if (It == Actions.end())
      throw TrainError("a Variant of '" + name() +
                       "' cannot be made again by another worker");
    At = take(
        askFor(*W, {{"request", "apply"}, {"action", It - Actions.begin()}})
            .dump());
  }
}

const NodeView &WorkerEnvironment::node(NodeId Node) {
  if (!Nodes[Node]->IsLoaded)
    goTo(Node);
  return Nodes[Node]->View;
}

NodeId WorkerEnvironment::lead(NodeId Node, size_t Action) {
  node(Node);
  return Nodes[Node]->Leads[Action];
}

NodeId WorkerEnvironment::walk(NodeId Node, size_t Action) {
  goTo(Node);
  json Answer = json::parse(
      W->ask(json{{"request", "apply"}, {"action", Action}}.dump()));
  NodeId To = NoNode;
  if (!Answer.contains("error"))
    To = At = take(Answer.dump());
  return Nodes[Node]->Leads[Action] = To;
}

StepResult WorkerEnvironment::measureOnce(NodeId Node, size_t Action) {
  goTo(Node);
  json Answer =
      askFor(*W, {{"request", "measure"}, {"actions", json::array({Action})}});
  RecordedAction A;
  json One = Answer.at("results").at(0);
  One["rule"] = "";
  A = actionFrom(One);
  StepResult Result;
  if (!A.Verdict || A.To.empty())
    return Result; // the edit could not be made
  auto [It, IsNew] = Ids.try_emplace(A.To, static_cast<NodeId>(Nodes.size()));
  if (IsNew) {
    Nodes.push_back(std::make_unique<Entry>());
    Nodes.back()->Name = A.To;
    Nodes.back()->View.Applied = Nodes[Node]->View.Applied;
    Nodes.back()->View.Applied.push_back(Nodes[Node]->View.Actions[Action].Key);
  }
  return {It->second, *A.Verdict, A.LogSpeedup, A.Low, A.High};
}

StepResult WorkerEnvironment::measure(NodeId Node, size_t Action) {
  node(Node);
  Entry &From = *Nodes[Node];
  if (From.Results[Action])
    return *From.Results[Action];
  StepResult Result = measureOnce(Node, Action);
  From.Leads[Action] = Result.To;
  if (Result.To == NoNode)
    return Result;
  if (!isFailure(Result.Verdict) && needsSecondLook(Result.LogSpeedup, Best)) {
    askFor(*W, {{"request", "close"}});
    open();
    StepResult Again = measureOnce(Node, Action);
    if (isFailure(Again.Verdict) || Again.LogSpeedup < Result.LogSpeedup)
      Result = Again;
  }
  if (!isFailure(Result.Verdict))
    Best = std::max(Best, Result.LogSpeedup);
  Nodes[Result.To]->LogSpeedup = Result.LogSpeedup;
  From.Results[Action] = Result;
  From.IsNoted = false;
  Steps.push_back(
      {Node, Action, Result,
       isFailure(Result.Verdict) ? 0 : Result.LogSpeedup - From.LogSpeedup});
  return Result;
}

std::string WorkerEnvironment::takeLines() {
  RecordedKernel K;
  K.Program = Program;
  K.Kernel = Kernel;
  K.Family = std::filesystem::path(Program).parent_path().filename().string();
  std::string Lines;
  for (const auto &E : Nodes) {
    if (E->IsNoted)
      continue;
    E->IsNoted = true;
    RecordedNode N{E->View.Applied, E->LogSpeedup, E->View.State, {}};
    for (size_t I = 0; I < E->View.Actions.size(); ++I) {
      RecordedAction A;
      A.Step = E->View.Actions[I];
      if (const std::optional<StepResult> &R = E->Results[I]) {
        A.To = Nodes[R->To]->Name;
        A.Verdict = R->Verdict;
        A.LogSpeedup = R->LogSpeedup;
        A.Low = R->Low;
        A.High = R->High;
      }
      N.Actions.push_back(std::move(A));
    }
    Lines += toJson(K, E->Name, N).dump() + "\n";
  }
  return Lines;
}

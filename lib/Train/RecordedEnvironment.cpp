//===- RecordedEnvironment.cpp - Episodes over the record -----------------===//

#include "cudal1/Train/Environment.h"
#include <algorithm>
#include <limits>
#include <set>

using namespace cudal1;

Environment::~Environment() = default;

RecordedEnvironment::RecordedEnvironment(const RecordedKernel &K)
    : Name(K.name()), Family(K.Family) {
  idOf(K.Root);
  for (const auto &[Node, N] : K.Nodes)
    addNode(N, idOf(Node));
  lookAhead();
}

NodeId RecordedEnvironment::idOf(const std::string &Node) {
  auto [It, IsNew] = Ids.try_emplace(Node, static_cast<NodeId>(Nodes.size()));
  if (IsNew)
    Nodes.emplace_back();
  return It->second;
}

void RecordedEnvironment::addNode(const RecordedNode &N, NodeId Id) {
  // idOf() below moves the entries: the node is put together first.
  NodeView View{N.Applied, N.State, {}};
  std::vector<StepResult> Results;
  std::set<NodeId> Seen;
  for (const RecordedAction &A : N.Actions) {
    if (!A.isKnown())
      continue;
    NodeId To = idOf(A.To);
    // Steps that change nothing, or make the same text as one before.
    if (To == Id || !Seen.insert(To).second)
      continue;
    Entry &Child = Nodes[To];
    Child.Failed = isFailure(*A.Verdict);
    Child.LogSpeedup = A.LogSpeedup;
    if (!Child.Failed)
      Best = std::max(Best, A.LogSpeedup);
    Steps.push_back({Id,
                     View.Actions.size(),
                     {To, *A.Verdict, A.LogSpeedup, A.Low, A.High},
                     Child.Failed ? 0 : A.LogSpeedup - N.LogSpeedup});
    View.Actions.push_back(A.Step);
    Results.push_back(Steps.back().Result);
  }
  Nodes[Id].View = std::move(View);
  Nodes[Id].Results = std::move(Results);
}

void RecordedEnvironment::lookAhead() {
  for (Entry &N : Nodes)
    N.BestWithin[0] =
        N.Failed ? -std::numeric_limits<double>::infinity() : N.LogSpeedup;
  for (unsigned More = 1; More <= Horizon; ++More)
    for (Entry &N : Nodes) {
      N.BestWithin[More] = N.BestWithin[More - 1];
      for (const StepResult &R : N.Results)
        N.BestWithin[More] =
            std::max(N.BestWithin[More], Nodes[R.To].BestWithin[More - 1]);
    }
}

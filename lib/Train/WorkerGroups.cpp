//===- WorkerGroups.cpp - Groups measured by several workers --------------===//

#include "RecordJson.h"
#include "cudal1/Train/TrainError.h"
#include "cudal1/Train/Worker.h"
#include <atomic>
#include <exception>
#include <fstream>
#include <thread>

using namespace cudal1;
using nlohmann::json;

WorkerGroups::WorkerGroups(const WorkerRules &Rules) : Rules(Rules) {
  for (unsigned N = 0; N < Rules.Count; ++N)
    Workers.push_back(std::make_unique<Worker>(Rules.Launcher, Rules.Command));
  for (const std::string &Program : Rules.Programs) {
    json Answer = json::parse(Workers.front()->ask(
        json{{"request", "kernels"}, {"file", Program}}.dump()));
    if (Answer.contains("error"))
      throw TrainError("'" + Program + "' cannot be trained on: " +
                       Answer["error"].get<std::string>());
    for (const json &K : Answer.at("kernels"))
      Kernels.push_back(std::make_unique<WorkerEnvironment>(
          Program, K.at("kernel").get<std::string>()));
  }
  if (Kernels.empty())
    throw TrainError("[workers] programs names no program with a kernel");
}

WorkerGroups::~WorkerGroups() = default;

void WorkerGroups::append(const std::string &Lines) {
  if (Rules.Append.empty() || Lines.empty())
    return;
  bool IsNew = !std::filesystem::exists(Rules.Append);
  std::ofstream Out(Rules.Append, std::ios::app);
  if (IsNew)
    Out << json{{"format", RecordFormat},
                {"version", RecordVersion},
                {"gpu", Workers.front()->gpu()}}
               .dump()
        << "\n";
  Out << Lines;
  if (!Out.flush())
    throw TrainError("cannot write '" + Rules.Append.string() + "'");
}

std::vector<GroupResult> WorkerGroups::run(const std::vector<size_t> &Wanted,
                                           const NetworkScorer &Policy,
                                           const TrainConfig &C,
                                           std::vector<Random> Chances) {
  std::vector<GroupResult> Results(Wanted.size());
  std::vector<std::exception_ptr> Errors(Workers.size());
  std::atomic<size_t> Next{0};
  auto Work = [&](size_t Number) {
    try {
      for (size_t I; (I = Next++) < Wanted.size();) {
        WorkerEnvironment &E = *Kernels[Wanted[I]];
        E.attach(*Workers[Number]);
        // Copied: the group measures on while it draws exemplars.
        std::vector<RecordedStep> Known = E.steps();
        Results[I] = Chances[I].unit() < C.Policy.ProposalShare
                         ? proposalGroup(E, Known, Policy, C, Chances[I])
                         : searchGroup(E, Known, Policy, C, Chances[I]);
      }
    } catch (...) {
      Errors[Number] = std::current_exception();
    }
  };
  std::vector<std::thread> Threads;
  for (size_t N = 0; N < Workers.size(); ++N)
    Threads.emplace_back(Work, N);
  for (std::thread &T : Threads)
    T.join();
  for (const auto &E : Kernels)
    append(E->takeLines());
  for (const std::exception_ptr &Error : Errors)
    if (Error)
      std::rethrow_exception(Error);
  return Results;
}

//===- FuzzRun.cpp - Many programs, in several processes ------------------===//

#include "FuzzRun.h"
#include "ProgramGenerator.h"
#include "cudal1/Support/Process.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace cudal1;
using namespace cudal1::fuzz;
using Clock = std::chrono::steady_clock;

/// Programs of one batch: some seconds of work.
static constexpr unsigned BatchPrograms = 8;
/// A program that takes longer hangs: its runs have limits of their own.
static constexpr std::chrono::minutes ProgramLimit{15};

void Tally::add(const Tally &Other) {
  Programs += Other.Programs;
  Sequences += Other.Sequences;
  Skipped += Other.Skipped;
  for (const auto &[Rule, Count] : Other.Rewrites)
    Rewrites[Rule] += Count;
  Alarms.insert(Alarms.end(), Other.Alarms.begin(), Other.Alarms.end());
  PeakMemoryBytes = std::max(PeakMemoryBytes, Other.PeakMemoryBytes);
}

llvm::json::Value Tally::toJson() const {
  llvm::json::Object Rules;
  for (const auto &[Rule, Count] : Rewrites)
    Rules[Rule] = Count;
  return llvm::json::Object{{"programs", Programs},
                            {"sequences", Sequences},
                            {"skipped", Skipped},
                            {"rewrites", std::move(Rules)},
                            {"alarms", llvm::json::Array(Alarms)}};
}

llvm::Expected<Tally> Tally::fromJson(llvm::StringRef Text) {
  llvm::Expected<llvm::json::Value> Value = llvm::json::parse(Text);
  if (!Value)
    return Value.takeError();
  Tally Result;
  llvm::json::Path::Root Root("tally");
  llvm::json::ObjectMapper Map(*Value, Root);
  if (!Map || !Map.map("programs", Result.Programs) ||
      !Map.map("sequences", Result.Sequences) ||
      !Map.map("skipped", Result.Skipped) ||
      !Map.map("rewrites", Result.Rewrites) ||
      !Map.map("alarms", Result.Alarms))
    return Root.getError();
  return Result;
}

/// Prints what \p Fuzz finds wrong with the program of \p Seeds; returns the
/// seeds to blame.
static std::vector<uint64_t> explainAll(Fuzzer &Fuzz,
                                        llvm::ArrayRef<uint64_t> Seeds,
                                        llvm::StringRef Problem) {
  std::vector<uint64_t> Guilty;
  for (uint64_t One : Seeds) {
    llvm::Expected<std::string> Found = Fuzz.explain(One);
    if (!Found)
      llvm::outs() << describe(Found.takeError()) << "\n";
    else if (!Found->empty()) {
      llvm::outs() << *Found;
      Guilty.push_back(One);
    }
  }
  if (!Guilty.empty())
    return Guilty;
  llvm::outs() << "seeds " << Seeds.front() << " to " << Seeds.back()
               << " are wrong together only: " << Problem << "\n";
  return {Seeds.front()};
}

Tally fuzz::judgeBatch(Fuzzer &Fuzz, Batch Todo, unsigned KernelsPerProgram) {
  Tally Result;
  uint64_t Seed = Todo.First;
  for (unsigned I = 0; I < Todo.Programs; ++I) {
    std::vector<uint64_t> Seeds;
    for (unsigned K = 0; K < KernelsPerProgram; ++K)
      Seeds.push_back(Seed++);
    llvm::Expected<Outcome> O = Fuzz.check(Seeds);
    ++Result.Programs;
    if (!O) {
      llvm::outs() << "seed " << Seeds.front()
                   << ": the original fails: " << describe(O.takeError())
                   << "\n"
                   << generateProgram(Seeds);
      Result.Alarms.push_back(Seeds.front());
      continue;
    }
    Result.add({0, O->Sequences, O->Skipped, O->Rewrites, {}, 0});
    if (O->Problem.empty())
      continue;
    std::vector<uint64_t> Guilty = explainAll(Fuzz, Seeds, O->Problem);
    Result.Alarms.insert(Result.Alarms.end(), Guilty.begin(), Guilty.end());
  }
  return Result;
}

namespace {

/// Hands out batches to threads, each of which waits for a process.
class Coordinator {
public:
  explicit Coordinator(const RunPlan &Plan)
      : Plan(Plan), NextSeed(Plan.FirstSeed) {}

  int run();

private:
  std::optional<Batch> next();
  void work(unsigned Job);
  void finish(Batch Done, llvm::Expected<ProcessResult> Result,
              llvm::Expected<Tally> Came);
  void printSummary(double Seconds) const;
  uint64_t lastSeedOf(Batch B) const {
    return B.First + uint64_t(B.Programs) * Plan.KernelsPerProgram - 1;
  }
  bool hasEnough(unsigned Expected) const {
    return Total.Sequences + Expected >= Plan.Sequences ||
           Total.Alarms.size() >= Plan.MostAlarms;
  }

  const RunPlan &Plan;
  std::mutex Lock; ///< of all below
  std::condition_variable Changed;
  uint64_t NextSeed;
  unsigned KernelsUnderWay = 0, BatchesUnderWay = 0;
  std::deque<Batch> Again; ///< programs of a batch whose process died
  Tally Total;
};

} // namespace

/// The next batch; waits while those under way may be enough. Nothing: the run
/// is over.
std::optional<Batch> Coordinator::next() {
  std::unique_lock<std::mutex> Hold(Lock);
  for (;;) {
    std::optional<Batch> Chosen;
    if (!Again.empty()) {
      Chosen = Again.front();
      Again.pop_front();
    } else if (!hasEnough(KernelsUnderWay)) {
      unsigned Missing = Plan.Sequences - Total.Sequences - KernelsUnderWay;
      unsigned Programs = Missing / Plan.KernelsPerProgram + 1;
      Chosen = Batch{NextSeed, std::min(Programs, BatchPrograms)};
      NextSeed = lastSeedOf(*Chosen) + 1;
    }
    if (Chosen) {
      KernelsUnderWay += Chosen->Programs * Plan.KernelsPerProgram;
      ++BatchesUnderWay;
      return Chosen;
    }
    if (!BatchesUnderWay)
      return std::nullopt;
    Changed.wait(Hold);
  }
}

static llvm::Expected<Tally> readTally(const std::string &File) {
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(), "no result");
  return Tally::fromJson((*Buffer)->getBuffer());
}

void Coordinator::work(unsigned Job) {
  std::string File = Plan.Folder + "/batch-" + std::to_string(Job) + ".json";
  while (std::optional<Batch> Todo = next()) {
    llvm::FileRemover Remove(File);
    Command Worker;
    Worker.Argv = Plan.Worker;
    Worker.Argv.push_back("--seed=" + std::to_string(Todo->First));
    Worker.Argv.push_back("--programs=" + std::to_string(Todo->Programs));
    Worker.Argv.push_back("--result=" + File);
    Worker.TimeLimit = ProgramLimit * Todo->Programs;
    llvm::Expected<ProcessResult> Result = runCommand(Worker);
    finish(*Todo, std::move(Result), readTally(File));
  }
}

void Coordinator::finish(Batch Done, llvm::Expected<ProcessResult> Result,
                         llvm::Expected<Tally> Came) {
  std::lock_guard<std::mutex> Hold(Lock);
  KernelsUnderWay -= Done.Programs * Plan.KernelsPerProgram;
  --BatchesUnderWay;
  Changed.notify_all();
  llvm::outs() << "seeds " << Done.First << " to " << lastSeedOf(Done) << ": ";
  if (Result && Result->succeeded() && Came) {
    Came->PeakMemoryBytes = Result->PeakMemoryBytes;
    Total.add(*Came);
    llvm::outs() << Came->Sequences << " judged, " << Came->Skipped
                 << " skipped, " << Came->Alarms.size() << " wrong, "
                 << int(Result->WallMs / 1000) << " s\n"
                 << Result->Stdout;
    llvm::outs().flush();
    return;
  }
  std::string What = Result ? "the process " + Result->describeEnd()
                            : llvm::toString(Result.takeError());
  llvm::consumeError(Came.takeError());
  llvm::outs() << What << "\n";
  // Which program was it? Each once more, by itself.
  if (Done.Programs > 1) {
    for (unsigned I = 0; I < Done.Programs; ++I)
      Again.push_back({Done.First + uint64_t(I) * Plan.KernelsPerProgram, 1});
  } else {
    ++Total.Programs;
    Total.Alarms.push_back(Done.First);
    if (Result)
      llvm::outs() << Result->Stdout << Result->Stderr;
  }
  llvm::outs().flush();
}

void Coordinator::printSummary(double Seconds) const {
  unsigned Rewrites = 0;
  for (const auto &[Rule, Count] : Total.Rewrites)
    Rewrites += Count;
  llvm::outs() << "seeds " << Plan.FirstSeed << " to " << NextSeed - 1 << ": "
               << Total.Sequences << " sequences judged, " << Rewrites
               << " rewrites, " << Total.Programs << " programs, "
               << Total.Alarms.size() << " wrong, " << int(Seconds) << " s, "
               << (Total.PeakMemoryBytes >> 20)
               << " MiB in the largest process\n"
               << "skipped, source races or depends on the order of threads: "
               << Total.Skipped << " kernels\n";
  for (const auto &[Rule, Count] : Total.Rewrites)
    llvm::outs() << "  " << Count << " x " << Rule << "\n";
  for (uint64_t Seed : Total.Alarms)
    llvm::outs() << "wrong: seed " << Seed << "\n";
}

int Coordinator::run() {
  Clock::time_point Start = Clock::now();
  std::vector<std::thread> Threads;
  for (unsigned Job = 0; Job < std::max(1u, Plan.Jobs); ++Job)
    Threads.emplace_back([this, Job] { work(Job); });
  for (std::thread &T : Threads)
    T.join();
  printSummary(std::chrono::duration<double>(Clock::now() - Start).count());
  return Total.Alarms.empty() ? 0 : 1;
}

int fuzz::runAll(const RunPlan &Plan) { return Coordinator(Plan).run(); }

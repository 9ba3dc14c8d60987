//===- Launcher.cpp - Spreads the blocks of a grid over OS threads --------===//

#include "Launcher.h"
#include "Faults.h"
#include "GridWorkspace.h"
#include "Races.h"
#include "Worker.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace cudal1::emulator {

namespace {

/// Waking OS threads costs some microseconds: what takes no longer than this in
/// all runs on the caller alone.
constexpr double ShortNanoseconds = 30000;

/// OS threads that sleep between launches. Never destroyed: they may still
/// sleep when the program ends.
class Crew {
public:
  void run(Launch &Run);

private:
  void run(Launch &Run, unsigned Workers);
  unsigned workersFor(const Launch &Run) const;
  void serve(size_t Index);
  void ensure(unsigned Helpers);

  std::mutex OneLaunch; ///< held while a launch runs
  /// What a thread of a kernel took when it last ran, in nanoseconds.
  std::map<const KernelInfo *, double> ThreadTimes;
  std::mutex Lock; ///< of what follows
  std::condition_variable Begin, End;
  Launch *Open = nullptr; ///< a launch that helpers may still join
  unsigned Wanted = 0;    ///< helpers that may join
  unsigned Joined = 0;    ///< helpers at work
  uint64_t Round = 0;
  Worker Caller;
  std::vector<std::unique_ptr<Worker>> Helpers;
};

void Crew::ensure(unsigned Count) {
  while (Helpers.size() < Count) {
    Helpers.push_back(std::make_unique<Worker>());
    std::thread([this, Index = Helpers.size() - 1] { serve(Index); }).detach();
  }
}

void Crew::serve(size_t Index) {
  std::unique_lock<std::mutex> Guard(Lock);
  Worker &Mine = *Helpers[Index];
  uint64_t Last = 0;
  while (true) {
    Begin.wait(Guard, [&] { return Open && Round != Last && Joined < Wanted; });
    Last = Round;
    ++Joined;
    Launch &Run = *Open;
    Guard.unlock();
    Mine.work(Run);
    Guard.lock();
    if (--Joined == 0)
      End.notify_all();
  }
}

unsigned Crew::workersFor(const Launch &Run) const {
  if (Run.Races)
    return 1;
  auto Last = ThreadTimes.find(&Run.Kernel);
  double Threads = static_cast<double>(Run.Blocks) * Run.Threads;
  if (Last != ThreadTimes.end() && Last->second * Threads < ShortNanoseconds)
    return 1;
  return static_cast<unsigned>(
      std::min<uint64_t>(settings().Workers, Run.Blocks));
}

void Crew::run(Launch &Run) {
  using Clock = std::chrono::steady_clock;
  std::lock_guard<std::mutex> Alone(OneLaunch);
  unsigned Workers = workersFor(Run);
  Clock::time_point Start = Clock::now();
  run(Run, Workers);
  std::chrono::duration<double, std::nano> Time = Clock::now() - Start;
  double Threads = static_cast<double>(Run.Blocks) * Run.Threads;
  ThreadTimes[&Run.Kernel] = Time.count() * Workers / Threads;
}

void Crew::run(Launch &Run, unsigned Workers) {
  FaultHandlers Handlers;
  gridWorkspace() = {sizeof(GridWorkspace), 0};
  if (Run.Races)
    races::startLaunch(Run);
  if (Workers > 1) {
    std::lock_guard<std::mutex> Guard(Lock);
    ensure(Workers - 1);
    Open = &Run;
    Wanted = Workers - 1;
    ++Round;
    Begin.notify_all();
  }
  Caller.work(Run);
  if (Workers > 1) {
    std::unique_lock<std::mutex> Guard(Lock);
    Open = nullptr; // Who has not joined by now is not needed.
    End.wait(Guard, [&] { return Joined == 0; });
  }
}

Crew &crew() {
  static Crew *Only = new Crew;
  return *Only;
}

} // namespace

LaunchResult runGrid(const KernelInfo &Kernel, const LaunchShape &Shape,
                     void **Arguments) {
  Launch Run(Kernel, Shape, Arguments);
  if (Run.Blocks && Run.Threads)
    crew().run(Run);
  return Run.Result.load();
}

} // namespace cudal1::emulator

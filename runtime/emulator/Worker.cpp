//===- Worker.cpp ---------------------------------------------------------===//

#include "Worker.h"
#include "AddressSpace.h"
#include "Faults.h"
#include "Findings.h"
#include "HostMemory.h"
#include "Races.h"
#include "Text.h"
#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>
#include <numeric>
#include <sched.h>
#include <unistd.h>

__thread cudal1::emulator::ThreadState *cudal1_emu_thread;

namespace cudal1::emulator {

namespace {

__thread Worker *Here = nullptr;

/// Plain blocks are handed out in pieces of at most this many, so that short
/// blocks do not spend their time on the shared counter.
constexpr uint64_t LargestPiece = 64;
/// Stacks kept for the next launch, with their blocks. Each that was used holds
/// at least one page.
constexpr size_t KeptStacks = 32768;
/// Polls of all resident blocks before another is begun beside them: so many if
/// the threads seem to work, an eighth of it if they only spin.
constexpr uint32_t DoubtsPerBlock = 64;
constexpr uint32_t DoubtsPerVainPoll = 8;
/// Threads of resident blocks beyond which others begin only if nothing has
/// moved for a while: each costs a page of stack at least.
constexpr size_t MostResidentThreads = 65536;
constexpr std::chrono::milliseconds GrowAnyway{1000};
/// Times the patience after which threads that seem to work are no excuse.
constexpr double WorkingPatience = 10;
/// Polls in vain before a worker leaves the core to others for a while.
constexpr uint64_t EagerRounds = 100;
constexpr useconds_t NapMicroseconds = 50;

} // namespace

Worker *Worker::current() { return Here; }

const KernelInfo *currentKernel() {
  return Here ? &Here->launch().Kernel : nullptr;
}

Worker::~Worker() {
  if (PlainSlot) {
    clearPlainShared();
    space::giveSharedSlot(PlainSlot);
  }
}

void Worker::work(Launch &NewRun) {
  Run = &NewRun;
  Here = this;
  FaultSignal = 0;
  Watching = false;
  Run->Busy.fetch_add(1);
  useAlternateStack();
  // No locals: this may return a second time, from device code.
  if (sigsetjmp(Escape, 0) == 0) {
    if (Run->Fibers)
      runFiberBlocks();
    else
      runPlainBlocks();
  } else if (FaultSignal) {
    reportFault();
    Run->fail(LaunchResult::IllegalAddress);
  }
  cudal1_emu_thread = nullptr;
  while (!Resident.empty())
    retire(Resident.size() - 1);
  dropIdle();
  if (!Watching)
    Run->Busy.fetch_sub(1);
  Here = nullptr;
}

void Worker::dropIdle() {
  size_t Kept = 0, Stacks = 0;
  while (Kept < Idle.size() && Stacks + Idle[Kept]->capacity() <= KeptStacks)
    Stacks += Idle[Kept++]->capacity();
  Idle.resize(Kept);
}

void Worker::abandon(LaunchResult Reason) {
  Run->fail(Reason);
  siglongjmp(Escape, 1);
}

void Worker::fault(int Signal, uintptr_t Address) {
  FaultSignal = Signal;
  FaultAddress = Address;
  siglongjmp(Escape, 1);
}

void Worker::reportFault() {
  const SourceSite *Site =
      cudal1_emu_thread ? cudal1_emu_thread->Site : nullptr;
  std::string Message;
  bool Overflow = false;
  for (const auto &Block : Resident)
    Overflow |= Block->isGuardPage(FaultAddress);
  if (FaultSignal == SIGFPE)
    Message = "device code divides an integer by zero";
  else if (Overflow)
    Message = format("device code overflows its stack of %zu bytes: set %s to "
                     "a larger number of bytes",
                     settings().StackBytes, StackVariable);
  else
    Message = format("device code uses address 0x%llx, which is not mapped",
                     static_cast<unsigned long long>(FaultAddress));
  if (Site)
    Message +=
        format(" (after %s:%u)", Site->File ? Site->File : "?", Site->Line);
  reportFinding(FindingKind::IllegalAddress, nullptr, Message);
}

// Blocks whose threads are plain calls.

void Worker::runPlainBlocks() {
  uint64_t Piece = std::clamp<uint64_t>(Run->Blocks / 256, 1, LargestPiece);
  if (Run->Schedule.Kind == Order::Forward && settings().Workers == 1)
    Piece = LargestPiece;
  Plain.Owner = nullptr;
  host::stackBounds(Plain.StackLow, Plain.StackHigh);
  std::memcpy(Plain.BlockDim, Run->Shape.Block, sizeof Plain.BlockDim);
  std::memcpy(Plain.GridDim, Run->Shape.Grid, sizeof Plain.GridDim);
  Plain.StaticSharedBytes = Run->Kernel.StaticSharedBytes;
  Plain.DynamicSharedBytes = Run->Shape.DynamicSharedBytes;
  clearPlainShared();
  if (Run->SharedBytes) {
    if (!PlainSlot)
      PlainSlot = space::takeSharedSlot();
    if (!PlainSlot)
      cudal1_emu_unsupported("a block that there is no shared memory for",
                             nullptr);
    Plain.Shared = PlainSlot + SharedSlotMargin;
    PlainSharedUsed = SharedSlotMargin + Run->SharedShadow.size();
  }
  uint64_t First = 0;
  while (uint64_t Count = Run->take(Piece, First))
    for (uint64_t I = 0;
         I < Count && !Run->Stop.load(std::memory_order_relaxed); ++I)
      runPlainBlock(Run->blockAt(First + I));
}

void Worker::clearPlainShared() {
  if (PlainSlot)
    std::memset(space::shadowOf(PlainSlot), ShadowOutside, PlainSharedUsed);
}

void Worker::startPlainBlock(uint64_t Index) {
  Run->coordinates(Index, Plain.BlockIdx);
  Plain.LinearBlock = static_cast<uint32_t>(Index);
  Plain.Site = nullptr;
  if (!Run->SharedBytes)
    return;
  std::memset(Plain.Shared, FreshByte, Run->SharedBytes);
  std::memcpy(space::shadowOf(Plain.Shared), Run->SharedShadow.data(),
              Run->SharedShadow.size());
}

void Worker::runPlainBlock(uint64_t Index) {
  startPlainBlock(Index);
  if (Run->Races)
    races::startPlainBlock(Index);
  cudal1_emu_thread = &Plain;
  callPlainThreads();
  cudal1_emu_thread = nullptr;
}

void Worker::callPlainThreads() {
  const auto Entry = Run->Kernel.Entry;
  void **const Arguments = Run->Arguments;
  const uint32_t *Extent = Run->Shape.Block;
  const uint32_t Threads = Run->Threads;
  if (Run->Schedule.Kind == Order::Forward ||
      Run->Schedule.Kind == Order::Ahead) {
    uint32_t I = 0;
    for (uint32_t Z = 0; Z < Extent[2]; ++Z)
      for (uint32_t Y = 0; Y < Extent[1]; ++Y)
        for (uint32_t X = 0; X < Extent[0]; ++X, ++I) {
          Plain.ThreadIdx[0] = X;
          Plain.ThreadIdx[1] = Y;
          Plain.ThreadIdx[2] = Z;
          Plain.Lane = I % WarpLanes;
          Plain.Warp = I / WarpLanes;
          Plain.Index = I;
          Entry(Arguments);
        }
    return;
  }
  // Another order: the place of a thread in it gives its index.
  uint32_t Step = Threads - 1, Start = Threads - 1;
  if (Run->Schedule.Kind == Order::Random) {
    Start = static_cast<uint32_t>(Run->Schedule.Seed % Threads);
    for (Step = Start | 1; std::gcd(Step, Threads) != 1;)
      Step += 2;
  }
  for (uint32_t Place = 0; Place < Threads; ++Place) {
    auto I = static_cast<uint32_t>((uint64_t(Place) * Step + Start) % Threads);
    Plain.ThreadIdx[0] = I % Extent[0];
    Plain.ThreadIdx[1] = I / Extent[0] % Extent[1];
    Plain.ThreadIdx[2] = I / Extent[0] / Extent[1];
    Plain.Lane = I % WarpLanes;
    Plain.Warp = I / WarpLanes;
    Plain.Index = I;
    Entry(Arguments);
  }
}

// Blocks whose threads are fibers.

bool Worker::addResident() {
  if (!Run->blocksLeft())
    return false;
  std::unique_ptr<Block> Next;
  for (auto &Kept : Idle)
    if (Kept && Kept->capacity() >= Run->Threads) {
      std::swap(Kept, Idle.back());
      Next = std::move(Idle.back());
      Idle.pop_back();
      break;
    }
  if (!Next)
    Next = std::make_unique<Block>(
        *this, std::max(WarpLanes, std::bit_ceil(Run->Threads)));
  if (!Next->acquire(settings().StackBytes, Run->needsShared())) {
    if (Resident.empty())
      cudal1_emu_unsupported("a block that the system has no memory for",
                             nullptr);
    Idle.push_back(std::move(Next));
    return false;
  }
  uint64_t Place = 0;
  if (!Run->take(1, Place)) {
    Idle.push_back(std::move(Next));
    return false;
  }
  Next->prepare(*Run);
  Next->start(Run->blockAt(Place));
  Resident.push_back(std::move(Next));
  return true;
}

void Worker::retire(size_t Index) {
  Idle.push_back(std::move(Resident[Index]));
  Resident.erase(Resident.begin() + static_cast<ptrdiff_t>(Index));
}

/// Runs each resident block until it has finished or only spins.
Worker::Poll Worker::pollResident() {
  Poll Result = Poll::Vain;
  for (size_t I = 0; I < Resident.size();) {
    if (Run->Stop.load(std::memory_order_relaxed))
      return Poll::Moved;
    Block &Next = *Resident[I];
    uint64_t Before = Next.progress();
    Block::Outcome Outcome = Next.run();
    if (Next.progress() != Before) {
      Result = Poll::Moved;
      Run->Progress.fetch_add(1, std::memory_order_relaxed);
    } else if (Next.spinnersWork()) {
      Result = std::max(Result, Poll::Working);
    }
    if (Outcome == Block::Outcome::Stuck) {
      reportDeadlock(Next.describeWaits(), Next.firstWaitSite());
      return Poll::Moved;
    }
    if (Outcome == Block::Outcome::Finished)
      retire(I);
    else
      ++I;
  }
  return Result;
}

bool Worker::mayGrow() const {
  if (Run->Shape.Cooperative ||
      Resident.size() * Run->Threads < MostResidentThreads)
    return true;
  return Clock::now() - MovedLast > GrowAnyway;
}

/// Blocks may wait for others that have not begun: when all resident blocks
/// only spin, more are begun beside them. Not at once, since a loop with atomic
/// updates looks like one that waits.
void Worker::runFiberBlocks() {
  uint32_t Doubts = 0;
  while (!Run->Stop.load(std::memory_order_relaxed)) {
    if (Resident.empty() && !addResident())
      return;
    while (Run->Shape.Cooperative && addResident())
      ;
    Poll Result = pollResident();
    if (Result == Poll::Moved) {
      Doubts = 0;
      stopWatching();
      continue;
    }
    if (!Doubts)
      MovedLast = Clock::now();
    Doubts += Result == Poll::Vain ? DoubtsPerVainPoll : 1;
    if (Doubts < DoubtsPerBlock)
      continue;
    Doubts = 1;
    if (!mayGrow() || !addResident())
      watch(Result);
  }
}

void Worker::stopWatching() {
  if (Watching)
    Run->Busy.fetch_add(1);
  Watching = false;
}

/// Nothing here gets further and no block can be begun: another worker must
/// help, or the host; or nobody ever does.
void Worker::watch(Poll Result) {
  std::chrono::duration<double> Waited = Clock::now() - MovedLast;
  double Patience = settings().PatienceSeconds;
  // Threads that count how often they have looked seem to work.
  if (Result == Poll::Working && Waited.count() < WorkingPatience * Patience)
    return stopWatching();
  uint64_t Progress = Run->Progress.load(std::memory_order_relaxed);
  if (!Watching || Progress != ProgressSeen) {
    if (!Watching)
      Run->Busy.fetch_sub(1);
    Watching = true;
    WatchingSince = Clock::now();
    ProgressSeen = Progress;
    IdleRounds = 0;
  }
  if (++IdleRounds < EagerRounds) {
    ::sched_yield();
    return;
  }
  ::usleep(NapMicroseconds);
  Waited = Clock::now() - WatchingSince;
  if (Run->Busy.load() == 0 && Waited.count() > Patience && !Resident.empty())
    reportDeadlock(Resident.front()->describeWaits(),
                   Resident.front()->firstWaitSite());
}

void Worker::reportDeadlock(const std::string &Waits, const SourceSite *Site) {
  reportFinding(FindingKind::Deadlock, Site,
                "the threads of a block wait for ever: " + Waits);
  Run->fail(LaunchResult::Deadlock);
}

} // namespace cudal1::emulator

//===- Faults.cpp ---------------------------------------------------------===//

#include "Faults.h"
#include "Worker.h"
#include <cstdlib>

namespace cudal1::emulator {

namespace {

constexpr int Signals[] = {SIGSEGV, SIGBUS, SIGFPE};
constexpr size_t SignalStackBytes = size_t(64) * 1024;

struct sigaction Before[std::size(Signals)];

void handle(int Signal, siginfo_t *Info, void *) {
  Worker *Here = Worker::current();
  if (Here && cudal1_emu_thread)
    Here->fault(Signal, reinterpret_cast<uintptr_t>(Info->si_addr));
  // Not ours: the instruction runs again, under the handler of before.
  for (size_t I = 0; I < std::size(Signals); ++I)
    if (Signals[I] == Signal)
      ::sigaction(Signal, &Before[I], nullptr);
}

} // namespace

FaultHandlers::FaultHandlers() {
  struct sigaction Action = {};
  Action.sa_sigaction = handle;
  // The handler leaves by a jump, so the signal must not stay blocked.
  Action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&Action.sa_mask);
  for (size_t I = 0; I < std::size(Signals); ++I)
    ::sigaction(Signals[I], &Action, &Before[I]);
}

FaultHandlers::~FaultHandlers() {
  for (size_t I = 0; I < std::size(Signals); ++I)
    ::sigaction(Signals[I], &Before[I], nullptr);
}

void useAlternateStack() {
  thread_local bool Done = false;
  if (Done)
    return;
  Done = true;
  stack_t Now = {};
  ::sigaltstack(nullptr, &Now);
  if (!(Now.ss_flags & SS_DISABLE))
    return;
  // Kept for the life of the OS thread, and reachable from it.
  thread_local void *Memory = nullptr;
  Memory = std::malloc(SignalStackBytes);
  stack_t Ours = {};
  Ours.ss_sp = Memory;
  Ours.ss_size = SignalStackBytes;
  ::sigaltstack(&Ours, nullptr);
}

} // namespace cudal1::emulator

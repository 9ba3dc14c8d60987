//===- Interrupt.cpp - Ctrl-C keeps the best so far -----------------------===//

#include "Interrupt.h"
#include <csignal>

using namespace cudal1;

// A signal handler can reach nothing but static storage.
static std::atomic<bool> Interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" {
static void onInterrupt(int Signal) {
  Interrupted.store(true);
  std::signal(Signal, SIG_DFL);
}
}

const std::atomic<bool> &cudal1::watchInterrupts() {
  std::signal(SIGINT, onInterrupt);
  std::signal(SIGTERM, onInterrupt);
  // A closed pipe is an error of a write, told like any other.
  std::signal(SIGPIPE, SIG_IGN);
  return Interrupted;
}

//===- Faults.h - Signals raised by device code -----------------*- C++ -*-===//

#ifndef CUDAL1_RUNTIME_EMULATOR_FAULTS_H
#define CUDAL1_RUNTIME_EMULATOR_FAULTS_H

#include <csignal>

namespace cudal1::emulator {

/// While one lives, a fault (SIGSEGV, SIGBUS, SIGFPE) in device code ends the
/// launch; one in host code goes to whoever handled it before. One at a time.
class FaultHandlers {
public:
  FaultHandlers();
  ~FaultHandlers();
  FaultHandlers(const FaultHandlers &) = delete;
  FaultHandlers &operator=(const FaultHandlers &) = delete;
};

/// Gives the calling OS thread a stack for signal handlers: device code may
/// fault because its own is full.
void useAlternateStack();

} // namespace cudal1::emulator

#endif // CUDAL1_RUNTIME_EMULATOR_FAULTS_H

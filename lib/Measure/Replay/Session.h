//===- Session.h - One process held at one launch ---------------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_SESSION_H
#define CUDAL1_LIB_MEASURE_REPLAY_SESSION_H

#include "cudal1/Measure/ProgramRunner.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include "cudal1/Support/TemporaryFolder.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <thread>

namespace cudal1 {

/// The held process is gone, or had to be killed. What it was doing at that
/// time is to blame.
class SessionLost : public llvm::ErrorInfo<SessionLost> {
public:
  enum class Cause { Died, TimedOut, Stopped };

  SessionLost(Cause Why, std::string Sentence)
      : Why(Why), Sentence(std::move(Sentence)) {}

  Cause cause() const { return Why; }
  void log(llvm::raw_ostream &Out) const override { Out << Sentence; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  static char ID;

private:
  Cause Why;
  std::string Sentence;
};

/// What to run, and when to give it up.
struct SessionOptions {
  const BuiltProgram *Program = nullptr;
  RunSpec Run;
  InjectionSpec Injection;
  /// Existing folder; the session makes one of its own in it.
  std::string WorkFolder;
  /// The program must reach the launch within this.
  std::chrono::milliseconds StartLimit{600000};
  const std::atomic<bool> *StopFlag = nullptr;
};

/// The answer to a Batch, and its results from the first on.
struct BatchReply {
  replay::Reply Answer;
  bool failed() const { return Answer.Code != 0; }
  replay::Decoder results() const { return replay::Decoder(Answer.Results); }
};

/// Owns the process: it ends with the session.
class ReplaySession {
public:
  /// Starts the program and waits until it stands before the launch. An Error
  /// when it ends, or cannot be held, before that.
  static llvm::Expected<std::unique_ptr<ReplaySession>>
  start(const SessionOptions &Options, const replay::Target &Where);
  ~ReplaySession();

  const replay::Held &held() const { return Description; }

  /// Carries out \p Work. An operation that the driver refuses is in the
  /// reply; SessionLost means that the process is gone.
  llvm::Expected<BatchReply> run(const replay::Batch &Work,
                                 std::chrono::milliseconds Limit);

  bool isAlive() const { return Connection >= 0; }
  int64_t pid() const { return Pid; }

private:
  explicit ReplaySession(const SessionOptions &Options);
  llvm::Error listenForProgram();
  llvm::Error waitUntilHeld(const replay::Target &Where);
  llvm::Error greet(int Socket, const replay::Target &Where);
  llvm::Error tellFailedStart(const replay::Target &Where);
  llvm::Error readHeld(int Socket);
  llvm::Error lost(SessionLost::Cause Why, const std::string &Doing);
  void end();

  using TimePoint = std::chrono::steady_clock::time_point;
  llvm::Expected<bool> transfer(llvm::function_ref<ssize_t(size_t Done)> Some,
                                size_t Size, TimePoint Deadline);
  /// As readFrame, the other way.
  llvm::Expected<bool> writeFrame(int Socket, const std::string &Payload,
                                  TimePoint Deadline);
  /// Reads one frame. False when the other side is gone; SessionLost when time
  /// is up or the user stops.
  llvm::Expected<bool> readFrame(int Socket, std::string &Payload,
                                 TimePoint Deadline);

  SessionOptions Options;
  std::optional<TemporaryFolder> Folder;
  std::string SocketPath;
  int Listener = -1;
  /// Of every process of the program that greeted us; closing one would end it.
  std::vector<int> Sockets;
  int Connection = -1;         ///< that of the held process
  std::map<int, int64_t> Pids; ///< by socket
  int64_t Pid = 0;
  std::string Problems; ///< why processes could not be held

  std::thread Runner;
  std::atomic<bool> Kill{false}, Ended{false};
  std::optional<llvm::Expected<ProcessResult>> Outcome;
  replay::Held Description;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_SESSION_H

//===- Session.cpp - One process held at one launch -----------------------===//

#include "Session.h"
#include "../LocalSocket.h"
#include "llvm/Support/FileSystem.h"
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace cudal1;
using Clock = std::chrono::steady_clock;

char SessionLost::ID;

namespace {

/// How often the stop flag and the program's end are looked at.
constexpr int PollMs = 20;
/// A process of ours that greets is ours within this.
constexpr std::chrono::seconds GreetingLimit(10);

/// Bytes that are there within the poll interval; 0 at the end of the stream,
/// -1 if there are none yet.
ssize_t readSome(int Socket, char *Into, size_t Size) {
  pollfd Waiting = {Socket, POLLIN, 0};
  if (::poll(&Waiting, 1, PollMs) <= 0)
    return -1;
  ssize_t Count = ::read(Socket, Into, Size);
  if (Count < 0)
    return errno == EINTR || errno == EAGAIN ? -1 : 0;
  return Count;
}

/// Bytes that could be written within the poll interval; 0 when the other side
/// is gone, -1 if there is no room yet.
ssize_t writeSome(int Socket, const char *From, size_t Size) {
  pollfd Waiting = {Socket, POLLOUT, 0};
  if (::poll(&Waiting, 1, PollMs) <= 0)
    return -1;
  ssize_t Count = ::send(Socket, From, Size, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (Count < 0)
    return errno == EINTR || errno == EAGAIN ? -1 : 0;
  return Count;
}

} // namespace

ReplaySession::ReplaySession(const SessionOptions &Options)
    : Options(Options) {}

ReplaySession::~ReplaySession() { end(); }

void ReplaySession::end() {
  Kill = true;
  for (int Socket : Sockets)
    ::close(Socket);
  Sockets.clear();
  Connection = -1;
  if (Listener >= 0)
    ::close(Listener);
  Listener = -1;
  if (Runner.joinable())
    Runner.join();
}

llvm::Error ReplaySession::listenForProgram() {
  // A socket's path has room for about a hundred characters, so it cannot lie
  // in a work folder of the user's choice.
  llvm::Expected<TemporaryFolder> Made = TemporaryFolder::make();
  if (!Made)
    return Made.takeError();
  Folder.emplace(std::move(*Made));
  SocketPath = Folder->file("socket");
  llvm::Expected<int> Listening = listenAt(SocketPath);
  if (!Listening)
    return Listening.takeError();
  Listener = *Listening;
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<ReplaySession>>
ReplaySession::start(const SessionOptions &Options,
                     const replay::Target &Where) {
  std::unique_ptr<ReplaySession> S(new ReplaySession(Options));
  if (llvm::Error E = S->listenForProgram())
    return std::move(E);
  S->Runner = std::thread([Self = S.get()] {
    ProgramRunner Runner(Self->Options.Run, Self->Options.Injection,
                         Self->Folder->file("run"), &Self->Kill);
    Self->Outcome.emplace(
        Runner.runHeld(*Self->Options.Program, Self->SocketPath));
    Self->Ended = true;
  });
  llvm::Error E = S->waitUntilHeld(Where);
  if (E) {
    S->end();
    if (S->Outcome && !*S->Outcome)
      llvm::consumeError(S->Outcome->takeError());
    return std::move(E);
  }
  return std::move(S);
}

/// Moves all of \p Size bytes by \p Some, which moves those that it can.
llvm::Expected<bool>
ReplaySession::transfer(llvm::function_ref<ssize_t(size_t Done)> Some,
                        size_t Size, TimePoint Deadline) {
  for (size_t Done = 0; Done < Size;) {
    ssize_t Count = Some(Done);
    if (Count == 0)
      return false;
    if (Count > 0) {
      Done += size_t(Count);
      continue;
    }
    if (Options.StopFlag && *Options.StopFlag)
      return lost(SessionLost::Cause::Stopped, "waiting for it");
    if (Clock::now() > Deadline)
      return lost(SessionLost::Cause::TimedOut, "waiting for it");
  }
  return true;
}

llvm::Expected<bool> ReplaySession::writeFrame(int Socket,
                                               const std::string &Payload,
                                               TimePoint Deadline) {
  auto Write = [&](const char *From, size_t Size) {
    return transfer(
        [&](size_t Done) {
          return writeSome(Socket, From + Done, Size - Done);
        },
        Size, Deadline);
  };
  uint64_t Size = Payload.size();
  llvm::Expected<bool> Put =
      Write(reinterpret_cast<const char *>(&Size), sizeof(Size));
  if (!Put || !*Put)
    return Put;
  return Write(Payload.data(), Size);
}

llvm::Expected<bool> ReplaySession::readFrame(int Socket, std::string &Payload,
                                              TimePoint Deadline) {
  auto Fill = [&](char *Into, size_t Size) {
    return transfer(
        [&](size_t Done) { return readSome(Socket, Into + Done, Size - Done); },
        Size, Deadline);
  };
  uint64_t Size = 0;
  llvm::Expected<bool> Got =
      Fill(reinterpret_cast<char *>(&Size), sizeof(Size));
  if (!Got || !*Got || Size > replay::MaxFrameBytes)
    return Got ? llvm::Expected<bool>(false) : std::move(Got);
  Payload.resize(Size);
  return Fill(Payload.data(), Size);
}

llvm::Error ReplaySession::greet(int Socket, const replay::Target &Where) {
  Sockets.push_back(Socket);
  std::string Payload;
  llvm::Expected<bool> Got =
      readFrame(Socket, Payload, Clock::now() + GreetingLimit);
  if (!Got)
    return Got.takeError();
  if (!*Got)
    return llvm::Error::success(); // it is gone already
  replay::Hello Greeting;
  replay::Decoder D(Payload);
  Greeting.decode(D);
  if (D.failed() || Greeting.Version != replay::Version)
    return llvm::createStringError(
        "the injection library is of another build than this tool");
  if (!Greeting.Problem.empty()) {
    Problems += "; " + Greeting.Problem;
    return llvm::Error::success();
  }
  Pids[Socket] = Greeting.Pid;
  replay::Encoder E;
  Where.encode(E);
  // One that is gone already is no error.
  return writeFrame(Socket, E.Bytes, Clock::now() + GreetingLimit).takeError();
}

llvm::Error ReplaySession::readHeld(int Socket) {
  std::string Payload;
  llvm::Expected<bool> Got =
      readFrame(Socket, Payload, Clock::now() + GreetingLimit);
  if (!Got)
    return Got.takeError();
  if (!*Got) {
    llvm::erase(Sockets, Socket);
    ::close(Socket);
    return llvm::Error::success();
  }
  replay::Decoder D(Payload);
  Description.decode(D);
  if (D.failed())
    return llvm::createStringError(
        "the injection library sent what this tool cannot read");
  Connection = Socket;
  Pid = Pids[Socket];
  return llvm::Error::success();
}

llvm::Error ReplaySession::tellFailedStart(const replay::Target &Where) {
  std::string Ending = "ended";
  if (Outcome && *Outcome)
    Ending = (*Outcome)->describeEnd();
  else if (Outcome)
    Ending = llvm::toString(Outcome->takeError());
  Outcome.reset();
  return llvm::createStringError("the program " + Ending + " before launch " +
                                 std::to_string(Where.Ordinal + 1) +
                                 " of the kernel " + Where.Kernel + Problems);
}

llvm::Error ReplaySession::waitUntilHeld(const replay::Target &Where) {
  TimePoint Deadline = Clock::now() + Options.StartLimit;
  while (Connection < 0) {
    bool WasEnded = Ended;
    std::vector<pollfd> Fds = {{Listener, POLLIN, 0}};
    for (int Socket : Sockets)
      Fds.push_back({Socket, POLLIN, 0});
    int Ready = ::poll(Fds.data(), Fds.size(), PollMs);
    if (Options.StopFlag && *Options.StopFlag)
      return lost(SessionLost::Cause::Stopped, "starting it");
    if (Clock::now() > Deadline)
      return lost(SessionLost::Cause::TimedOut,
                  "waiting for launch " + std::to_string(Where.Ordinal + 1) +
                      " of " + Where.Kernel);
    if (Ready <= 0) {
      if (WasEnded)
        return tellFailedStart(Where);
      continue;
    }
    if (Fds.front().revents) {
      int Socket = ::accept4(Listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (Socket >= 0)
        if (llvm::Error E = greet(Socket, Where))
          return E;
    }
    for (const pollfd &Fd : llvm::drop_begin(Fds))
      if (Fd.revents && Connection < 0)
        if (llvm::Error E = readHeld(Fd.fd))
          return E;
  }
  return llvm::Error::success();
}

llvm::Error ReplaySession::lost(SessionLost::Cause Why,
                                const std::string &Doing) {
  end();
  std::string How;
  switch (Why) {
  case SessionLost::Cause::Died:
    How = Outcome && *Outcome ? (*Outcome)->describeEnd() : "ended";
    break;
  case SessionLost::Cause::TimedOut:
    How = "ran past its time limit and was killed";
    break;
  case SessionLost::Cause::Stopped:
    How = "was stopped";
    break;
  }
  return llvm::make_error<SessionLost>(Why, "the held process " + How +
                                                " while " + Doing);
}

llvm::Expected<BatchReply> ReplaySession::run(const replay::Batch &Work,
                                              std::chrono::milliseconds Limit) {
  if (!isAlive())
    return llvm::make_error<SessionLost>(SessionLost::Cause::Died,
                                         "the held process is gone");
  std::string Payload;
  TimePoint Deadline = Clock::now() + Limit;
  llvm::Expected<bool> Put = writeFrame(Connection, Work.payload(), Deadline);
  if (!Put)
    return Put.takeError();
  if (!*Put)
    return lost(SessionLost::Cause::Died, "it was told what to do");
  llvm::Expected<bool> Got = readFrame(Connection, Payload, Deadline);
  if (!Got)
    return Got.takeError();
  if (!*Got)
    return lost(SessionLost::Cause::Died, "it worked");
  BatchReply Result;
  replay::Decoder D(Payload);
  Result.Answer.decode(D);
  if (D.failed())
    return lost(SessionLost::Cause::Died, "it answered");
  return Result;
}

//===- ReplayConnection.cpp - The way to the tool -------------------------===//

#include "ReplayConnection.h"
#include "cudal1/Measure/ReplayProtocol.h"
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace cudal1;
using namespace cudal1::runtime;

namespace {

/// At once and without the program's handlers: a kernel may hang, a lock may be
/// held by the thread that stands at the launch.
[[noreturn]] void endProcess() {
  for (;;) {
    ::kill(::getpid(), SIGKILL);
    ::pause();
  }
}

/// Waits for the end of the connection without taking bytes from it.
void *waitForEnd(void *Socket) {
  pollfd Watched = {*static_cast<const int *>(Socket), POLLRDHUP, 0};
  while (::poll(&Watched, 1, -1) <= 0)
    ;
  endProcess();
}

} // namespace

bool ReplayConnection::connect(const char *Path) {
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  if (std::strlen(Path) >= sizeof(Address.sun_path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::strcpy(Address.sun_path, Path);
  Socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (Socket < 0)
    return false;
  int Result;
  do
    Result = ::connect(Socket, reinterpret_cast<sockaddr *>(&Address),
                       sizeof(Address));
  while (Result < 0 && errno == EINTR);
  if (Result == 0 && watch())
    return true;
  int Reason = errno;
  abandon();
  errno = Reason;
  return false;
}

bool ReplayConnection::watch() {
  // The program's signals are not this thread's to handle.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  pthread_t Thread;
  errno = pthread_create(&Thread, nullptr, waitForEnd, &Socket);
  bool Started = errno == 0;
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  if (Started)
    pthread_detach(Thread);
  return Started;
}

void ReplayConnection::abandon() {
  if (Socket >= 0)
    ::close(Socket);
  Socket = -1;
}

void ReplayConnection::readExactly(char *To, size_t Size) {
  while (Size > 0) {
    ssize_t Got = ::recv(Socket, To, Size, 0);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got <= 0)
      endProcess();
    To += Got;
    Size -= size_t(Got);
  }
}

void ReplayConnection::writeAll(const char *From, size_t Size) {
  while (Size > 0) {
    ssize_t Sent = ::send(Socket, From, Size, MSG_NOSIGNAL);
    if (Sent < 0 && errno == EINTR)
      continue;
    if (Sent < 0)
      endProcess();
    From += Sent;
    Size -= size_t(Sent);
  }
}

void ReplayConnection::send(const std::string &Payload) {
  uint64_t Size = Payload.size();
  writeAll(reinterpret_cast<const char *>(&Size), sizeof(Size));
  writeAll(Payload.data(), Payload.size());
}

std::string ReplayConnection::receive() {
  uint64_t Size = 0;
  readExactly(reinterpret_cast<char *>(&Size), sizeof(Size));
  if (Size > replay::MaxFrameBytes)
    endProcess(); // not the tool's protocol: what it asks for is not known
  std::string Payload(Size, '\0');
  readExactly(Payload.data(), Size);
  return Payload;
}

//===- LocalSocket.cpp - Frames to and from a process of ours -------------===//

#include "LocalSocket.h"
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace cudal1;

namespace {

/// How often GiveUp is asked.
constexpr int PollMs = 20;
/// A larger frame is no answer of ours.
constexpr uint64_t MaxFrameBytes = uint64_t(1) << 32;

/// True when \p Fd is ready for \p Events.
bool waitFor(int Fd, short Events, const LocalSocket::GiveUp &Ended) {
  pollfd Waiting = {Fd, Events, 0};
  while (::poll(&Waiting, 1, PollMs) <= 0)
    if (Ended())
      return false;
  return true;
}

} // namespace

LocalSocket::~LocalSocket() {
  for (int Fd : {Connection, Listener})
    if (Fd >= 0)
      ::close(Fd);
}

llvm::Expected<int> cudal1::listenAt(const std::string &Path) {
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  if (Path.size() >= sizeof(Address.sun_path))
    return llvm::createStringError(
        "the folder of temporary files has too long a path for a socket: '" +
        Path + "'; set TMPDIR to a shorter one");
  std::memcpy(Address.sun_path, Path.c_str(), Path.size() + 1);
  constexpr int Backlog = 64;
  int Listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (Listener >= 0 &&
      ::bind(Listener, reinterpret_cast<sockaddr *>(&Address),
             sizeof(Address)) == 0 &&
      ::listen(Listener, Backlog) == 0)
    return Listener;
  std::error_code Code(errno, std::generic_category());
  if (Listener >= 0)
    ::close(Listener);
  return llvm::createStringError(Code, "cannot listen at '" + Path +
                                           "': " + Code.message());
}

llvm::Error LocalSocket::listen() {
  // A socket's path has room for about a hundred characters, so it cannot lie
  // in a work folder of the user's choice.
  llvm::Expected<TemporaryFolder> Made = TemporaryFolder::make();
  if (!Made)
    return Made.takeError();
  Folder.emplace(std::move(*Made));
  Path = Folder->file("socket");
  llvm::Expected<int> Listening = listenAt(Path);
  if (!Listening)
    return Listening.takeError();
  Listener = *Listening;
  return llvm::Error::success();
}

bool LocalSocket::accept(const GiveUp &Ended) {
  if (!waitFor(Listener, POLLIN, Ended))
    return false;
  Connection =
      ::accept4(Listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return Connection >= 0;
}

bool LocalSocket::transfer(char *Bytes, size_t Size, bool IsSending,
                           const GiveUp &Ended) {
  while (Size > 0) {
    if (!waitFor(Connection, IsSending ? POLLOUT : POLLIN, Ended))
      return false;
    ssize_t Count = IsSending ? ::send(Connection, Bytes, Size, MSG_NOSIGNAL)
                              : ::recv(Connection, Bytes, Size, 0);
    if (Count < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (Count <= 0)
      return false;
    Bytes += Count;
    Size -= size_t(Count);
  }
  return true;
}

bool LocalSocket::send(const std::string &Payload, const GiveUp &Ended) {
  uint64_t Size = Payload.size();
  return transfer(reinterpret_cast<char *>(&Size), sizeof(Size),
                  /*IsSending=*/true, Ended) &&
         transfer(const_cast<char *>(Payload.data()), Payload.size(),
                  /*IsSending=*/true, Ended);
}

bool LocalSocket::receive(std::string &Payload, const GiveUp &Ended) {
  uint64_t Size = 0;
  if (!transfer(reinterpret_cast<char *>(&Size), sizeof(Size),
                /*IsSending=*/false, Ended) ||
      Size > MaxFrameBytes)
    return false;
  Payload.resize(Size);
  return transfer(Payload.data(), Size, /*IsSending=*/false, Ended);
}

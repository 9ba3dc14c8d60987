//===- ReplayClient.h - The tool's end, as small as can be ------*- C++ -*-===//
///
/// \file
/// For tests of the injection library's replay mode. Plain C++17.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_RUNTIME_TEST_REPLAYCLIENT_H
#define CUDAL1_RUNTIME_TEST_REPLAYCLIENT_H

#include "cudal1/Measure/ReplayProtocol.h"
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace cudal1::replay {

/// One connected process. Nothing answers within the limit, or the process has
/// ended: none.
class ClientConnection {
public:
  explicit ClientConnection(int Socket) : Socket(Socket) {}
  ClientConnection(ClientConnection &&Other)
      : Socket(std::exchange(Other.Socket, -1)) {}
  ClientConnection &operator=(ClientConnection &&Other) {
    std::swap(Socket, Other.Socket);
    return *this;
  }
  ~ClientConnection() { close(); }

  void close() {
    if (Socket >= 0)
      ::close(Socket);
    Socket = -1;
  }

  template <typename Message> std::optional<Message> receive(int Ms = 10000) {
    std::optional<std::string> Payload = receiveFrame(Ms);
    if (!Payload)
      return std::nullopt;
    Message Result;
    Decoder In(*Payload);
    Result.decode(In);
    if (In.failed() || !In.atEnd())
      return std::nullopt;
    return Result;
  }

  void target(const std::string &Kernel, uint64_t Ordinal) {
    Encoder Message;
    Target{Kernel, Ordinal}.encode(Message);
    send(Message.Bytes);
  }

  void send(const std::string &Payload) {
    uint64_t Size = Payload.size();
    std::string Frame(reinterpret_cast<const char *>(&Size), sizeof(Size));
    Frame += Payload;
    for (size_t At = 0; At < Frame.size();) {
      ssize_t Sent =
          ::send(Socket, Frame.data() + At, Frame.size() - At, MSG_NOSIGNAL);
      if (Sent <= 0)
        return;
      At += size_t(Sent);
    }
  }

  std::optional<Reply> run(const Batch &Operations, int Ms = 10000) {
    send(Operations.payload());
    return receive<Reply>(Ms);
  }

private:
  bool read(char *To, size_t Size, int Ms) {
    while (Size > 0) {
      pollfd Watched = {Socket, POLLIN, 0};
      if (::poll(&Watched, 1, Ms) <= 0)
        return false;
      ssize_t Got = ::recv(Socket, To, Size, 0);
      if (Got <= 0)
        return false;
      To += Got;
      Size -= size_t(Got);
    }
    return true;
  }

  std::optional<std::string> receiveFrame(int Ms) {
    uint64_t Size = 0;
    if (!read(reinterpret_cast<char *>(&Size), sizeof(Size), Ms) ||
        Size > MaxFrameBytes)
      return std::nullopt;
    std::string Payload(Size, '\0');
    if (!read(Payload.data(), Size, Ms))
      return std::nullopt;
    return Payload;
  }

  int Socket;
};

/// Listens at a path.
class ClientListener {
public:
  explicit ClientListener(const std::string &Path) {
    sockaddr_un Address = {};
    Address.sun_family = AF_UNIX;
    std::strncpy(Address.sun_path, Path.c_str(), sizeof(Address.sun_path) - 1);
    Socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ::unlink(Path.c_str());
    if (::bind(Socket, reinterpret_cast<sockaddr *>(&Address),
               sizeof(Address)) != 0 ||
        ::listen(Socket, 8) != 0)
      close();
  }
  ClientListener(const ClientListener &) = delete;
  ClientListener &operator=(const ClientListener &) = delete;
  ~ClientListener() { close(); }

  std::optional<ClientConnection> accept(int Ms = 10000) {
    pollfd Watched = {Socket, POLLIN, 0};
    if (::poll(&Watched, 1, Ms) <= 0)
      return std::nullopt;
    int Connected = ::accept4(Socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (Connected < 0)
      return std::nullopt;
    return ClientConnection(Connected);
  }

private:
  void close() {
    if (Socket >= 0)
      ::close(Socket);
    Socket = -1;
  }

  int Socket = -1;
};

} // namespace cudal1::replay

#endif // CUDAL1_RUNTIME_TEST_REPLAYCLIENT_H
